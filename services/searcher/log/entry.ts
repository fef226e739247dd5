import { hash } from 'node:crypto';
import type { QueryDay, SearchDay } from '../../../models/search-log.ts';
import { latencyBucket } from './statistics.ts';
import { normaliseQuery } from './query-text.ts';

/** A finished search, as the caller reports it. */
export interface FinishedSearch {
  organizationId: string;
  accountId: string;
  /** `answer` if an answer was generated from it; otherwise `search`. */
  kind: 'search' | 'answer';
  /** As typed. */
  query: string;
  /** Null or empty: open files only. */
  principals: readonly string[] | null;
  /** Number of results on all pages. */
  results: number;
  /** Duration. */
  milliseconds: number;
}

/** A finished search in the buffer; its principals are reduced to a hash. */
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

/** Maximum distinct sets of principals stored for a query: as many as the rule for suggestions requires. */
export const maxSets = 3;

/**
 * Hash of a set of principals, salted with the organization and the query, so that a person cannot be traced through
 * the log.
 */
function setHash(organizationId: string, query: string, principals: readonly string[]): string {
  const set = JSON.stringify([organizationId, query, ...[...new Set(principals)].sort()]);
  return hash('sha256', set, 'hex').slice(0, 24);
}

/** Creates the buffered entry of a finished search. */
export function entryOf(search: FinishedSearch, at: number): LogEntry {
  const { organizationId, accountId, kind, principals, results, milliseconds } = search;
  const query = normaliseQuery(search.query);
  const set = principals === null || principals.length === 0 ? null : setHash(organizationId, query, principals);
  return { organizationId, accountId, kind, query, set, results, milliseconds, at };
}

/** A batch's addition to one day of an organization. */
export type DayAddition = Omit<SearchDay, '_id' | 'by'>;

/**
 * A batch's addition to a query. A batch that spans midnight is still one addition, so that it is written atomically.
 */
export interface QueryAddition {
  organizationId: string;
  query: string;
  days: Map<number, Required<QueryDay>>;
  /** At most `maxSets`, each with its day. */
  sets: { [hash: string]: number };
  lastSearchedAt: number;
  /** Null if each search had results. */
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
  if (entry.set !== null && (sets[entry.set] !== undefined || Object.keys(sets).length < maxSets))
    sets[entry.set] = day;
  addition.lastSearchedAt = Math.max(addition.lastSearchedAt, entry.at);
  if (entry.results === 0) addition.lastWithoutAt = Math.max(addition.lastWithoutAt ?? 0, entry.at);
}

/**
 * Sums entries by organization and day, and by query. `dayOf` returns an entry's day, `keepsText` whether its query
 * text is stored.
 */
export function sumEntries(
  entries: Iterable<LogEntry>,
  dayOf: (entry: LogEntry) => number,
  keepsText: (entry: LogEntry) => boolean,
): { days: DayAddition[]; queries: QueryAddition[] } {
  const days = new Map<string, DayAddition>();
  const queries = new Map<string, QueryAddition>();
  for (const entry of entries) {
    const { organizationId, query } = entry;
    const day = dayOf(entry);
    const dayKey = `${organizationId}:${day}`;
    const ofDay = days.get(dayKey) ?? {
      organizationId,
      day,
      searches: 0,
      withResults: 0,
      results: 0,
      answers: 0,
      latency: {},
    };
    days.set(dayKey, ofDay);
    addToDay(ofDay, entry);
    if (!keepsText(entry) || query === '') continue;
    const queryKey = `${organizationId}:${query}`;
    const ofQuery = queries.get(queryKey) ?? {
      organizationId,
      query,
      days: new Map<number, Required<QueryDay>>(),
      sets: {},
      lastSearchedAt: 0,
      lastWithoutAt: null,
    };
    queries.set(queryKey, ofQuery);
    addToQuery(ofQuery, entry, day);
  }
  return { days: [...days.values()], queries: [...queries.values()] };
}
