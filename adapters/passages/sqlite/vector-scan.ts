import { createHash } from 'node:crypto';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { QueryVector } from '../port.ts';
import { CodeSearch } from './code-search.ts';
import { CodesFile } from './codes-file.ts';
import { compactCodes } from './compact-codes.ts';
import { numberOf, ordinalOf, revisionNumberOf, type Connection } from './connection.ts';
import type { Nearest } from './messages.ts';
import { codesStateOf, wasIn } from './openings.ts';
import type { Permitted, PermittedRevision } from './permitted.ts';
import { runsOf, withChanged } from './slot-runs.ts';
import { distanceSql } from './statements.ts';
import { TopK } from './top-k.ts';
import { encode, usualSizes, VectorCodes, type CodesSizes } from './vector-codes.ts';

/** Codes that are compared exactly, for each wanted passage: rounding changes ranks a little. */
const comparedPerWanted = 1.5;
/** Unread passages up to which the SQL statement finds the nearest ones; of more it would take a second. */
const maxStatement = 100_000;
/** Share of removed passages from which on their codes are removed. */
const maxRemovedShare = 0.1;
/** Part of the names of files of codes that changes with what is in them. */
const format = 1;

/** How much of a set of permitted revisions has codes. */
interface Coverage {
  codes: VectorCodes;
  /** Those still to be read, the last one first. */
  unread: PermittedRevision[];
  /** Permitted slots as pairs of the first one and their number, ascending; null until they are known. */
  runs: Uint32Array | null;
  /** Revisions whose slots in `runs` may be wrong since they changed. */
  changed: Set<number>;
  /** The changes of the permitted revisions that are known, and how often codes had moved when `runs` was made. */
  seen: number;
  moves: number;
}

interface Parameters {
  organization: number;
  query: QueryVector;
  limit: number;
}

/** Options of a scan. */
export interface VectorScanOptions {
  /** Bytes of codes in memory. */
  capacity: number;
  /** Folder of the files of codes; it is created with the first one. */
  folder: string;
  /** Milliseconds in which one search reads vectors: others wait meanwhile. */
  maxReadMs?: number;
  sizes?: CodesSizes;
}

/**
 * Search by meaning: the permitted passages' vectors are compared as codes of one byte a dimension by usearch, and the
 * nearest of them again as they are in the file. Codes that do not fit into memory are read from their file for each
 * search; least recently used libraries leave memory. Passages that may not be seen are left out before anything is
 * ranked.
 */
export class VectorScan {
  readonly #connection: Connection;
  readonly #capacity: number;
  readonly #folder: string;
  readonly #maxReadMs: number;
  readonly #sizes: CodesSizes;
  /** By the names of their files, the least recently used first. */
  readonly #libraries = new Map<string, VectorCodes>();
  readonly #search = new CodeSearch();
  #coverages = new WeakMap<Permitted, Coverage>();
  #bytes = 0;
  #overwrites = -1;
  #unfinished: Coverage | null = null;

  constructor(connection: Connection, { capacity, folder, maxReadMs = 300, sizes = usualSizes }: VectorScanOptions) {
    this.#connection = connection;
    this.#capacity = capacity;
    this.#folder = folder;
    this.#maxReadMs = maxReadMs;
    this.#sizes = sizes;
  }

  /**
   * The permitted passages nearest to a vector, nearest first; among those that have been read, while many are not:
   * `readOn` continues. Null where the SQL statement must find them.
   */
  nearest(permitted: Permitted, { organization, query, limit }: Parameters): Nearest | null {
    const { vector } = query;
    if (vector.length === 0 || vector.every((value) => value === 0)) return null;
    this.#refresh();
    const coverage = this.#coverageOf(permitted, organization, query);
    this.#read(coverage, this.#maxReadMs);
    const { codes, unread } = coverage;
    if (unread.length > 0) {
      if (codes.isFull) return null;
      this.#unfinished = coverage;
      if (unread.reduce((sum, { count }) => sum + count, 0) <= maxStatement) return null;
    }
    if (coverage.moves !== codes.moves) coverage.runs = null;
    coverage.moves = codes.moves;
    const runs =
      coverage.runs === null
        ? runsOf(permitted, codes)
        : withChanged(coverage.runs, coverage.changed, permitted, codes);
    // The runs of what was read so far are not kept.
    if (unread.length === 0) {
      coverage.runs = runs;
      coverage.changed.clear();
    }
    const code = new Int8Array(vector.length);
    encode(vector, code, 0);
    const found = this.#search.nearest(codes, runs, code, Math.ceil(limit * comparedPerWanted));
    return this.#compared(permitted, query, found, limit);
  }

