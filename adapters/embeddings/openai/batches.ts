/** Limits of one request. */
export interface BatchLimits {
  texts: number;
  /** Maximum total length of its texts in UTF-16 code units; a longer single text is truncated. */
  characters: number;
}

/** Cuts a list of texts into batches within the limits, in order. */
export function batchesOf(texts: readonly string[], limits: BatchLimits): string[][] {
  const batches: string[][] = [];
  let characters = 0;
  for (const text of texts) {
    const sent =
      text.length > limits.characters ? text.slice(0, limits.characters).replace(/[\ud800-\udbff]$/, '') : text;
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
