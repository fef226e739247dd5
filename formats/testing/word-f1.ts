/**
 * Precision, recall and their harmonic mean over words (runs of letters and digits, without case), each counted as
 * often as it stands.
 */
export interface WordScores {
  precision: number;
  recall: number;
  f1: number;
}

function wordCounts(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const [word] of text.toLowerCase().matchAll(/[\p{L}\p{N}]+/gu)) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

/** Compares the words of a text with those of a reference. Two empty texts agree. */
export function wordScores(text: string, reference: string): WordScores {
  const found = wordCounts(text);
  const wanted = wordCounts(reference);
  const sum = (counts: Map<string, number>): number => [...counts.values()].reduce((total, count) => total + count, 0);
  let shared = 0;
  for (const [word, count] of found) shared += Math.min(count, wanted.get(word) ?? 0);
  const [ours, theirs] = [sum(found), sum(wanted)];
  const precision = ours === 0 ? Number(theirs === 0) : shared / ours;
  const recall = theirs === 0 ? Number(ours === 0) : shared / theirs;
  return { precision, recall, f1: precision + recall === 0 ? 0 : (2 * precision * recall) / (precision + recall) };
}
