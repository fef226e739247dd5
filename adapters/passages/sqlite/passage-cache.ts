import { LRUCache } from 'lru-cache';
import { numberOf, revisionNumberOf, textOf } from './connection.ts';
import type { Connection } from './connection.ts';
import { candidateSql } from './statements.ts';

/** Default capacity in bytes. */
const defaultCapacity = 32 * 2 ** 20;
/** Approximate bytes of a cached passage without its stems. */
const overheadBytes = 200;

/** The fields of a revision that grading needs. */
export interface CachedRevision {
  assetId: string;
  revision: number;
  attributesVersion: number;
}

/** The fields of a passage that grading needs. */
export interface CachedPassage {
  of: CachedRevision;
  length: number;
  analysedAs: string;
  /** Separated by spaces. */
  stems: string;
}

/**
 * A reader's bounded cache of retrieved passages: searches often find the same ones, and reading them takes longer than
 * finding them. It is cleared when the retrievable rows change.
 */
export class PassageCache {
  readonly #connection: Connection;
  readonly #passages: LRUCache<number, CachedPassage>;
  #version = -1;

  /** @param capacity maximum bytes of cached passages, above 0 */
  constructor(connection: Connection, capacity = defaultCapacity) {
    this.#connection = connection;
    this.#passages = new LRUCache({ maxSize: capacity, sizeCalculation: ({ stems }) => overheadBytes + stems.length });
  }

  /** Passages by id, in that order, at this version of the retrievable rows; undefined for missing ones. */
  get(ids: readonly number[], version: number): (CachedPassage | undefined)[] {
    if (version !== this.#version) this.#passages.clear();
    this.#version = version;
    const found = ids.map((id) => this.#passages.get(id));
    const missing = ids.filter((_, index) => found[index] === undefined);
    if (missing.length === 0) return found;
    const read = this.#read(missing);
    return found.map((passage, index) => passage ?? read.get(ids[index] ?? 0));
  }

  #read(ids: readonly number[]): Map<number, CachedPassage> {
    const found = new Map<number, CachedPassage>();
    const revisions = new Map<number, CachedRevision>();
    for (const row of this.#connection.lists(candidateSql, JSON.stringify(ids))) {
      const id = numberOf(row[0]);
      const number = revisionNumberOf(id);
      const of = revisions.get(number) ?? {
        assetId: textOf(row[1]),
        revision: numberOf(row[2]),
        attributesVersion: numberOf(row[3]),
      };
      revisions.set(number, of);
      const passage = { of, length: numberOf(row[4]), analysedAs: textOf(row[5]), stems: textOf(row[6]) };
      this.#passages.set(id, passage);
      found.set(id, passage);
    }
    return found;
  }
}
