/** Ratio of the upper bounds of two adjacent buckets: the error of a median is at most 5 percent. */
const growth = 1.1;
/** 1.1^140 ms are ten minutes. */
const lastBucket = 140;

/** The key of a latency's bucket. */
export function latencyBucket(milliseconds: number): string {
  return `b${Math.min(lastBucket, Math.max(0, Math.ceil(Math.log(Math.max(milliseconds, 1e-9)) / Math.log(growth))))}`;
}

/**
 * The median latency from counts by bucket, in milliseconds with one decimal: the geometric middle of the bucket that
 * contains it. Null for no searches.
 */
export function medianOf(histogram: ReadonlyMap<string, number>): number | null {
  const buckets = [...histogram]
    .map(([name, count]) => ({ bucket: Number(name.slice(1)), count }))
    .sort((a, b) => a.bucket - b.bucket);
  const half = buckets.reduce((sum, { count }) => sum + count, 0) / 2;
  let seen = 0;
  for (const { bucket, count } of buckets) {
    seen += count;
    if (seen >= half) return Math.round(growth ** (bucket - 0.5) * 10) / 10;
  }
  return null;
}

/** A mean with one decimal; 0 for none. */
export function meanOf(sum: number, count: number): number {
  return count === 0 ? 0 : Math.round((sum / count) * 10) / 10;
}
