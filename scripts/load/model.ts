/* A model of the cost of a search, fitted to the measurements of the bench. */

/** A measured point: searches over an organization's passages by readers who see a part of them. */
export interface SearchPoint {
  /** Passages of the organization. */
  passages: number;
  /** Those of them that the reader may see. */
  visible: number;
  /** Median milliseconds of a search with one client. */
  alone: number;
  /** CPU milliseconds of a search: cores divided by searches per second while eight clients keep all cores busy. */
  work: number;
}

/**
 * Milliseconds of a search: `fixed` + `perPassage` x passages of the organization + `perVisible` x passages that the
 * reader may see.
 */
export interface SearchCost {
  fixed: number;
  perPassage: number;
  perVisible: number;
}

/**
 * Share of the passages of the bench's library that belong to the searched organization (bench/search-library.ts puts
 * every other file into it).
 */
const shareOfOrganization = 0.5;

/** Reads the points of a library from bench/results.md. @throws if a figure of a point is missing */
export function searchPoints(results: string): SearchPoint[] {
  const names = [...results.matchAll(/^\| ([\d,]+) passages, principals see (\d+)%, 1 client: p50 \| ([\d.]+) ms/gm)];
  const cores = Number(/^## search\n\n[^\n]*?(\d+) cores/m.exec(results)?.[1]);
  return names.map(([, count = '', share = '', alone = '']) => {
    const rate = new RegExp(
      `^\\| ${count} passages, principals see ${share}%: answers a second, 8 clients \\| ([\\d.]+)`,
      'm',
    ).exec(results)?.[1];
    if (rate === undefined || Number.isNaN(cores))
      throw new Error(
        `bench/results.md has no answers per second for ${count} passages of which ${share}% are visible`,
      );
    const passages = Number(count.replaceAll(',', '')) * shareOfOrganization;
    return {
      passages,
      visible: (passages * Number(share)) / 100,
      alone: Number(alone),
      work: (cores * 1000) / Number(rate),
    };
  });
}

type Triple = [number, number, number];

/** Solves three linear equations by Cramer's rule. @throws if they have no unique solution */
function solve(rows: readonly [Triple, Triple, Triple], right: Triple): Triple {
  const determinant = ([a, b, c]: readonly [Triple, Triple, Triple]): number =>
    a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) + a[2] * (b[0] * c[1] - b[1] * c[0]);
  const whole = determinant(rows);
  if (whole === 0) throw new Error('the points do not determine the three costs');
  const replaced = (column: number): number =>
    determinant(
      [0, 1, 2].map((row) => rows[row]?.map((value, index) => (index === column ? (right[row] ?? 0) : value))) as [
        Triple,
        Triple,
        Triple,
      ],
    );
  return [replaced(0) / whole, replaced(1) / whole, replaced(2) / whole];
}

/**
 * Fits the cost by least squares of the relative errors, so that a small library counts as much as a large one. Needs
 * at least three points.
 */
export function fitCost(points: readonly SearchPoint[], measured: 'alone' | 'work'): SearchCost {
  const matrix: [Triple, Triple, Triple] = [
    [0, 0, 0],
    [0, 0, 0],
    [0, 0, 0],
  ];
  const right: Triple = [0, 0, 0];
  for (const point of points) {
    // Thousands of passages, so that the coefficients have similar sizes; each is divided by the measured value.
    const terms = [1, point.passages / 1000, point.visible / 1000].map((term) => term / point[measured]) as Triple;
    for (const row of [0, 1, 2] as const) {
      for (const column of [0, 1, 2] as const) matrix[row][column] += terms[row] * terms[column];
      right[row] += terms[row];
    }
  }
  const [fixed, thousandPassages, thousandVisible] = solve(matrix, right);
  return { fixed, perPassage: thousandPassages / 1000, perVisible: thousandVisible / 1000 };
}

/** Milliseconds of a search according to the model. */
export function costOf({ fixed, perPassage, perVisible }: SearchCost, passages: number, visible: number): number {
  return fixed + perPassage * passages + perVisible * visible;
}

/** A point and its prediction by the model that is fitted to the other points only. */
export interface Checked {
  point: SearchPoint;
  predicted: number;
  /** Relative error; 0.1 is ten percent too high. */
  error: number;
}

/** Leave-one-out check: predicts each point from the others. */
export function checkCost(points: readonly SearchPoint[], measured: 'alone' | 'work'): Checked[] {
  return points.map((point) => {
    const predicted = costOf(
      fitCost(
        points.filter((other) => other !== point),
        measured,
      ),
      point.passages,
      point.visible,
    );
    return { point, predicted, error: predicted / point[measured] - 1 };
  });
}
