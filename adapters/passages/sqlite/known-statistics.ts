import { numberOf, textOf, type Connection } from './connection.ts';
import { countsSql } from './statements.ts';

/** Stems whose counts are remembered, of all organizations together, at most. */
const mostStems = 50_000;

/** An organization's number in the file, and what is counted of it. */
export interface OrganizationStatistics {
  number: number;
  passages: number;
  words: number;
  /** How many of its retrievable passages hold a stem: of those that were asked for. */
  counts: Map<string, number>;
}

/** A reader's bounded memory of word statistics, as they are at one version of the whole file: words are counted in before their passages are retrievable. */
export class KnownStatistics {
  readonly #connection: Connection;
  readonly #organizations = new Map<string, OrganizationStatistics>();
  #version = -1;
  #stems = 0;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** An organization's statistics at this version, with the counts of these stems; number 0 and nothing else where the file has none of it. */
  of(organizationId: string, stems: readonly string[], version: number): OrganizationStatistics {
    if (version !== this.#version || this.#stems > mostStems) {
      this.#organizations.clear();
      this.#stems = 0;
    }
    this.#version = version;
    const known = this.#organizations.get(organizationId) ?? this.#read(organizationId);
    const unknown = [...new Set(stems)].filter((stem) => !known.counts.has(stem));
    if (unknown.length === 0) return known;
    for (const stem of unknown) known.counts.set(stem, 0);
    for (const row of this.#connection.lists(countsSql, JSON.stringify(unknown), known.number)) known.counts.set(textOf(row[0]), Math.max(0, numberOf(row[1])));
    this.#stems += unknown.length;
    return known;
  }

  #read(organizationId: string): OrganizationStatistics {
    const row = this.#connection.get('select number, passages, words from organizations where id = ?', organizationId);
    const statistics = { number: numberOf(row?.['number']), passages: numberOf(row?.['passages']), words: numberOf(row?.['words']), counts: new Map<string, number>() };
    this.#organizations.set(organizationId, statistics);
    this.#stems += 1;
    return statistics;
  }
}
