/** How a metric is counted, shown and charged. */
export interface MetricDefinition {
  /** Unit of quantities in answers and price files. All GB are 2^30 bytes, MB 2^20. */
  unit: string;
  /** What the integers of usage events count. */
  base: 'byte' | 'millisecond' | 'count' | 'byte-day';
  /** Base units of one unit. Of `GB-month`: of one GB-day, see `baseUnitsPerUnit`. */
  perUnit: bigint;
  /** Name for people. */
  label: string;
  /** What its use is divided by; null: nothing. An event names its part in `dimension`. */
  dimension: 'region' | 'region_group' | 'ocr' | null;
  /** Whose calendar days it is counted by: the account's time zone's, or those of UTC. */
  days: 'account' | 'utc';
  /** `processing` describes work and is never charged; `work` is both. */
  kind: 'charged' | 'processing' | 'work';
  /** When an event of it is recorded. */
  counted: string;
}

const gigabyte = 2n ** 30n;
const million = 1_000_000n;

const common = { dimension: null, days: 'account', kind: 'charged' } as const;
const gateway = { dimension: 'region', days: 'utc', kind: 'charged' } as const;

/**
 * Every metric of which usage is recorded, in the order of answers. The price, the minimum and corrections of a month
 * (`monthly_minimum`, `adjustment`) are lines of statements, but nothing is recorded of them.
 */
export const usageMetrics = {
  audio_hours: {
    ...common,
    unit: 'hour',
    base: 'millisecond',
    perUnit: 3_600_000n,
    label: 'Speech transcribed',
    kind: 'processing',
    counted: 'The transcription of a recording is done: the length of its sound.',
  },
  ocr_frames: {
    ...common,
    unit: 'frame',
    base: 'count',
    perUnit: 1n,
    label: 'Video frames read',
    kind: 'work',
    counted: 'Frames of a video were read for their text.',
  },
  source_bytes: {
    ...common,
    unit: 'byte',
    base: 'byte',
    perUnit: 1n,
    label: 'Bytes read from sources',
    kind: 'processing',
    counted: 'A file was read from its source, also if it is then found to be unreadable.',
  },
  media_hours: {
    ...common,
    unit: 'hour',
    base: 'millisecond',
    perUnit: 3_600_000n,
    label: 'Recordings indexed',
    dimension: 'ocr',
    counted: 'A revision of a recording became ready: its length; 0 if the account has paid for the same content.',
  },
  document_megabytes: {
    ...common,
    unit: 'MB',
    base: 'byte',
    perUnit: 2n ** 20n,
    label: 'Documents indexed',
    counted: 'A revision of a document became ready: its bytes; 0 if the account has paid for the same content.',
  },
  searches: {
    ...common,
    unit: 'search',
    base: 'count',
    perUnit: 1n,
    label: 'Searches',
    counted: 'A search, a request for related files or an answer was given, each page too; not in an empty library.',
  },
  dashboard_searches: {
    ...common,
    unit: 'search',
    base: 'count',
    perUnit: 1n,
    label: 'Dashboard searches (over allowance)',
    counted: 'A search was made in the dashboard. It also counts in `searches`.',
  },
  answers: {
    ...common,
    unit: 'answer',
    base: 'count',
    perUnit: 1n,
    label: 'Written answers',
    counted: 'A written answer was returned.',
  },
  index_gigabyte_months: {
    ...common,
    unit: 'GB-month',
    base: 'byte-day',
    perUnit: gigabyte,
    label: 'Content kept searchable',
    counted: "The account's day ended: the bytes of the passages of active revisions, over the days of the month.",
  },
  storage_gb_days: {
    ...common,
    unit: 'GB-day',
    base: 'byte-day',
    perUnit: gigabyte,
    label: 'Storage',
    dimension: 'region',
    counted: "The account's day ended: the bytes that each bucket keeps.",
  },
  delivery_gb: {
    ...common,
    unit: 'GB',
    base: 'byte',
    perUnit: gigabyte,
    label: 'Delivery',
    dimension: 'region_group',
    days: 'utc',
    counted: 'Bytes were delivered, also where the client went away.',
  },
  requests_millions: {
    ...common,
    unit: 'million',
    base: 'count',
    perUnit: million,
    label: 'Delivery requests',
    dimension: 'region_group',
    days: 'utc',
    counted: 'A delivery request was answered.',
  },
  upload_gb: {
    ...common,
    unit: 'GB',
    base: 'byte',
    perUnit: gigabyte,
    label: 'Uploads',
    dimension: 'region',
    counted: 'A client wrote bytes, by any door.',
  },
  custom_domain_days: {
    ...common,
    unit: 'day',
    base: 'count',
    perUnit: 1n,
    label: 'Custom domains',
    counted: 'A custom domain was active on a day.',
  },
  encoding_minutes: {
    ...common,
    unit: 'minute',
    base: 'millisecond',
    perUnit: 60_000n,
    label: 'Video encoding',
    dimension: 'region',
    counted: 'A video became ready: the length of its source; again after it was encoded again.',
  },
  gateway_egress_gb: {
    ...gateway,
    unit: 'GB',
    base: 'byte',
    perUnit: gigabyte,
    label: 'Storage API egress',
    counted: 'The storage API sent bytes of objects.',
  },
  gateway_write_requests_millions: {
    ...gateway,
    unit: 'million',
    base: 'count',
    perUnit: million,
    label: 'Storage API write requests',
    counted: 'The storage API answered a PUT or POST, but not with 401, 403 or 5xx.',
  },
  gateway_read_requests_millions: {
    ...gateway,
    unit: 'million',
    base: 'count',
    perUnit: million,
    label: 'Storage API read requests',
    counted: 'The storage API answered a GET or HEAD, lists too, but not with 401, 403 or 5xx.',
  },
} as const satisfies { readonly [metric: string]: MetricDefinition };

/** A metric of which usage is recorded. */
export type UsageMetric = keyof typeof usageMetrics;

/** Whether a word names a metric of which usage is recorded. */
export function isUsageMetric(word: string): word is UsageMetric {
  return Object.hasOwn(usageMetrics, word);
}

/** The names of all metrics, in the order of answers. */
export const usageMetricNames: readonly UsageMetric[] = Object.keys(usageMetrics).filter(isUsageMetric);

/** The definition of a metric. */
export function metricOf(metric: UsageMetric): MetricDefinition {
  return usageMetrics[metric];
}

/** Base units of one unit of a metric in a month with so many days: its quantity is the base units divided by them. */
export function baseUnitsPerUnit(metric: UsageMetric, daysInMonth: number): bigint {
  const { perUnit, unit } = metricOf(metric);
  return unit === 'GB-month' ? perUnit * BigInt(daysInMonth) : perUnit;
}
