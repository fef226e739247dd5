import { dataType, OnnxGraph } from '../../../../models/onnx/graph.ts';
import { quantise, transpose, type FloatTensor } from '../../../../models/onnx/quantisation.ts';
import type { Ct2Weights } from './ct2-weights.ts';

/** `fp32` keeps the weights; `int7` stores matrices as integers of 7 bits and quantises activations as they come. */
export type Precision = 'fp32' | 'int7';

/**
 * Largest integer of a weight. With 8 bits, the sums of two products overflow on processors without VNNI (VPMADDUBSW of
 * AVX2 adds in 16 bits).
 */
const largestWeight = 63;

/** The layers that encoder and decoder share, written into one graph. */
export class Layers {
  readonly graph = new OnnxGraph({ format: 9, operators: 20, contributed: 1 });
  readonly weights: Ct2Weights;
  /** Numbers in the vector of each position. */
  readonly width: number;
  readonly #precision: Precision;
  readonly #constants = new Set<string>();

  constructor(weights: Ct2Weights, precision: Precision) {
    this.weights = weights;
    this.#precision = precision;
    this.width = weights.shape('encoder/position_encodings/encodings')[1] ?? 0;
  }

  #once(name: string, add: () => void): string {
    if (!this.#constants.has(name)) add();
    this.#constants.add(name);
    return name;
  }

  /** A constant list of integers. */
  integers(...values: number[]): string {
    const name = `integers_${values.join('_')}`;
    return this.#once(name, () => this.graph.integers(name, ...values));
  }

  /** A constant integer without dimensions. */
  integer(value: number): string {
    const name = `integer_${value}`;
    return this.#once(name, () => this.graph.constant(name, dataType.int64, [], BigInt64Array.of(BigInt(value))));
  }

  /** A constant number without dimensions. */
  scalar(value: number): string {
    const name = `scalar_${value}`;
    return this.#once(name, () => this.graph.scalar(name, value));
  }

  /** A constant tensor of floats. */
  floats(name: string, { shape, values }: FloatTensor): string {
    return this.#once(name, () => this.graph.constant(name, dataType.float, shape, values));
  }

  /** A tensor of the weights as a constant, unchanged. */
  stored(name: string): string {
    return this.floats(name, this.weights.floats(name));
  }

  /** input * weight, with the weight as [out, in]. */
  product(input: string, name: string, weight: FloatTensor, output?: string): string {
    const { graph } = this;
    if (this.#precision === 'fp32')
      return graph.operator('MatMul', [input, this.floats(name, transpose(weight))], {}, output);
    const { shape, values, scales } = quantise(transpose(weight), 'column', largestWeight);
    // One scale for all activations is exact enough where there is one row, as in the steps of the decoder.
    const [integers, scale, zero] = [`${name}_integers`, `${name}_activation`, `${name}_zero`] as const;
    graph.operatorWithOutputs('DynamicQuantizeLinear', [input], [integers, scale, zero]);
    const constant = this.#once(name, () => graph.constant(name, dataType.int8, shape, values));
    const sum = graph.operator('MatMulInteger', [integers, constant, zero]);
    const factors = this.floats(`${name}_scale`, { shape: [scales.length], values: scales });
    return graph.operator(
      'Mul',
      [graph.operator('Cast', [sum], { to: dataType.float }), graph.operator('Mul', [scale, factors])],
      {},
      output,
    );
  }

  /** input * weight + bias. */
  linear(input: string, name: string): string {
    const product = this.product(input, `${name}/weight`, this.weights.floats(`${name}/weight`));
    return this.graph.operator('Add', [product, this.stored(`${name}/bias`)]);
  }

  norm(input: string, name: string): string {
    return this.graph.operator(
      'LayerNormalization',
      [input, this.stored(`${name}/gamma`), this.stored(`${name}/beta`)],
      { axis: -1, epsilon: { float: 1e-5 } },
    );
  }

  /** Equal parts of the last axis. */
  split(input: string, parts: number): string[] {
    const outputs = Array.from({ length: parts }, (_, index) => `${input}_part${index}`);
    this.graph.operatorWithOutputs('Split', [input], outputs, { axis: -1, num_outputs: parts });
    return outputs;
  }

  /** The feed-forward part of a layer, with its residual. */
  feedForward(input: string, name: string): string {
    const wide = this.linear(this.norm(input, `${name}/layer_norm`), `${name}/linear_0`);
    return this.graph.operator('Add', [this.linear(this.graph.operator('Gelu', [wide]), `${name}/linear_1`), input]);
  }
}

/** Number of layers of the encoder or the decoder. */
export function layerCount(weights: Ct2Weights, part: 'encoder' | 'decoder'): number {
  let count = 0;
  while (weights.has(`${part}/layer_${count}/ffn/linear_0/weight`)) count++;
  return count;
}
