import type { AnalyticsDimension } from './bucket.ts';
import { defineCollection } from './collection.ts';
import type { RegionGroup } from './region-group.ts';

/** What one delivery response was. The edge reports it when the response is closed. */
export interface Served {
  organizationId: string;
  bucketId: string;
  /** When the response ended, in milliseconds. */
  at: number;
  status: number;
  /** Bytes of the body that were sent, also where the client went away. */
  bytes: number;
  /** ISO 3166-1 alpha-2 code, or `XK`; null if it is unknown. */
  country: string | null;
  /** Whether the edge had a copy; null where no copy was looked for. */
  cache: 'hit' | 'miss' | null;
  /** The key that was asked for: the path, decoded once, without its first slash. */
  key: string;
  /** The query as it was sent, without `?`. */
  query: string;
  /** Whether a link was checked and found valid: its tags are then the signer's. */
  isLinkValid: boolean;
}

/**
 * One response as batches keep it: time, status, bytes, country, cache result, key, query, whether its link is valid.
 */
export type ServedRow = [
  at: number,
  status: number,
  bytes: number,
  country: string | null,
  cache: 'h' | 'm' | null,
  key: string,
  query: string,
  isLinkValid: 0 | 1,
];

/** Responses of one bucket in one batch of an edge, with the rules by which they are counted. It never changes. */
export interface TrafficPart {
  /** `<writer>:<number>:<bucket id>`, so that a batch that arrives again is the same document. */
  _id: string;
  organizationId: string;
  bucketId: string;
  /** `<writer>:<number>`. */
  batchId: string;
  /** When it arrived, in milliseconds. */
  receivedAt: number;
  /** Equal to receivedAt until it is part of the totals. */
  waitingSince?: number;
  rules: CountingRules;
  /** Responses that the edge lost, as hours (milliseconds): of these hours figures are missing. */
  missingHours: number[];
  rows: ServedRow[];
}

/** How the responses of a bucket are counted. */
export interface CountingRules {
  /** The region group of unknown countries. */
  home: RegionGroup;
  /** The bucket's analytics when the batch arrived; null: they were off. */
  analytics: { since: number; dimensions: AnalyticsDimension[]; ceiling: number } | null;
}

/** Parts of batches: those that wait to be counted, and the requests of the last days. */
export const trafficParts = defineCollection<TrafficPart>({
  name: 'traffic_parts',
  owner: 'organization',
  indexes: [
    { name: 'newest', fields: ['organizationId', 'bucketId', 'receivedAt', '_id'] },
    { name: 'bucket_waiting', fields: ['bucketId', 'waitingSince'], sparse: true },
    { name: 'waiting', fields: ['waitingSince'], sparse: true },
    { name: 'batch', fields: ['batchId', 'waitingSince'] },
  ],
});

/** A batch all of whose parts are stored: it is not stored again. */
export interface TrafficBatch {
  /** `<writer>:<number>`. */
  _id: string;
  writer: string;
  number: number;
  receivedAt: number;
}

/** The batches of the last days. */
export const trafficBatches = defineCollection<TrafficBatch>({
  name: 'traffic_batches',
  owner: 'deployment',
  indexes: [{ name: 'received', fields: ['receivedAt', '_id'] }],
});

/** The batches of a writer (one edge from its start to its end) that were counted and removed. */
export interface TrafficWriter {
  /** The writer. */
  _id: string;
  /** First and last number of each run of batches, ascending. */
  removed: [first: number, last: number][];
  changedAt: number;
  version: number;
}

/** All writers of the last 13 months. */
export const trafficWriters = defineCollection<TrafficWriter>({
  name: 'traffic_writers',
  owner: 'deployment',
  indexes: [{ name: 'changed', fields: ['changedAt'] }],
});

/** Which parts are being added to a bucket's totals. */
export interface TrafficFold {
  /** Id of the bucket. */
  _id: string;
  organizationId: string;
  /** One higher with each group of parts; totals name the last group that they contain. */
  number: number;
  /** Ids of the parts of the current group; empty between groups. */
  parts: string[];
}

/** The folding of all buckets. */
export const trafficFolds = defineCollection<TrafficFold>({
  name: 'traffic_folds',
  owner: 'organization',
  indexes: [],
});

/** Sums of responses: bytes, requests, cache hits, cache misses, responses by class of status (2xx, 3xx, 4xx, 5xx). */
export type TrafficSums = [
  bytes: number,
  requests: number,
  hits: number,
  misses: number,
  of2xx: number,
  of3xx: number,
  of4xx: number,
  of5xx: number,
];

/** Bytes and requests. */
export type Volume = [bytes: number, requests: number];

