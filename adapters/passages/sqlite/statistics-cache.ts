import { numberOf, textOf, type Connection } from './connection.ts';
import { countsSql } from './statements.ts';

/** Maximum cached counts of stems of all organizations. */
const maxStems = 50_000;

/** An organization's number in the file, and its word statistics. */
export interface OrganizationStatistics {
  /** 0 if the file has no rows of the organization. */
  number: number;
  passages: number;
  words: number;
  /** Number of retrievable passages that contain each of the requested stems. */
  counts: ReadonlyMap<string, number>;
}

interface CachedOrganization extends OrganizationStatistics {
  counts: Map<string, number>;
}

/** A reader's bounded cache of word statistics. It is cleared by every change of the file. */
export class StatisticsCache {
  readonly #connection: Connection;
  readonly #organizations = new Map<string, CachedOrganization>();
  #version = -1;
  #stems = 0;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** An organization's statistics at this version of the file, with the counts of these stems. */
  get(organizationId: string, stems: readonly string[], version: number): OrganizationStatistics {
    if (version !== this.#version || this.#stems > maxStems) {
      this.#organizations.clear();
      this.#stems = 0;
    }
    this.#version = version;
    const cached = this.#organizations.get(organizationId) ?? this.#read(organizationId);
    const missing = [...new Set(stems)].filter((stem) => !cached.counts.has(stem));
    if (missing.length === 0) return cached;
    const rows = this.#connection.lists(countsSql, JSON.stringify(missing), cached.number);
    for (const stem of missing) cached.counts.set(stem, 0);
    for (const row of rows) cached.counts.set(textOf(row[0]), Math.max(0, numberOf(row[1])));
    this.#stems += missing.length;
    return cached;
  }

  #read(organizationId: string): CachedOrganization {
    const row = this.#connection.get('select number, passages, words from organizations where id = ?', organizationId);
    const statistics = {
      number: numberOf(row?.['number']),
      passages: numberOf(row?.['passages']),
      words: numberOf(row?.['words']),
      counts: new Map<string, number>(),
    };
    this.#organizations.set(organizationId, statistics);
    this.#stems += 1;
    return statistics;
  }
}
