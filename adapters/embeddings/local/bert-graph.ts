import { dataType, OnnxGraph } from '../../../models/onnx/graph.ts';
import { quantise, transpose } from '../../../models/onnx/quantisation.ts';
import type { BertConfig } from './bert-config.ts';
import type { TensorSource } from './safetensors.ts';

/** `fp32` keeps the weights; `int8` stores matrices as 8-bit integers and quantises activations at run time. */
export type Variant = 'int8' | 'fp32';

/** The layers of a BERT encoder, appended to a graph in order. */
class BertGraph {
  readonly graph = new OnnxGraph();
  readonly #config: BertConfig;
  readonly #weights: TensorSource;
  readonly #variant: Variant;
  /** Cache of quantised inputs: query, key and value share one. */
  readonly #quantised = new Set<string>();

  constructor(config: BertConfig, weights: TensorSource, variant: Variant) {
    this.#config = config;
    this.#weights = weights;
    this.#variant = variant;
  }

  #vector(name: string, length: number, factor = 1): string {
    return this.graph.constant(
      name,
      dataType.float,
      [length],
      this.#weights(name, [length]).values.map((value) => value * factor),
    );
  }

  norm(input: string, name: string, output?: string): string {
    const { hiddenSize, normEpsilon } = this.#config;
    const inputs = [input, this.#vector(`${name}.weight`, hiddenSize), this.#vector(`${name}.bias`, hiddenSize)];
    return this.graph.operator('LayerNormalization', inputs, { axis: -1, epsilon: { float: normEpsilon } }, output);
  }

  /** input * weights + bias, times `factor`. */
  linear(input: string, name: string, from: number, to: number, factor = 1): string {
    const { shape, values } = transpose(this.#weights(`${name}.weight`, [to, from]));
    const weights = { shape, values: factor === 1 ? values : values.map((value) => value * factor) };
    const product =
      this.#variant === 'int8'
        ? this.#integerProduct(input, name, quantise(weights, 'column'))
        : this.graph.operator('MatMul', [
            input,
            this.graph.constant(`${name}.weight`, dataType.float, shape, weights.values),
          ]);
    return this.graph.operator('Add', [product, this.#vector(`${name}.bias`, to, factor)]);
  }

  /** The product in 8-bit integers, rescaled, as onnxruntime's quantize_dynamic converts a MatMul. */
  #integerProduct(input: string, name: string, weights: ReturnType<typeof quantise>): string {
    const [integers, scale, zero] = [`${input}_integers`, `${input}_scale`, `${input}_zero`] as const;
    if (!this.#quantised.has(input))
      this.graph.operatorWithOutputs('DynamicQuantizeLinear', [input], [integers, scale, zero]);
    this.#quantised.add(input);
    const sum = this.graph.operator('MatMulInteger', [
      integers,
      this.graph.constant(`${name}.weight`, dataType.int8, weights.shape, weights.values),
      zero,
    ]);
    const scales = this.graph.operator('Mul', [
      scale,
      this.graph.constant(`${name}.scale`, dataType.float, [weights.scales.length], weights.scales),
    ]);
    return this.graph.operator('Mul', [this.graph.operator('Cast', [sum], { to: dataType.float }), scales]);
  }

  #lookup(name: string, rows: number, ids: string): string {
    const table = this.#weights(`embeddings.${name}.weight`, [rows, this.#config.hiddenSize]);
    if (this.#variant === 'fp32')
      return this.graph.operator('Gather', [this.graph.constant(name, dataType.float, table.shape, table.values), ids]);
    const { values, scales } = quantise(table, 'row');
    const rowsOf = this.graph.operator('Gather', [this.graph.constant(name, dataType.int8, table.shape, values), ids]);
    const scale = this.graph.operator('Gather', [
      this.graph.constant(`${name}.scale`, dataType.float, [rows, 1], scales),
      ids,
    ]);
    return this.graph.operator('Mul', [this.graph.operator('Cast', [rowsOf], { to: dataType.float }), scale]);
  }

  /** Word, token type and position embeddings; the position table is cut to the length of the batch. */
  embeddings(): string {
    const { vocabularySize, tokenTypes, positions, hiddenSize } = this.#config;
    const words = this.#lookup('word_embeddings', vocabularySize, 'input_ids');
    const types = this.#lookup('token_type_embeddings', tokenTypes, 'token_type_ids');
    const table = this.graph.constant(
      'positions',
      dataType.float,
      [positions, hiddenSize],
      this.#weights('embeddings.position_embeddings.weight', [positions, hiddenSize]).values,
    );
    const length = this.graph.operator('Shape', ['input_ids'], { start: 1, end: 2 });
    const positionRows = this.graph.operator('Slice', [
      table,
      this.graph.integers('start', 0),
      length,
      this.graph.integers('axis0', 0),
    ]);
    return this.norm(
      this.graph.operator('Add', [this.graph.operator('Add', [words, types]), positionRows]),
      'embeddings.LayerNorm',
    );
  }

  /** One encoder layer: self attention, then the wide feed-forward part, each with its residual and norm. */
  layer(input: string, index: number, names: { split: string; join: string; bias: string }, output?: string): string {
    const { hiddenSize, intermediateSize, heads } = this.#config;
    const layer = `encoder.layer.${index}`;
    const head = (name: string, perm: number[], factor = 1): string => {
      const projected = this.linear(input, `${layer}.attention.self.${name}`, hiddenSize, hiddenSize, factor);
      return this.graph.operator('Transpose', [this.graph.operator('Reshape', [projected, names.split])], { perm });
    };
    // The attention's 1/sqrt(size of a head) is folded into the query weights.
    const query = head('query', [0, 2, 1, 3], 1 / Math.sqrt(hiddenSize / heads));
    const key = head('key', [0, 2, 3, 1]);
    const value = head('value', [0, 2, 1, 3]);
    const scores = this.graph.operator('Add', [this.graph.operator('MatMul', [query, key]), names.bias]);
    const mixed = this.graph.operator('MatMul', [this.graph.operator('Softmax', [scores], { axis: -1 }), value]);
    const context = this.graph.operator('Reshape', [
      this.graph.operator('Transpose', [mixed], { perm: [0, 2, 1, 3] }),
      names.join,
    ]);
    const attended = this.linear(context, `${layer}.attention.output.dense`, hiddenSize, hiddenSize);
    const middle = this.norm(this.graph.operator('Add', [attended, input]), `${layer}.attention.output.LayerNorm`);
    const wide = this.graph.operator('Gelu', [
      this.linear(middle, `${layer}.intermediate.dense`, hiddenSize, intermediateSize),
    ]);
    const narrow = this.linear(wide, `${layer}.output.dense`, intermediateSize, hiddenSize);
    return this.norm(this.graph.operator('Add', [narrow, middle]), `${layer}.output.LayerNorm`, output);
  }

  /** Mean over the unmasked tokens, then unit length. */
  sentence(tokens: string, mask: string): void {
    const { graph } = this;
    const axis1 = graph.integers('axis1', 1);
    const weight = graph.operator('Unsqueeze', [mask, graph.integers('axis2', 2)]);
    const total = graph.operator('ReduceSum', [graph.operator('Mul', [tokens, weight]), axis1], { keepdims: 0 });
    const count = graph.operator('Max', [
      graph.operator('ReduceSum', [mask, axis1], { keepdims: 1 }),
      graph.scalar('least_count', 1e-9),
    ]);
    const mean = graph.operator('Div', [total, count]);
    const size = graph.operator('Max', [
      graph.operator('ReduceL2', [mean, axis1], { keepdims: 1 }),
      graph.scalar('least_size', 1e-12),
    ]);
    graph.operator('Div', [mean, size], {}, 'sentence_embedding');
  }
}

/**
 * A BERT sentence encoder (https://arxiv.org/abs/1810.04805; mean pooling as https://arxiv.org/abs/1908.10084) as the
 * bytes of an ONNX model. Inputs `input_ids`, `attention_mask`, `token_type_ids`: int64 [batch, seq]. Output
 * `sentence_embedding`: float [batch, hidden], of unit length.
 */
export function buildBertModel(config: BertConfig, weights: TensorSource, variant: Variant): Uint8Array {
  const { hiddenSize, heads, layers } = config;
  const bert = new BertGraph(config, weights, variant);
  const { graph } = bert;
  let tokens = bert.embeddings();
  // Padding gets -1e9 before the softmax, which is weight 0.
  const mask = graph.operator('Cast', ['attention_mask'], { to: dataType.float });
  const hidden = graph.operator('Mul', [
    graph.operator('Sub', [graph.scalar('one', 1), mask]),
    graph.scalar('minus', -1e9),
  ]);
  const names = {
    bias: graph.operator('Unsqueeze', [hidden, graph.integers('axes12', 1, 2)]),
    split: graph.integers('split', 0, 0, heads, hiddenSize / heads),
    join: graph.integers('join', 0, 0, hiddenSize),
  };
  for (let index = 0; index < layers; index++) tokens = bert.layer(tokens, index, names);
  bert.sentence(tokens, mask);
  const inputs = ['input_ids', 'attention_mask', 'token_type_ids'].map((name) => ({
    name,
    type: dataType.int64,
    shape: ['batch', 'seq'],
  }));
  return graph.encode(inputs, [{ name: 'sentence_embedding', type: dataType.float, shape: ['batch', hiddenSize] }]);
}
