import { hash } from 'node:crypto';
import type { QueryDay, SearchDay } from '../../../models/search-log.ts';
import { latencyBucket } from './latency.ts';
import { normaliseQuery } from './query-text.ts';

/** A finished search, as whoever ran it tells of it. */
export interface FinishedSearch {
  organizationId: string;
  accountId: string;
  /** `answer`: an answer was written from it. One that got no answer is a search. */
  kind: 'search' | 'answer';
  /** As typed. */
  query: string;
  /** Null and empty alike: open files only. */
  principals: readonly string[] | null;
  /** How many results were found, on all pages. */
  results: number;
  /** How long it took. */
  milliseconds: number;
}

/** A finished search as it waits to be written: what it was asked with stays as a hash alone. */
export interface LogEntry {
  organizationId: string;
  accountId: string;
  kind: 'search' | 'answer';
  query: string;
  set: string | null;
  results: number;
  milliseconds: number;
  at: number;
}

/** Different sets of principals that are told apart: as many as the rule of suggestions asks for. */
export const mostSets = 3;

/** A set of principals as a hash that is of this organization and query alone, so that nobody can be followed through the log. */
function setHash(organizationId: string, query: string, principals: readonly string[]): string {
  const set = JSON.stringify([organizationId, query, ...[...new Set(principals)].sort()]);
  return hash('sha256', set, 'hex').slice(0, 24);
}

/** What waits to be written of a finished search. */
export function entryOf(search: FinishedSearch, at: number): LogEntry {
  const { organizationId, accountId, kind, principals, results, milliseconds } = search;
  const query = normaliseQuery(search.query);
  const set = principals === null || principals.length === 0 ? null : setHash(organizationId, query, principals);
  return { organizationId, accountId, kind, query, set, results, milliseconds, at };
}

/** What a batch adds to an organization's day. */
export type DayAddition = Omit<SearchDay, '_id' | 'by'>;

/** What a batch adds to a query. A batch may go over midnight: it is still one addition, so that it is written at once. */
export interface QueryAddition {
  organizationId: string;
  query: string;
  days: Map<number, Required<QueryDay>>;
  /** At most `mostSets`, each with its day. */
  sets: { [hash: string]: number };
  lastSearchedAt: number;
  /** Null where each search had results. */
  lastWithoutAt: number | null;
}

function addToDay(addition: DayAddition, entry: LogEntry): void {
  addition.searches += 1;
  addition.withResults += entry.results > 0 ? 1 : 0;
  addition.results += entry.results;
  addition.answers += entry.kind === 'answer' ? 1 : 0;
  const bucket = latencyBucket(entry.milliseconds);
  addition.latency[bucket] = (addition.latency[bucket] ?? 0) + 1;
}

function addToQuery(addition: QueryAddition, entry: LogEntry, day: number): void {
  const { days, sets } = addition;
  const counts = days.get(day) ?? { s: 0, w: 0, r: 0, o: 0 };
  days.set(day, counts);
  counts.s += 1;
  counts.w += entry.results > 0 ? 0 : 1;
  counts.r += entry.results;
  counts.o += entry.set === null ? 1 : 0;
  if (entry.set !== null && (sets[entry.set] !== undefined || Object.keys(sets).length < mostSets)) sets[entry.set] = day;
  addition.lastSearchedAt = Math.max(addition.lastSearchedAt, entry.at);
  if (entry.results === 0) addition.lastWithoutAt = Math.max(addition.lastWithoutAt ?? 0, entry.at);
}

/** Sums entries by organization and day, and by query. `dayOf` tells an entry's day, `keepsText` whether its query is kept. */
export function sumEntries(entries: Iterable<LogEntry>, dayOf: (entry: LogEntry) => number, keepsText: (entry: LogEntry) => boolean): { days: DayAddition[]; queries: QueryAddition[] } {
  const days = new Map<string, DayAddition>();
  const queries = new Map<string, QueryAddition>();
  for (const entry of entries) {
    const { organizationId, query } = entry;
    const day = dayOf(entry);
    const dayKey = `${organizationId}:${day}`;
    const ofDay = days.get(dayKey) ?? { organizationId, day, searches: 0, withResults: 0, results: 0, answers: 0, latency: {} };
    days.set(dayKey, ofDay);
    addToDay(ofDay, entry);
    if (!keepsText(entry) || query === '') continue;
    const queryKey = `${organizationId}:${query}`;
    const ofQuery = queries.get(queryKey) ?? { organizationId, query, days: new Map<number, Required<QueryDay>>(), sets: {}, lastSearchedAt: 0, lastWithoutAt: null };
    queries.set(queryKey, ofQuery);
    addToQuery(ofQuery, entry, day);
  }
  return { days: [...days.values()], queries: [...queries.values()] };
}
