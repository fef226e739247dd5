/** A search of an organization should be answered within a second: from there on Milvus should take over. */
const maxMilliseconds = 1000;

/** p95 in milliseconds of searches that may find everything, in an organization of so many passages. */
export interface Point {
  passages: number;
  p95: number;
}

/**
 * Passages at which the p95 would be a second: on the line between the measured points around it, or on that through
 * the last two where none was as slow. Null where the times do not grow.
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
