/** Each bucket ends 10 percent above the one before: a median is off by 5 percent at most. */
const growth = 1.1;
/** 1.1^140 ms are ten minutes. */
const lastBucket = 140;

/** Name of the bucket that a search of so many milliseconds falls into. */
export function latencyBucket(milliseconds: number): string {
  return `b${Math.min(lastBucket, Math.max(0, Math.ceil(Math.log(Math.max(milliseconds, 1e-9)) / Math.log(growth))))}`;
}

/**
 * The median of searches that were counted by bucket, in milliseconds with one decimal: the middle (in proportion) of the
 * bucket in which it lies. Null of none.
 */
export function medianOf(histogram: ReadonlyMap<string, number>): number | null {
  const buckets = [...histogram].map(([name, count]) => ({ bucket: Number(name.slice(1)), count })).sort((a, b) => a.bucket - b.bucket);
  const half = buckets.reduce((sum, { count }) => sum + count, 0) / 2;
  let seen = 0;
  for (const { bucket, count } of buckets) {
    seen += count;
    if (seen >= half) return Math.round(growth ** (bucket - 0.5) * 10) / 10;
  }
  return null;
}
