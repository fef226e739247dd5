/** The candidates of one query. */
export interface Ranking {
  /** Features of each candidate. */
  features: readonly (readonly number[])[];
  /** Whether each is relevant. */
  relevant: readonly boolean[];
  /** All groups of queries have the same total weight. */
  group: string;
}

const steps = 500;
const ridge = 1e-3;

/** One list, ready for the fit: standardised features, the mean of its relevant ones, and its weight. */
interface Prepared {
  rows: readonly (readonly number[])[];
  wanted: readonly number[];
  weight: number;
}

function meanOf(rows: readonly (readonly number[])[], count: number): number[] {
  return Array.from(
    { length: count },
    (_, index) => rows.reduce((sum, row) => sum + (row[index] ?? 0), 0) / Math.max(1, rows.length),
  );
}

/** Deviations of the features around the mean of their own query: only what differs within a query orders. */
function deviationsOf(rankings: readonly Ranking[], count: number): number[] {
  const squares = new Array<number>(count).fill(0);
  let rows = 0;
  for (const { features } of rankings) {
    const mean = meanOf(features, count);
    rows += features.length;
    for (const row of features)
      for (let index = 0; index < count; index += 1)
        squares[index] = (squares[index] ?? 0) + ((row[index] ?? 0) - (mean[index] ?? 0)) ** 2;
  }
  return squares.map((sum) => Math.sqrt(sum / Math.max(1, rows)) || 1);
}

function prepared(rankings: readonly Ranking[], scale: readonly number[]): Prepared[] {
  const groups = new Map<string, number>();
  for (const { group } of rankings) groups.set(group, (groups.get(group) ?? 0) + 1);
  return rankings.map(({ features, relevant, group }) => {
    const rows = features.map((row) => row.map((value, index) => value / (scale[index] ?? 1)));
    return {
      rows,
      wanted: meanOf(
        rows.filter((_, at) => relevant[at]),
        scale.length,
      ),
      weight: 1 / ((groups.get(group) ?? 1) * groups.size),
    };
  });
}

/** Loss (with the ridge) and its slopes. */
function lossOf(lists: readonly Prepared[], slopes: readonly number[]): { loss: number; gradient: number[] } {
  const gradient = slopes.map((slope) => 2 * ridge * slope);
  let loss = slopes.reduce((sum, slope) => sum + ridge * slope * slope, 0);
  for (const { rows, wanted, weight } of lists) {
    const scores = rows.map((row) => row.reduce((sum, value, index) => sum + value * (slopes[index] ?? 0), 0));
    const highest = Math.max(...scores);
    const shares = scores.map((score) => Math.exp(score - highest));
    const total = shares.reduce((sum, share) => sum + share, 0);
    loss +=
      weight *
      (highest + Math.log(total) - wanted.reduce((sum, value, index) => sum + value * (slopes[index] ?? 0), 0));
    for (let index = 0; index < slopes.length; index += 1) {
      const expected = rows.reduce((sum, row, at) => sum + (shares[at] ?? 0) * (row[index] ?? 0), 0) / total;
      gradient[index] = (gradient[index] ?? 0) + weight * (expected - (wanted[index] ?? 0));
    }
  }
  return { loss, gradient };
}

/**
 * Slopes at or above 0 that rank relevant candidates first within their query: the minimum cross entropy between the
 * softmax of a query's scores and its relevant candidates in equal shares (ListNet; Cao, Qin, Liu, Tsai and Li, ICML
 * 2007), with a small ridge. Unlike a fit of candidates one by one it does not spend its slopes on telling queries
 * apart. The loss is convex; steps along the gradient that keep to slopes of 0 and more, longer as long as the loss
 * falls.
 */
export function fitOrder(all: readonly Ranking[], count: number): number[] {
  const rankings = all.filter(({ relevant }) => relevant.includes(true) && relevant.includes(false));
  if (rankings.length === 0) throw new Error('an order is fitted to queries with relevant and other candidates');
  const scale = deviationsOf(rankings, count);
  const lists = prepared(rankings, scale);
  let slopes = new Array<number>(count).fill(0.3);
  let now = lossOf(lists, slopes);
  let length = 1;
  for (let step = 0; step < steps; step += 1) {
    let next = slopes;
    let then = now;
    for (; length > 1e-6; length /= 2) {
      next = slopes.map((slope, index) => Math.max(0, slope - length * (now.gradient[index] ?? 0)));
      then = lossOf(lists, next);
      if (then.loss < now.loss) break;
    }
    const fall = now.loss - then.loss;
    [slopes, now] = [next, then];
    if (fall < 1e-9) break;
    length *= 3;
  }
  return slopes.map((slope, index) => slope / (scale[index] ?? 1));
}