/** One UTC day of a bucket's traffic. */
export interface TrafficOfDay {
  /** All traffic by region group. */
  groups: { [G in RegionGroup]?: Volume };
  /** What traffic analytics counted; absent while they were off. */
  sums?: TrafficSums;
  /** Requests by country, of what traffic analytics counted. */
  countries?: { [country: string]: number };
}

/** The traffic of a bucket in one UTC month, by day. */
export interface TrafficMonth {
  /** `<bucket id>:<YYYY-MM>`. */
  _id: string;
  organizationId: string;
  bucketId: string;
  /** `YYYY-MM`. */
  month: string;
  /** The last group of parts in the sums. */
  fold: number;
  /** By day of the month, two digits. */
  days: { [day: string]: TrafficOfDay };
}

/** Daily totals of all buckets. */
export const trafficMonths = defineCollection<TrafficMonth>({
  name: 'traffic_months',
  owner: 'organization',
  indexes: [
    { name: 'organization', fields: ['organizationId', 'month', 'bucketId'] },
    { name: 'month', fields: ['month'] },
  ],
});

/** What a dimension counted on a day. */
export interface DimensionOfDay {
  /** By hour, two digits; with values beyond the ceiling. */
  hours: { [hour: string]: TrafficSums };
  /** Distinct values that have sums of their own. */
  values: number;
  /** How many more values there could be when the last group of parts was added. */
  room: number;
  /** Whether values were beyond the ceiling. */
  isFull: boolean;
}

/** What traffic analytics counted of a bucket on one UTC day, by hour. */
export interface TrafficDay {
  /** `<bucket id>:<YYYY-MM-DD>`. */
  _id: string;
  organizationId: string;
  bucketId: string;
  /** `YYYY-MM-DD`. */
  day: string;
  fold: number;
  /** By hour, two digits. */
  hours: { [hour: string]: TrafficSums };
  /** By name. */
  dimensions: { [name: string]: DimensionOfDay };
  /** Hours (two digits) of which an edge lost responses. */
  missing: string[];
  /** Equal to day if there are such hours. */
  missingDay?: string;
}

/** Hourly totals of all buckets with traffic analytics. */
export const trafficDays = defineCollection<TrafficDay>({
  name: 'traffic_days',
  owner: 'organization',
  indexes: [
    { name: 'organization', fields: ['organizationId', 'day', 'bucketId'] },
    { name: 'missing', fields: ['organizationId', 'missingDay'], sparse: true },
    { name: 'day', fields: ['day'] },
  ],
});

/** What was counted for one value of a dimension of a bucket on one UTC day. */
export interface TrafficValue {
  /** `<bucket id>:<YYYY-MM-DD>:<dimension>:<digest of the value>`. */
  _id: string;
  organizationId: string;
  bucketId: string;
  day: string;
  dimension: string;
  value: string;
  fold: number;
  /** The group of parts that brought it. */
  first: number;
  bytes: number;
  hours: { [hour: string]: TrafficSums };
}

/** Values by day. */
export const trafficValues = defineCollection<TrafficValue>({
  name: 'traffic_values',
  owner: 'organization',
  indexes: [
    { name: 'day_bytes', fields: ['organizationId', 'dimension', 'day', 'bucketId', 'value', 'bytes'] },
    { name: 'value', fields: ['organizationId', 'dimension', 'value', 'day', 'bucketId'] },
    { name: 'day', fields: ['day'] },
  ],
});

/** What was counted for one value of a dimension of a bucket in one UTC month. */
export interface TrafficValueMonth {
  /** `<bucket id>:<YYYY-MM>:<dimension>:<digest of the value>`. */
  _id: string;
  organizationId: string;
  bucketId: string;
  month: string;
  dimension: string;
  value: string;
  fold: number;
  bytes: number;
  requests: number;
  hits: number;
  misses: number;
}

/** Values by month. */
export const trafficValueMonths = defineCollection<TrafficValueMonth>({
  name: 'traffic_value_months',
  owner: 'organization',
  indexes: [
    { name: 'rows', fields: ['organizationId', 'month', 'dimension', 'bucketId', 'value'] },
    { name: 'month', fields: ['month'] },
  ],
});

/** A download of a breakdown in progress. */
export interface TrafficExport {
  /** Id of the account: it has one at a time. */
  _id: string;
  exportId: string;
  /** When it counts as abandoned, in milliseconds; each page moves it on. */
  until: number;
}

/** Downloads of all accounts. */
export const trafficExports = defineCollection<TrafficExport>({
  name: 'traffic_exports',
  owner: 'deployment',
  indexes: [{ name: 'until', fields: ['until'] }],
});
