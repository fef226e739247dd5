import { dataType, type GraphValue } from '../../../../models/onnx/graph.ts';
import type { Ct2Weights } from './ct2-weights.ts';
import { layerCount, Layers, type Precision } from './layers.ts';
import { fourierKernel, frequencyBins, hopSamples, melFilters, windowSamples } from './spectrum.ts';

/**
 * The logarithmic mel spectrum of `sound`, [1, spectra, mels]: eight decades below the loudest value at most, shifted
 * and scaled as in training (`log_mel_spectrogram` in https://github.com/openai/whisper/blob/main/whisper/audio.py).
 * Behind the sound it is 0: with silence there, as in the original, the text of a short sound may end early.
 */
function spectrum(layers: Layers, mels: number): string {
  const { graph } = layers;
  const kernel = layers.floats('fourier', {
    shape: [2 * frequencyBins, 1, windowSamples],
    values: fourierKernel(),
  });
  const waves = graph.operator('Slice', [
    graph.operator('Conv', ['sound', kernel], { kernel_shape: [windowSamples], strides: [hopSamples] }),
    layers.integers(0),
    layers.integers(-1),
    layers.integers(2),
  ]);
  graph.operatorWithOutputs('Split', [waves], ['real', 'imaginary'], { axis: 1, num_outputs: 2 });
  const power = graph.operator('Add', [
    graph.operator('Mul', ['real', 'real']),
    graph.operator('Mul', ['imaginary', 'imaginary']),
  ]);
  const filters = layers.floats('mel_filters', { shape: [frequencyBins, mels], values: melFilters(mels) });
  const mel = graph.operator('MatMul', [graph.operator('Transpose', [power], { perm: [0, 2, 1] }), filters]);
  const logarithm = graph.operator('Mul', [
    graph.operator('Log', [graph.operator('Max', [mel, layers.scalar(1e-10)])]),
    layers.scalar(1 / Math.LN10),
  ]);
  const lowest = graph.operator('Sub', [graph.operator('ReduceMax', [logarithm], { keepdims: 0 }), layers.scalar(8)]);
  const scaled = graph.operator('Mul', [
    graph.operator('Add', [graph.operator('Max', [logarithm, lowest]), layers.scalar(4)]),
    layers.scalar(0.25),
  ]);
  const spectra = graph.operator('Squeeze', [graph.operator('Shape', [waves], { start: 2, end: 3 })]);
  const indexes = graph.operator('Range', [layers.integer(0), spectra, layers.integer(1)]);
  const within = graph.operator('Cast', [graph.operator('Less', [indexes, 'frames'])], { to: dataType.float });
  return graph.operator('Mul', [scaled, graph.operator('Unsqueeze', [within, layers.integers(1)])]);
}

function convolution(layers: Layers, input: string, name: string, stride: number): string {
  const convolved = layers.graph.operator(
    'Conv',
    [input, layers.stored(`${name}/weight`), layers.stored(`${name}/bias`)],
    { kernel_shape: [3], strides: [stride], pads: [1, 1] },
  );
  return layers.graph.operator('Gelu', [convolved]);
}

/**
 * The encoder as the bytes of an ONNX model. Inputs: `sound` [1, 1, samples + 400], at most 30 s of samples at 16 kHz
 * between -1 and 1 with 200 mirrored at each end; `frames` [1], how many of the spectra (10 ms each) hold sound.
 * Outputs for each layer l of the decoder: the keys `k<l>` [1, heads, size, positions] and values `v<l>` [1, heads,
 * positions, size] that it attends to, with a position for each 320 samples.
 */
export function encoderGraph(weights: Ct2Weights, precision: Precision): Uint8Array {
  const layers = new Layers(weights, precision);
  const { graph, width } = layers;
  const heads = weights.integer('encoder/num_heads');
  const [, mels = 0] = weights.shape('encoder/conv1/weight');
  const mel = graph.operator('Transpose', [spectrum(layers, mels)], { perm: [0, 2, 1] });
  const convolved = convolution(layers, convolution(layers, mel, 'encoder/conv1', 1), 'encoder/conv2', 2);
  let state = graph.operator('Add', [
    graph.operator('Transpose', [convolved], { perm: [0, 2, 1] }),
    graph.operator('Slice', [
      layers.stored('encoder/position_encodings/encodings'),
      layers.integers(0),
      graph.operator('Shape', [convolved], { start: 2, end: 3 }),
      layers.integers(0),
    ]),
  ]);
  for (let index = 0; index < layerCount(weights, 'encoder'); index++) {
    const name = `encoder/layer_${index}`;
    const projected = layers.linear(
      layers.norm(state, `${name}/self_attention/layer_norm`),
      `${name}/self_attention/linear_0`,
    );
    // In plain operators, the runtime would keep a matrix of positions by positions for each head.
    const attended = graph.contributedOperator('MultiHeadAttention', layers.split(projected, 3), { num_heads: heads });
    const joined = graph.operator('Add', [layers.linear(attended, `${name}/self_attention/linear_1`), state]);
    state = layers.feedForward(joined, `${name}/ffn`);
  }
  state = layers.norm(state, 'encoder/layer_norm');
  const size = width / heads;
  const outputs: GraphValue[] = [];
  for (let index = 0; index < layerCount(weights, 'decoder'); index++) {
    const parts = layers.split(layers.linear(state, `decoder/layer_${index}/attention/linear_1`), 2);
    const [keys = '', values = ''] = parts.map((part) =>
      graph.operator('Reshape', [part, layers.integers(1, -1, heads, size)]),
    );
    graph.operator('Transpose', [keys], { perm: [0, 2, 3, 1] }, `k${index}`);
    graph.operator('Transpose', [values], { perm: [0, 2, 1, 3] }, `v${index}`);
    outputs.push(
      { name: `k${index}`, type: dataType.float, shape: [1, heads, size, 'positions'] },
      { name: `v${index}`, type: dataType.float, shape: [1, heads, 'positions', size] },
    );
  }
  return graph.encode(
    [
      { name: 'sound', type: dataType.float, shape: [1, 1, 'samples'] },
      { name: 'frames', type: dataType.int64, shape: [1] },
    ],
    outputs,
  );
}
