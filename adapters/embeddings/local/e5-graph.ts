import { dataType, OnnxGraph } from '../../../models/onnx/graph.ts';
import { quantise, transpose, type FloatTensor } from '../../../models/onnx/quantisation.ts';
import { blockSize, type BlockMatrix, type E5Package } from './e5-package.ts';

/** Largest magnitude of a weight: products of 8-bit integers do not overflow then on processors without VNNI. */
const largestWeight = 63;
/** Bytes to which parts of the file with the word table are aligned, so that they can be mapped. */
const mappedAt = 65_536;
/** The minimum versions that support 4-bit integers. */
const versions = { format: 10, operators: 21, contributed: 1 };

/** An ONNX model, and the file with its word table that lies next to it. */
export interface E5Model {
  model: Uint8Array;
  words: Uint8Array;
}

/** The weights as floats, [rows, columns]. */
function dequantised({ rows, columns, values, scales }: BlockMatrix): FloatTensor {
  const floats = new Float32Array(values.length);
  for (let index = 0; index < floats.length; index += 1)
    floats[index] = ((values[index] ?? 0) - 8) * (scales[Math.floor(index / blockSize)] ?? 0);
  return { shape: [rows, columns], values: floats };
}

/** Signed 4-bit integers, two in each byte, the first in the low half. */
function packedIntegers({ values }: BlockMatrix): Uint8Array {
  const packed = new Uint8Array(values.length / 2);
  for (let index = 0; index < packed.length; index += 1)
    packed[index] = (((values[2 * index] ?? 0) - 8) & 15) | ((((values[2 * index + 1] ?? 0) - 8) & 15) << 4);
  return packed;
}

