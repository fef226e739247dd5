/** Tokens at the end of a text that are looked at: punctuation does not follow the sound. */
const lastTokens = 6;

/** The frame below which a row of attention of one head has half of its weight. */
function medianFrame(row: Float32Array): number {
  const half = row.reduce((sum, value) => sum + value, 0) / 2;
  let sum = 0;
  for (const [frame, value] of row.entries()) {
    sum += value;
    if (sum >= half) return frame;
  }
  return 0;
}

/**
 * The last frame of the sound that the model attended to while it wrote the end of a text; 0 without a text.
 * @param rows attention when each token of the text was chosen, [heads][frames]
 */
export function lastAttended(rows: readonly Float32Array[], heads: number): number {
  return rows.slice(-lastTokens).reduce((last, row) => {
    const frames = row.length / heads;
    const medians = Array.from({ length: heads }, (_, head) =>
      medianFrame(row.subarray(head * frames, (head + 1) * frames)),
    ).sort((one, other) => one - other);
    return Math.max(last, medians[Math.floor(heads / 2)] ?? 0);
  }, 0);
}
