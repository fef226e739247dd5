/** The value below which a share of the values lies (nearest rank). NaN without values. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(sorted.length * share) - 1))] ?? Number.NaN;
}

/** The median. */
export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

/** Milliseconds with their significant digits. */
export function milliseconds(value: number): string {
  return `${value.toFixed(value < 10 ? 2 : 1)} ms`;
}

/** A ratio, such as 1.23x. */
export function ratio(value: number): string {
  return `${value.toFixed(2)}x`;
}