function concatenated(parts: readonly Float32Array[]): Float32Array {
  const all = new Float32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** The layers of the encoder, appended to a graph in order. */
class E5Graph {
  readonly graph = new OnnxGraph(versions);
  readonly #package: E5Package;
  readonly #split: number;

  constructor(from: E5Package) {
    this.#package = from;
    this.#split = from.shape.hiddenSize;
  }

  #floats(name: string, values: Float32Array, shape: readonly number[] = [values.length]): string {
    return this.graph.constant(name, dataType.float, shape, values);
  }

  norm(input: string, name: string): string {
    const { hiddenSize, normEpsilon } = this.#package.shape;
    const inputs = ['w', 'b'].map((part) =>
      this.#floats(`${name}.${part}`, this.#package.vector(`${name}.${part}`, hiddenSize)),
    );
    return this.graph.operator('LayerNormalization', [input, ...inputs], { axis: -1, epsilon: { float: normEpsilon } });
  }

  /**
   * Linear layers side by side in one product of 8-bit integers. `to` is the width of one of them. `byToken` first
   * divides each token's values by their largest magnitude: where a few tokens are far larger than the others, one
   * scale for all would leave the others a few steps.
   */
  linear(input: string, parts: readonly string[], from: number, to: number, byToken = false): string {
    const { graph } = this;
    const name = parts.join('+');
    const weights = concatenated(parts.map((part) => dequantised(this.#package.matrix(`${part}.w`, to, from)).values));
    const { shape, values, scales } = quantise(
      transpose({ shape: [to * parts.length, from], values: weights }),
      'column',
      largestWeight,
    );
    const largest = byToken ? this.#largestByToken(input) : null;
    const scaled = largest === null ? input : graph.operator('Div', [input, largest]);
    const [integers, scale, zero] = [`${name}_integers`, `${name}_scale`, `${name}_zero`] as const;
    graph.operatorWithOutputs('DynamicQuantizeLinear', [scaled], [integers, scale, zero]);
    const sum = graph.operator('MatMulInteger', [
      integers,
      graph.constant(`${name}.w`, dataType.int8, shape, values),
      zero,
    ]);
    const factors = graph.operator('Mul', [scale, this.#floats(`${name}.s`, scales)]);
    const product = graph.operator('Mul', [graph.operator('Cast', [sum], { to: dataType.float }), factors]);
    const bias = concatenated(parts.map((part) => this.#package.vector(`${part}.b`, to)));
    return graph.operator('Add', [
      largest === null ? product : graph.operator('Mul', [product, largest]),
      this.#floats(`${name}.b`, bias),
    ]);
  }

  #largestByToken(input: string): string {
    const { graph } = this;
    const magnitudes = graph.operator('Abs', [input]);
    const largest = graph.operator('ReduceMax', [magnitudes, 'last_axis'], { keepdims: 1 });
    return graph.operator('Max', [largest, 'least_magnitude']);
  }

  /** The word table in a separate file, then the sum of word, position and token type 0. */
  embeddings(): { tokens: string; words: Uint8Array } {
    const { graph } = this;
    const { vocabularySize, hiddenSize, positions, tokenTypes } = this.#package.shape;
    const table = this.#package.matrix('emb.word', vocabularySize, hiddenSize);
    const integers = packedIntegers(table);
    const scalesAt = Math.ceil(integers.length / mappedAt) * mappedAt;
    const words = new Uint8Array(scalesAt + table.scales.byteLength);
    words.set(integers);
    words.set(new Uint8Array(table.scales.buffer), scalesAt);
    const file = { location: 'words.bin' };
    const rows = graph.contributedOperator(
      'GatherBlockQuantized',
      [
        graph.externalConstant('words', dataType.int4, [vocabularySize, hiddenSize], {
          ...file,
          offset: 0,
          length: integers.length,
        }),
        'input_ids',
        graph.externalConstant('words.s', dataType.float, [vocabularySize, hiddenSize / blockSize], {
          ...file,
          offset: scalesAt,
          length: table.scales.byteLength,
        }),
      ],
      { gather_axis: 0, quantize_axis: 1, block_size: blockSize },
    );
    const type = this.#package.vector('emb.type', tokenTypes * hiddenSize);
    const positionRows = this.#package
      .vector('emb.pos', positions * hiddenSize)
      .map((value, index) => value + (type[index % hiddenSize] ?? 0));
    const length = graph.operator('Shape', ['input_ids'], { start: 1, end: 2 });
    const cut = graph.operator('Slice', [
      this.#floats('places', positionRows, [positions, hiddenSize]),
      graph.integers('start', 0),
      length,
      graph.integers('axis0', 0),
    ]);
    return { tokens: this.norm(graph.operator('Add', [rows, cut]), 'emb.ln'), words };
  }

  /** One encoder layer: self attention, then the wide feed-forward part, each with its residual and norm. */
  layer(input: string, index: number): string {
    const { graph } = this;
    const { heads, intermediateSize } = this.#package.shape;
    const size = this.#split;
    const at = `l${index}`;
    const parts = ['q', 'k', 'v'].map((part) => `${at}.${part}`);
    const outputs = parts.map((part) => `${part}_out`);
    graph.operatorWithOutputs('Split', [this.linear(input, parts, size, size)], outputs, { axis: -1, num_outputs: 3 });
    const context = graph.contributedOperator('MultiHeadAttention', outputs, { num_heads: heads });
    const attended = this.linear(context, [`${at}.ao`], size, size);
    const middle = this.norm(graph.operator('Add', [attended, input]), `${at}.aln`);
    const wide = graph.operator('Gelu', [this.linear(middle, [`${at}.fi`], size, intermediateSize)]);
    const narrow = this.linear(wide, [`${at}.fo`], intermediateSize, size, true);
    return this.norm(graph.operator('Add', [narrow, middle]), `${at}.oln`);
  }

  /** Mean over all tokens, then unit length. */
  sentence(tokens: string): void {
    const { graph } = this;
    const axis = graph.integers('axis1', 1);
    const mean = graph.operator('ReduceMean', [tokens, axis], { keepdims: 0 });
    const length = graph.operator('Max', [
      graph.operator('ReduceL2', [mean, axis], { keepdims: 1 }),
      graph.scalar('least_size', 1e-12),
    ]);
    graph.operator('Div', [mean, length], {}, 'sentence_embedding');
  }
}

/**
 * A multilingual E5 sentence encoder (https://arxiv.org/abs/2402.05672) as the bytes of an ONNX model and of the file
 * with its word table. Input `input_ids`: int64 [1, seq], without padding. Output `sentence_embedding`: float
 * [1, hidden], of unit length. Matrices become 8-bit integers; the word table keeps its 4 bits.
 */
export function buildE5Model(from: E5Package): E5Model {
  const { hiddenSize, layers } = from.shape;
  const encoder = new E5Graph(from);
  const { graph } = encoder;
  graph.integers('last_axis', -1);
  graph.scalar('least_magnitude', 1e-9);
  const { tokens: embedded, words } = encoder.embeddings();
  let tokens = embedded;
  for (let index = 0; index < layers; index += 1) tokens = encoder.layer(tokens, index);
  encoder.sentence(tokens);
  const model = graph.encode(
    [{ name: 'input_ids', type: dataType.int64, shape: ['batch', 'seq'] }],
    [{ name: 'sentence_embedding', type: dataType.float, shape: ['batch', hiddenSize] }],
  );
  return { model, words };
}
