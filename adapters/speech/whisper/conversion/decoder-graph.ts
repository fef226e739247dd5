import { dataType, type GraphValue } from '../../../../models/onnx/graph.ts';
import type { Ct2Weights } from './ct2-weights.ts';
import { layerCount, Layers, type Precision } from './layers.ts';

/** An attention head whose weights follow the sound: its layer, and its index in the layer. */
export type AlignmentHead = readonly [layer: number, head: number];

/** Keeps a token from attending to later ones. */
const hidden = -1e9;

class DecoderGraph extends Layers {
  readonly heads = this.weights.integer('decoder/num_heads');
  readonly size = this.width / this.heads;
  readonly precision: Precision;

  constructor(weights: Ct2Weights, precision: Precision) {
    super(weights, precision);
    this.precision = precision;
  }

  /** [1, n, width] as [1, n, heads, size]. */
  parted(input: string): string {
    return this.graph.operator('Reshape', [input, this.integers(1, -1, this.heads, this.size)]);
  }

  /** [1, heads, n, size] as [1, n, width]. */
  together(input: string): string {
    const turned = this.graph.operator('Transpose', [input], { perm: [0, 2, 1, 3] });
    return this.graph.operator('Reshape', [turned, this.integers(1, -1, this.width)]);
  }

  /** Scaled queries, [1, heads, n, size]. */
  query(input: string): string {
    const turned = this.graph.operator('Transpose', [this.parted(input)], { perm: [0, 2, 1, 3] });
    return this.graph.operator('Mul', [turned, this.scalar(1 / Math.sqrt(this.size))]);
  }

  /**
   * The vectors of the tokens `ids`. The table is also the last layer's weight, which `product` adds: rows are looked
   * up as columns where it is stored as [in, out].
   */
  tokens(): string {
    const { graph } = this;
    const columns = graph.operator('Transpose', [graph.operator('Gather', ['words', 'ids'], { axis: 1 })], {
      perm: [1, 2, 0],
    });
    if (this.precision === 'fp32') return columns;
    const scale = graph.operator('Gather', ['words_scale', 'ids']);
    return graph.operator('Mul', [
      graph.operator('Cast', [columns], { to: dataType.float }),
      graph.operator('Unsqueeze', [scale, this.integers(2)]),
    ]);
  }

  /** What a layer adds by attending to the tokens before, with its keys and values as outputs. */
  selfAttention(state: string, index: number, mask: string): string {
    const { graph } = this;
    const name = `decoder/layer_${index}/self_attention`;
    const parts = this.split(this.linear(this.norm(state, `${name}/layer_norm`), `${name}/linear_0`), 3);
    const [query = '', key = '', value = ''] = parts;
    graph.operator('Identity', [key], {}, `nk${index}`);
    graph.operator('Identity', [value], {}, `nv${index}`);
    const all = (past: string, part: string, perm: number[]): string =>
      graph.operator('Transpose', [this.parted(graph.operator('Concat', [past, part], { axis: 1 }))], { perm });
    const scores = graph.operator('Add', [
      graph.operator('MatMul', [this.query(query), all(`pk${index}`, key, [0, 2, 3, 1])]),
      mask,
    ]);
    const attended = graph.operator('MatMul', [
      graph.operator('Softmax', [scores], { axis: -1 }),
      all(`pv${index}`, value, [0, 2, 1, 3]),
    ]);
    return this.linear(this.together(attended), `${name}/linear_1`);
  }

  /** What a layer adds by attending to the sound, and the weights of its heads, [1, heads, n, positions]. */
  crossAttention(state: string, index: number): { added: string; weights: string } {
    const { graph } = this;
    const name = `decoder/layer_${index}/attention`;
    const query = this.query(this.linear(this.norm(state, `${name}/layer_norm`), `${name}/linear_0`));
    const weights = graph.operator('Softmax', [graph.operator('MatMul', [query, `k${index}`])], { axis: -1 });
    const attended = graph.operator('MatMul', [weights, `v${index}`]);
    return { added: this.linear(this.together(attended), `${name}/linear_2`), weights };
  }

