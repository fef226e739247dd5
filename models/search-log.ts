import { defineCollection } from './collection.ts';

/**
 * The number of the latest batch that a document holds, by writer. A writer repeats a batch until it is stored and only
 * then sends the next, so a repeated batch counts once.
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
  /** Searches with results. */
  withResults: number;
  /** Sum of the numbers of results. */
  results: number;
  /** Written answers among them. */
  answers: number;
  /** Searches by duration: `b<number>` of a bucket (services/searcher/log/latency.ts). */
  latency: { [bucket: string]: number };
  by: Batches;
}

/** The searches of all organizations by day, kept for the longest window of the analytics. */
export const searchDays = defineCollection<SearchDay>({
  name: 'search_days',
  owner: 'organization',
  indexes: [{ name: 'day', fields: ['organizationId', 'day', '_id'] }],
});

/**
 * A query's searches of one day. The names are short because there is one such object for each query and day: searches
 * (s), searches without results (w), sum of the numbers of results (r), searches without principals (o). 0 may be
 * absent.
 */
export interface QueryDay {
  s: number;
  w?: number;
  r?: number;
  o?: number;
}

/**
 * A query whose text an organization keeps, with its searches by day and their sums. One document, so that sums and
 * days change together.
 */
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
  /** First of `days`, by which the retention finds documents. */
  oldestDay: number;
  /** Hashes of the three latest different sets of principals, each with its last day. */
  sets: { [hash: string]: number };
  lastSearchedAt: number;
  /** Absent if every search had results. */
  lastWithoutAt?: number;
  /** Minus `searches`: an ascending index lists the most searched first, then sorts alphabetically. */
  rank: number;
  /** Minus `withoutResults`; absent if there are none. */
  withoutRank?: number;
  /** The beginning of the query. These three fields exist only while the query may be suggested. */
  suggested?: string;
  /** Its first two characters. */
  head2?: string;
  /** Its first four characters. */
  head4?: string;
  by: Batches;
  /** Grows with every write. */
  version: number;
}

/** The queries of all organizations that keep query texts. */
export const loggedQueries = defineCollection<LoggedQuery>({
  name: 'logged_queries',
  owner: 'organization',
  indexes: [
    { name: 'suggested', fields: ['organizationId', 'suggested'] },
    // Read in the order of searches; queries with a longer prefix are filtered within the index.
    { name: 'head2', fields: ['organizationId', 'head2', 'rank', 'query'] },
    { name: 'head4', fields: ['organizationId', 'head4', 'rank', 'query'] },
    { name: 'most_searched', fields: ['organizationId', 'rank', '_id'] },
    { name: 'most_without', fields: ['organizationId', 'withoutRank', '_id'] },
    { name: 'latest', fields: ['organizationId', 'lastSearchedAt', '_id'] },
    { name: 'oldest', fields: ['organizationId', 'oldestDay', '_id'] },
  ],
});

/** The state of an organization's search log, with the time since when it keeps query texts. */
export interface SearchLogState {
  /** The organization's id. */
  _id: string;
  organizationId: string;
  accountId: string;
  /** Since when query texts are kept; null if they are not. */
  recordingSince: number | null;
}

/** The search logs of all organizations. */
export const searchLogs = defineCollection<SearchLogState>({
  name: 'search_logs',
  owner: 'organization',
  indexes: [{ name: 'organization', fields: ['organizationId', '_id'] }],
});
