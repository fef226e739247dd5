/** Frames over which attention is smoothed with a median. */
const medianWidth = 7;

/** Attention of the followed heads while tokens were read. */
export interface Attention {
  /** One row for each token, [heads][frames]. */
  rows: readonly Float32Array[];
  heads: number;
  /** Frames in a row of one head; the sound takes the first `used` of them. */
  frames: number;
  used: number;
}

/** Each frame of a head normalised over the tokens: mean 0, deviation 1. */
function normalised({ rows, frames, used }: Attention, head: number): Float32Array[] {
  const mean = new Float64Array(used);
  const variance = new Float64Array(used);
  const at = (row: Float32Array, frame: number): number => row[head * frames + frame] ?? 0;
  for (const row of rows) for (let frame = 0; frame < used; frame++) mean[frame] = (mean[frame] ?? 0) + at(row, frame);
  for (let frame = 0; frame < used; frame++) mean[frame] = (mean[frame] ?? 0) / rows.length;
  for (const row of rows)
    for (let frame = 0; frame < used; frame++)
      variance[frame] = (variance[frame] ?? 0) + (at(row, frame) - (mean[frame] ?? 0)) ** 2 / rows.length;
  return rows.map((row) =>
    Float32Array.from(
      { length: used },
      (_, frame) => (at(row, frame) - (mean[frame] ?? 0)) / (Math.sqrt(variance[frame] ?? 0) || 1),
    ),
  );
}

/** A running median, mirrored at the ends. */
export function medianFiltered(values: Float32Array, width = medianWidth): Float32Array {
  const half = (width - 1) / 2;
  const around = new Float32Array(width);
  return values.map((_, at) => {
    for (let offset = -half; offset <= half; offset++) {
      let index = Math.abs(at + offset);
      if (index >= values.length) index = Math.max(0, 2 * values.length - 2 - index);
      around[offset + half] = values[index] ?? 0;
    }
    return around.toSorted()[half] ?? 0;
  });
}

/** How a path of the warping reaches a cell. */
const step = { both: 0, row: 1, column: 2 } as const;

/**
 * The first column of each row on the cheapest way from the first row and column to the last ones, by steps of one row,
 * one column or both: dynamic time warping (H. Sakoe, S. Chiba, "Dynamic programming algorithm optimization for spoken
 * word recognition", IEEE Transactions on Acoustics, Speech and Signal Processing 26, 1978). `costs` are rows of equal
 * length.
 */
export function warp(costs: readonly Float32Array[]): number[] {
  const columns = costs[0]?.length ?? 0;
  const steps = costs.map(() => new Uint8Array(columns));
  let above = new Float64Array(columns + 1).fill(Infinity);
  above[0] = 0;
  costs.forEach((row, index) => {
    const total = new Float64Array(columns + 1).fill(Infinity);
    for (let column = 0; column < columns; column++) {
      const [both, ofRow, ofColumn] = [
        above[column] ?? Infinity,
        above[column + 1] ?? Infinity,
        total[column] ?? Infinity,
      ];
      const least = Math.min(both, ofRow, ofColumn);
      const way = both < ofRow && both < ofColumn ? step.both : ofRow < ofColumn ? step.row : step.column;
      const chosen = steps[index];
      if (chosen !== undefined) chosen[column] = way;
      total[column + 1] = (row[column] ?? 0) + least;
    }
    above = total;
  });
  const starts = costs.map(() => 0);
  let row = costs.length - 1;
  let column = columns - 1;
  while (row >= 0 && column >= 0) {
    starts[row] = column;
    const way = steps[row]?.[column] ?? step.both;
    if (way !== step.column) row--;
    if (way !== step.row) column--;
  }
  return starts;
}

/**
 * The frame at which each token begins, for the rows from `skip` on: where the decoder looked while it wrote them
 * (`timing.py` of https://github.com/openai/whisper). Rows before belong to the prompt and only take part in the
 * normalisation.
 */
export function tokenFrames(attention: Attention, skip: number): number[] {
  const { rows, heads, used } = attention;
  const costs = rows.slice(skip).map(() => new Float32Array(used));
  for (let head = 0; head < heads; head++) {
    normalised(attention, head)
      .slice(skip)
      .forEach((row, index) => {
        const cost = costs[index];
        medianFiltered(row).forEach((value, frame) => {
          if (cost !== undefined) cost[frame] = (cost[frame] ?? 0) - value / heads;
        });
      });
  }
  return warp(costs);
}