  /** Adds `hidden` to the scores of later tokens: rows for the tokens read, columns for all until then. */
  mask(before: string, until: string): string {
    const { graph } = this;
    const range = (from: string, to: string): string =>
      graph.operator('Range', [graph.operator('Squeeze', [from]), graph.operator('Squeeze', [to]), this.integer(1)]);
    const rows = graph.operator('Unsqueeze', [range(before, until), this.integers(1)]);
    const later = graph.operator('Less', [rows, range(this.integers(0), until)]);
    return graph.operator('Mul', [graph.operator('Cast', [later], { to: dataType.float }), this.scalar(hidden)]);
  }
}

/** The inputs and outputs of a graph with that many layers. */
function interfaceOf(decoder: DecoderGraph, count: number, words: number, followed: number) {
  const { heads, size, width } = decoder;
  const float = (name: string, shape: readonly (number | string)[]): GraphValue => ({
    name,
    type: dataType.float,
    shape,
  });
  const layers = Array.from({ length: count }, (_, index) => index);
  return {
    inputs: [
      { name: 'ids', type: dataType.int64, shape: [1, 'n'] },
      ...layers.flatMap((index) => [
        float(`pk${index}`, [1, 'p', width]),
        float(`pv${index}`, [1, 'p', width]),
        float(`k${index}`, [1, heads, size, 'positions']),
        float(`v${index}`, [1, heads, 'positions', size]),
      ]),
    ],
    outputs: [
      float('logits', [1, 'n', words]),
      float('attention', [followed, 'n', 'positions']),
      ...layers.flatMap((index) => [float(`nk${index}`, [1, 'n', width]), float(`nv${index}`, [1, 'n', width])]),
    ],
  };
}

/**
 * The decoder as the bytes of an ONNX model. Inputs: `ids` [1, n]; `k<l>`, `v<l>` of the encoder; `pk<l>`, `pv<l>`
 * [1, p, width], keys and values of the tokens before. Outputs: `logits` [1, n, words]; `nk<l>`, `nv<l>` [1, n, width],
 * keys and values of these tokens, to be appended to those before; `attention` [followed heads, n, positions], where in
 * the sound each token attended to.
 */
export function decoderGraph(
  weights: Ct2Weights,
  precision: Precision,
  followed: readonly AlignmentHead[],
): Uint8Array {
  const decoder = new DecoderGraph(weights, precision);
  const { graph } = decoder;
  const count = layerCount(weights, 'decoder');
  const length = graph.operator('Shape', ['ids'], { start: 1, end: 2 });
  const before = graph.operator('Shape', ['pk0'], { start: 1, end: 2 });
  const until = graph.operator('Add', [length, before]);
  const table = decoder.stored('decoder/position_encodings/encodings');
  const positionRows = graph.operator('Slice', [table, before, until, decoder.integers(0)]);
  let state = graph.operator('Add', [decoder.tokens(), positionRows]);
  const mask = decoder.mask(before, until);
  const attention: string[] = [];
  for (let index = 0; index < count; index++) {
    state = graph.operator('Add', [decoder.selfAttention(state, index, mask), state]);
    const { added, weights: attended } = decoder.crossAttention(state, index);
    for (const [layer, head] of followed)
      if (layer === index) attention.push(graph.operator('Gather', [attended, decoder.integers(head)], { axis: 1 }));
    state = graph.operator('Add', [added, state]);
    state = decoder.feedForward(state, `decoder/layer_${index}/ffn`);
  }
  const together = graph.operator('Concat', attention, { axis: 1 });
  graph.operator('Squeeze', [together, decoder.integers(0)], {}, 'attention');
  const words = weights.floats('decoder/embeddings/weight');
  decoder.product(decoder.norm(state, 'decoder/layer_norm'), 'words', words, 'logits');
  const { inputs, outputs } = interfaceOf(decoder, count, words.shape[0] ?? 0, followed.length);
  return graph.encode(inputs, outputs);
}
