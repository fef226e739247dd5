/** The target for a search; above it, Milvus should be used. */
const maxMilliseconds = 1000;

/** The p95 in milliseconds of unrestricted searches in an organization of this many passages. */
export interface Point {
  passages: number;
  p95: number;
}

/**
 * The number of passages at which the p95 is a second, interpolated between the measured points around it or
 * extrapolated from the last two. Null if the times do not grow.
 */
export function passagesAtSecond(points: readonly Point[]): { passages: number; isBetweenPoints: boolean } | null {
  const above = points.findIndex(({ p95 }) => p95 >= maxMilliseconds);
  const [from, to] = above === -1 ? points.slice(-2) : points.slice(Math.max(0, above - 1), Math.max(2, above + 1));
  if (from === undefined || to === undefined || to.p95 <= from.p95) return null;
  const passages = from.passages + ((maxMilliseconds - from.p95) * (to.passages - from.passages)) / (to.p95 - from.p95);
  return {
    passages: Math.max(0, passages),
    isBetweenPoints: from.p95 <= maxMilliseconds && maxMilliseconds <= to.p95,
  };
}
