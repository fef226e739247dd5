/** A matrix or vector of 32-bit floats, row by row. */
export interface FloatTensor {
  shape: readonly number[];
  values: Float32Array;
}

/** 8-bit integers with one scale for each row or column: value = integer * scale. */
export interface QuantisedMatrix {
  shape: readonly number[];
  values: Int8Array;
  scales: Float32Array;
}

function sidesOf({ shape }: FloatTensor): [rows: number, columns: number] {
  const [rows, columns] = shape;
  if (rows === undefined || columns === undefined || shape.length !== 2) throw new Error('expected a matrix');
  return [rows, columns];
}

/** PyTorch keeps a linear layer as [out, in]; the MatMul of ONNX wants [in, out]. */
export function transpose(matrix: FloatTensor): FloatTensor {
  const [rows, columns] = sidesOf(matrix);
  const values = new Float32Array(matrix.values.length);
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++)
      values[column * rows + row] = matrix.values[row * columns + column] ?? 0;
  }
  return { shape: [columns, rows], values };
}

/**
 * Symmetric 8-bit quantisation: the largest magnitude of each row or column becomes `largest`. Weights take a scale for
 * each column (one output feature), look-up tables one for each row (one token).
 */
export function quantise(matrix: FloatTensor, by: 'row' | 'column', largest = 127): QuantisedMatrix {
  const [rows, columns] = sidesOf(matrix);
  const scales = new Float32Array(by === 'row' ? rows : columns);
  const slotOf = (index: number): number => (by === 'row' ? Math.floor(index / columns) : index % columns);
  matrix.values.forEach((value, index) => {
    const slot = slotOf(index);
    scales[slot] = Math.max(scales[slot] ?? 0, Math.abs(value) / largest);
  });
  const values = new Int8Array(matrix.values.length);
  matrix.values.forEach((value, index) => {
    const scale = scales[slotOf(index)] ?? 0;
    values[index] = scale === 0 ? 0 : Math.round(value / scale);
  });
  return { shape: matrix.shape, values, scales };
}
