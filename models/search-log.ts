import { defineCollection } from './collection.ts';

/**
 * Which batches of the log's writers a document holds: by writer, the number of its latest batch. A writer sends a batch
 * until it was taken and only then the next, so a batch that is sent twice counts once.
 */
export interface Batches {
  [writer: string]: number;
}

/** An organization's searches of one calendar day of its account's time zone, without their texts. */
export interface SearchDay {
  /** `<organization>:<day>` */
  _id: string;
  organizationId: string;
  /** As models/calendar-day.ts counts days. */
  day: number;
  searches: number;
  /** Searches that found something. */
  withResults: number;
  /** Sum of the numbers of results. */
  results: number;
  /** Written answers among them. */
  answers: number;
  /** Searches by how long they took: `b<number>` of a bucket (services/searcher/log/latency.ts). */
  latency: { [bucket: string]: number };
  by: Batches;
}

/** The searches of all organizations by day. Kept for the longest window of the analytics. */
export const searchDays = defineCollection<SearchDay>({
  name: 'search_days',
  owner: 'organization',
  indexes: [{ name: 'day', fields: ['organizationId', 'day', '_id'] }],
});

/**
 * A query's searches of one day. The names are short because there is one such object for each query and day: searches
 * (s), searches without results (w), sum of the numbers of results (r), searches without principals (o). 0 may be absent.
 */
export interface QueryDay {
  s: number;
  w?: number;
  r?: number;
  o?: number;
}

/** A query that an organization keeps the text of, with its searches of each day and their sums. One document, so that sums and days change together. */
export interface LoggedQuery {
  /** `<organization>:<first half of the SHA-256 of the query>` */
  _id: string;
  organizationId: string;
  /** Normalised: compared trimmed, lower case, inner spaces joined. */
  query: string;
  searches: number;
  withoutResults: number;
  results: number;
  /** Searches without principals. */
  open: number;
  /** By `d<day>`. */
  days: { [day: string]: QueryDay };
  /** First of `days`: what the retention looks for. */
  oldestDay: number;
  /** The three latest different sets of principals, as hashes, each with the day on which it was last seen. */
  sets: { [hash: string]: number };
  lastSearchedAt: number;
  /** Absent where each search had results. */
  lastWithoutAt?: number;
  /** Minus `searches`: an index that ascends has the most searched first and then goes by the alphabet. */
  rank: number;
  /** Minus `withoutResults`; absent where there are none. */
  withoutRank?: number;
  /** The beginning of the query; these three are there only while the query may be suggested. */
  suggested?: string;
  /** Its first two characters. */
  head2?: string;
  /** Its first four characters. */
  head4?: string;
  by: Batches;
  /** Grows with every write. */
  version: number;
}

/** The queries of all organizations that keep their texts. */
export const loggedQueries = defineCollection<LoggedQuery>({
  name: 'logged_queries',
  owner: 'organization',
  indexes: [
    { name: 'suggested', fields: ['organizationId', 'suggested'] },
    // Walked in the order of searches: of the queries that begin alike, those with a longer prefix are told within the index.
    { name: 'head2', fields: ['organizationId', 'head2', 'rank', 'query'] },
    { name: 'head4', fields: ['organizationId', 'head4', 'rank', 'query'] },
    { name: 'most_searched', fields: ['organizationId', 'rank', '_id'] },
    { name: 'most_without', fields: ['organizationId', 'withoutRank', '_id'] },
    { name: 'latest', fields: ['organizationId', 'lastSearchedAt', '_id'] },
    { name: 'oldest', fields: ['organizationId', 'oldestDay', '_id'] },
  ],
});

/** That an organization searches, and since when it keeps the texts of its queries. */
export interface SearchLogState {
  /** The organization's id. */
  _id: string;
  organizationId: string;
  accountId: string;
  /** When the text of a query began to be kept; null while none is. */
  recordingSince: number | null;
}

/** The search logs of all organizations. */
export const searchLogs = defineCollection<SearchLogState>({ name: 'search_logs', owner: 'organization', indexes: [{ name: 'organization', fields: ['organizationId', '_id'] }] });
