/** What one request carries at most. */
export interface BatchLimits {
  texts: number;
  /** UTF-16 code units of all its texts. A single text that is longer is cut to it. */
  characters: number;
}

/** Cuts a list of texts into batches within the limits, in order. */
export function batchesOf(texts: readonly string[], limits: BatchLimits): string[][] {
  const batches: string[][] = [];
  let characters = 0;
  for (const text of texts) {
    const sent = text.length > limits.characters ? text.slice(0, limits.characters).replace(/[\ud800-\udbff]$/, '') : text;
    const batch = batches.at(-1);
    if (batch === undefined || batch.length >= limits.texts || characters + sent.length > limits.characters) {
      batches.push([sent]);
      characters = sent.length;
    } else {
      batch.push(sent);
      characters += sent.length;
    }
  }
  return batches;
}
