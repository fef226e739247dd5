/** Discounted cumulative gain of grades in their order: each grade over the binary logarithm of its place plus 1. */
function gainOf(grades: readonly number[]): number {
  return grades.reduce((sum, grade, index) => sum + grade / Math.log2(index + 2), 0);
}

/**
 * nDCG at `depth`: the gain of what was found over that of the best order. `judged` gives each judged document's grade;
 * those at 0 and below count nothing. Järvelin and Kekäläinen, ACM TOIS 2002. 0 where nothing is relevant.
 */
export function ndcg(found: readonly string[], judged: ReadonlyMap<string, number>, depth: number): number {
  const grade = (document: string): number => Math.max(0, judged.get(document) ?? 0);
  const best = [...judged.values()]
    .filter((value) => value > 0)
    .sort((one, other) => other - one)
    .slice(0, depth);
  return best.length === 0 ? 0 : gainOf(found.slice(0, depth).map(grade)) / gainOf(best);
}

/** The share of relevant documents that are among the first `depth` found; 0 where nothing is relevant. */
export function recall(found: readonly string[], judged: ReadonlyMap<string, number>, depth: number): number {
  const relevant = [...judged].filter(([, grade]) => grade > 0).map(([document]) => document);
  const first = new Set(found.slice(0, depth));
  return relevant.length === 0 ? 0 : relevant.filter((document) => first.has(document)).length / relevant.length;
}

/** The reciprocal of the rank of the first relevant one, from 1; 0 where none is among the first `depth`. */
export function reciprocalRank(found: readonly string[], judged: ReadonlyMap<string, number>, depth: number): number {
  const rank = found.slice(0, depth).findIndex((document) => (judged.get(document) ?? 0) > 0);
  return rank === -1 ? 0 : 1 / (rank + 1);
}
