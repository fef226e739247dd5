/** One labelled observation. */
export interface Observation {
  features: readonly number[];
  relevant: boolean;
  weight: number;
}

/** A fitted line: log odds are the intercept plus the features times their slopes. */
export interface Line {
  intercept: number;
  slopes: number[];
}

const steps = 30;
const ridge = 1e-3;

/** Solves a symmetric, positive definite system by elimination (which needs no exchange of rows then). */
function solve(matrix: readonly (readonly number[])[], right: readonly number[]): number[] {
  const size = right.length;
  const rows = matrix.map((row, index) => [...row, right[index] ?? 0]);
  for (const [column, pivot] of rows.entries()) {
    for (const row of rows.slice(column + 1)) {
      const factor = (row[column] ?? 0) / (pivot[column] ?? 1);
      for (let index = column; index <= size; index += 1) row[index] = (row[index] ?? 0) - factor * (pivot[index] ?? 0);
    }
  }
  const solution = new Array<number>(size).fill(0);
  for (let row = size - 1; row >= 0; row -= 1) {
    const known = solution.reduce(
      (sum, value, index) => (index > row ? sum + value * (rows[row]?.[index] ?? 0) : sum),
      0,
    );
    solution[row] = ((rows[row]?.[size] ?? 0) - known) / (rows[row]?.[row] ?? 1);
  }
  return solution;
}

/** Relevant and irrelevant observations weigh the same together, so that 0.5 means even evidence. */
function balanced(observations: readonly Observation[]): Observation[] {
  const total = (relevant: boolean): number =>
    observations.reduce((sum, one) => (one.relevant === relevant ? sum + one.weight : sum), 0);
  const sums = { relevant: total(true), other: total(false) };
  if (sums.relevant === 0 || sums.other === 0) throw new Error('a fit needs relevant and irrelevant observations');
  return observations.map((one) => ({
    ...one,
    weight: (one.weight * 0.5) / (one.relevant ? sums.relevant : sums.other),
  }));
}

/** Newton's steps for the chosen features, standardised; the ridge does not pull at the intercept. */
function newton(
  observations: readonly Observation[],
  chosen: readonly number[],
  scale: readonly { mean: number; deviation: number }[],
): number[] {
  const size = chosen.length + 1;
  const inputs = observations.map(({ features }) => [
    1,
    ...chosen.map((index) => ((features[index] ?? 0) - (scale[index]?.mean ?? 0)) / (scale[index]?.deviation ?? 1)),
  ]);
  const slopes = new Array<number>(size).fill(0);
  for (let step = 0; step < steps; step += 1) {
    const gradient: number[] = slopes.map((slope, index) => (index === 0 ? 0 : -ridge * slope));
    const curvature = slopes.map((_, row) =>
      slopes.map((__, column): number => (row === column && row > 0 ? ridge : 0)),
    );
    for (const [at, { relevant, weight }] of observations.entries()) {
      const input = inputs[at] ?? [];
      let logit = 0;
      for (let index = 0; index < size; index += 1) logit += (slopes[index] ?? 0) * (input[index] ?? 0);
      const probability = 1 / (1 + Math.exp(-logit));
      const pull = weight * ((relevant ? 1 : 0) - probability);
      const bend = weight * probability * (1 - probability);
      for (let row = 0; row < size; row += 1) {
        const value = input[row] ?? 0;
        gradient[row] = (gradient[row] ?? 0) + pull * value;
        const line = curvature[row] ?? [];
        for (let column = 0; column < size; column += 1)
          line[column] = (line[column] ?? 0) + bend * value * (input[column] ?? 0);
      }
    }
    const change = solve(curvature, gradient);
    for (let index = 0; index < size; index += 1) slopes[index] = (slopes[index] ?? 0) + (change[index] ?? 0);
    if (change.every((value) => Math.abs(value) < 1e-9)) break;
  }
  return slopes;
}

/**
 * Logistic regression by Newton's method with a small ridge. Slopes are kept at 0 or above (the most negative feature
 * is left out and the rest fitted again), because more evidence must never lower a grade.
 */
export function fitLine(all: readonly Observation[]): Line {
  const observations = balanced(all);
  const count = observations[0]?.features.length ?? 0;
  const scale = Array.from({ length: count }, (_, index) => {
    const mean = observations.reduce((sum, one) => sum + one.weight * (one.features[index] ?? 0), 0);
    const variance = observations.reduce((sum, one) => sum + one.weight * ((one.features[index] ?? 0) - mean) ** 2, 0);
    return { mean, deviation: variance > 1e-18 ? Math.sqrt(variance) : 1 };
  });
  let chosen = Array.from({ length: count }, (_, index) => index);
  for (;;) {
    const [intercept = 0, ...standard] = newton(observations, chosen, scale);
    const worst = standard.reduce((least, slope, at) => (slope < 0 && slope < (standard[least] ?? 0) ? at : least), -1);
    if (worst === -1) {
      const slopes = new Array<number>(count).fill(0);
      for (const [at, index] of chosen.entries()) slopes[index] = (standard[at] ?? 0) / (scale[index]?.deviation ?? 1);
      return {
        intercept: intercept - slopes.reduce((sum, slope, index) => sum + slope * (scale[index]?.mean ?? 0), 0),
        slopes,
      };
    }
    chosen = chosen.filter((_, at) => at !== worst);
  }
}
