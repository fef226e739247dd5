/** Longest phrase that is searched for at the end of the tokens. */
const maxPhrase = 60;
/** Minimum frames for each token by which attention moves on if a speaker repeats himself: 50 frames a second. */
const minAdvance = 2.5;

/** How often a phrase of that many tokens must recur to count: short ones occur in speech. */
function minTimes(size: number): number {
  if (size === 1) return 8;
  return size < 4 ? 5 : 3;
}

/**
 * The phrase that the tokens end with again and again: its length in tokens, and how often. Null where there is none.
 */
export function repeatedPhrase(ids: readonly number[]): { size: number; times: number } | null {
  for (let size = 1; size <= maxPhrase; size++) {
    const times = minTimes(size);
    if (ids.length < size * times) continue;
    const tail = ids.slice(ids.length - size * times);
    if (tail.every((id, index) => index < size || id === tail[index - size])) return { size, times };
  }
  return null;
}

/** The frame that rows of attention ([heads][frames] each) are centred on. */
function centre(rows: readonly Float32Array[], frames: number): number {
  let sum = 0;
  let weight = 0;
  for (const row of rows) {
    row.forEach((value, index) => {
      sum += value * (index % frames);
      weight += value;
    });
  }
  return weight === 0 ? 0 : sum / weight;
}

/**
 * The number of tokens at the end that only repeat a phrase without following the sound; 0 for none. A model that has
 * lost the sound stays at one position in it; with a speaker who repeats himself, attention moves on.
 * @param rows attention when each token was written; the last row is that of the last token
 * @param frames frames of a row for one head
 */
export function stuckTokens(ids: readonly number[], rows: readonly Float32Array[], frames: number): number {
  const repeated = repeatedPhrase(ids);
  if (repeated === null) return 0;
  const { size, times } = repeated;
  const length = size * times;
  const last = centre(rows.slice(rows.length - size), frames);
  const first = centre(rows.slice(rows.length - length, rows.length - length + size), frames);
  return last - first < minAdvance * (length - size) ? length : 0;
}