  /**
   * Reads more of the library that was searched last, for some milliseconds, in a transaction of the caller. Returns
   * whether there is more to read.
   */
  readOn(milliseconds: number): boolean {
    if (this.#unfinished === null) return false;
    this.#refresh();
    if (this.#unfinished === null) return false;
    this.#read(this.#unfinished, milliseconds);
    if (this.#unfinished.unread.length === 0 || this.#unfinished.codes.isFull) this.#unfinished = null;
    return this.#unfinished !== null;
  }

  /** Forgets the codes of organizations that were removed, in memory and in files. */
  forget(): void {
    for (const name of new Set([...this.#libraries.keys(), ...this.#fileNames()])) {
      const id = this.#connection.get('select id from organizations where number = ?', Number.parseInt(name, 10));
      if (id !== undefined && !String(id['id']).startsWith('forgotten ')) continue;
      this.#drop(name);
      rmSync(join(this.#folder, name), { force: true });
    }
  }

  /** Writes what the files of codes lack; libraries that are not worth one have none. */
  close(): void {
    for (const codes of this.#libraries.values()) codes.save(codes.file.slots === 0 ? this.#sizes.leastSaved : 1);
  }

  #fileNames(): string[] {
    try {
      return readdirSync(this.#folder);
    } catch {
      // No file was written yet.
      return [];
    }
  }

  /** Drops the places of revisions whose vectors were replaced while they were retrievable. */
  #refresh(): void {
    const state = codesStateOf(this.#connection);
    for (const codes of this.#libraries.values()) codes.state = state;
    if (state.overwrites === this.#overwrites) return;
    for (const number of overwrittenSince(this.#connection, this.#overwrites).keys())
      for (const codes of this.#libraries.values()) codes.places.delete(number);
    this.#overwrites = state.overwrites;
    this.#coverages = new WeakMap();
    this.#unfinished = null;
  }

  #drop(name: string): void {
    this.#bytes -= this.#libraries.get(name)?.bytes ?? 0;
    this.#libraries.delete(name);
    this.#coverages = new WeakMap();
    this.#unfinished = null;
  }

  #codesOf(organization: number, { model, vector }: QueryVector): VectorCodes {
    const name = nameOf(organization, model, vector.length);
    let codes = this.#libraries.get(name);
    if (
      codes !== undefined &&
      codes.slots > this.#passagesOf(organization) * (1 + maxRemovedShare) + this.#sizes.maxRemoved
    ) {
      const live = new Set(
        this.#connection.lists('select number from live where organization = ?', organization).map((row) => row[0]),
      );
      compactCodes(codes, (number) => live.has(number));
      this.#drop(name);
      codes = undefined;
    }
    // The last one in the order of the map.
    this.#libraries.delete(name);
    if (codes === undefined) {
      const file = new CodesFile(join(this.#folder, name), vector.length);
      const memory = { take: (own: VectorCodes, bytes: number) => this.#makeRoom(own, bytes) };
      codes = new VectorCodes(vector.length, file, memory, this.#sizes);
      codes.state = codesStateOf(this.#connection);
      codes.load((state) => wasIn(this.#connection, state), overwrittenSince(this.#connection, -1));
    }
    this.#libraries.set(name, codes);
    return codes;
  }

  #passagesOf(organization: number): number {
    return numberOf(
      this.#connection.get('select passages from organizations where number = ?', organization)?.['passages'],
    );
  }

  #coverageOf(permitted: Permitted, organization: number, query: QueryVector): Coverage {
    const codes = this.#codesOf(organization, query);
    const known = this.#coverages.get(permitted);
    if (known?.codes === codes && isFollowing(known, permitted)) return known;
    const unread = [...permitted.revisions.values()].filter((revision) => isUnread(codes, revision)).reverse();
    // Other libraries may have been dropped since.
    codes.isFull = false;
    const coverage = {
      codes,
      unread,
      runs: null,
      changed: new Set<number>(),
      seen: permitted.changes,
      moves: codes.moves,
    };
    this.#coverages.set(permitted, coverage);
    return coverage;
  }

  #read({ codes, unread }: Coverage, milliseconds: number): void {
    const until = performance.now() + milliseconds;
    while (unread.length > 0 && !codes.isFull && performance.now() < until) {
      const next = unread.at(-1);
      // Another search may have read it.
      if (next !== undefined && (codes.places.get(next.number)?.count ?? -1) >= next.count) unread.pop();
      else codes.read(this.#connection, unread);
    }
    codes.save();
  }

  /** Drops libraries that were searched longer ago until there is room for so many bytes more. */
  #makeRoom(codes: VectorCodes, bytes: number): boolean {
    for (const [name, other] of this.#libraries) {
      if (this.#bytes + bytes <= this.#capacity) break;
      if (other === codes) continue;
      other.save();
      this.#drop(name);
    }
    if (this.#bytes + bytes > this.#capacity) return false;
    this.#bytes += bytes;
    return true;
  }

  /** Compares the vectors of passages as they are in the file. */
  #compared(permitted: Permitted, { model, vector }: QueryVector, ids: readonly number[], limit: number): Nearest {
    const bytes = new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength);
    const best = new TopK(limit);
    for (const row of this.#connection.lists(distanceSql, bytes, JSON.stringify(ids), bytes.length, model)) {
      const id = numberOf(row[0]);
      const of = permitted.revisions.get(revisionNumberOf(id));
      if (of !== undefined && ordinalOf(id) < of.count) best.add({ value: 1 - numberOf(row[1]), of, id });
    }
    const sorted = best.sorted();
    return { ids: sorted.map(({ id }) => id), cosines: sorted.map(({ value }) => value) };
  }
}

/** The file of a library's codes begins with the number of the organization. */
function nameOf(organization: number, model: string, dimensions: number): string {
  const hash = createHash('sha256').update(JSON.stringify([format, model, dimensions]));
  return `${organization}-${hash.digest('hex').slice(0, 32)}`;
}

/** Revisions whose vectors were overwritten after this value of the counter, with its value then. */
function overwrittenSince(connection: Connection, change: number): Map<number, number> {
  return new Map(
    connection
      .lists('select number, change from overwritten where change > ?', change)
      .map((row) => [numberOf(row[0]), numberOf(row[1])]),
  );
}

/** Whether codes of a permitted revision are still to be read. */
function isUnread({ places }: VectorCodes, { number, count, vectors }: PermittedRevision): boolean {
  return vectors !== 'none' && (places.get(number)?.count ?? -1) < count;
}

/** Lets a coverage follow the changes of the permitted revisions; false if it must be made anew. */
function isFollowing(coverage: Coverage, permitted: Permitted): boolean {
  if (coverage.seen === permitted.changes) return true;
  const changed = permitted.changedSince(coverage.seen);
  if (changed === null) return false;
  coverage.seen = permitted.changes;
  const numbers = new Set(changed);
  coverage.unread = coverage.unread.filter(({ number }) => !numbers.has(number));
  for (const number of numbers) {
    coverage.changed.add(number);
    const revision = permitted.revisions.get(number);
    if (revision === undefined || !isUnread(coverage.codes, revision)) continue;
    coverage.unread.push(revision);
    coverage.codes.isFull = false;
  }
  return true;
}
