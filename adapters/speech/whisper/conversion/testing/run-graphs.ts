import { InferenceSession, Tensor } from 'onnxruntime-node';
import { Ct2Weights } from '../ct2-weights.ts';
import { decoderGraph } from '../decoder-graph.ts';
import { encoderGraph } from '../encoder-graph.ts';
import { hopSamples, windowSamples } from '../spectrum.ts';
import type { Precision } from '../layers.ts';
import { smallModel, smallWeights } from './weights.ts';

/** Runs the graphs of the small model, and prints what came out as JSON: the runtime needs a process without Jest. */
const { width, positions } = smallModel;
const samples = 2 * positions * hopSamples + windowSamples;
const followed = [
  [0, 1],
  [1, 0],
] as const;
const weights = new Ct2Weights(smallWeights());
const encoder = await InferenceSession.create(encoderGraph(weights, 'fp32'));

type Outputs = Readonly<Record<string, Tensor>>;

function numbers(outputs: Outputs, name: string): number[] {
  const data = outputs[name]?.data;
  if (!(data instanceof Float32Array)) throw new Error(`there is no output ${name}`);
  return [...data];
}

/** A tone that is `factor` as loud from sample `until` on, of which the first `frames` count. */
function encode(frames: number, until: number, factor: number, length = samples): Promise<Outputs> {
  const sound = Float32Array.from({ length }, (_, at) => 0.3 * Math.sin(at / 5) * (at < until ? 1 : factor));
  return encoder.run({
    sound: new Tensor('float32', sound, [1, 1, length]),
    frames: new Tensor('int64', BigInt64Array.of(BigInt(frames)), [1]),
  });
}

/** Reads tokens in steps. */
async function decode(precision: Precision, encoded: Outputs, steps: readonly number[][]) {
  const session = await InferenceSession.create(decoderGraph(weights, precision, followed));
  const past = new Map(Object.keys(encoded).map((name): [string, number[]] => [name, []]));
  const logits: number[] = [];
  const attention: number[][] = [];
  for (const ids of steps) {
    const feeds: Record<string, Tensor> = {
      ...encoded,
      ids: new Tensor('int64', BigInt64Array.from(ids, BigInt), [1, ids.length]),
    };
    for (const [name, values] of past)
      feeds[`p${name}`] = new Tensor('float32', Float32Array.from(values), [1, values.length / width, width]);
    const outputs = await session.run(feeds);
    for (const [name, values] of past) values.push(...numbers(outputs, `n${name}`));
    logits.push(...numbers(outputs, 'logits'));
    const rows = numbers(outputs, 'attention');
    for (let row = 0; row < rows.length; row += positions) attention.push(rows.slice(row, row + positions));
  }
  return { logits, attention };
}

const encoded = await encode(2 * positions, samples, 1);
/** The window of the last frame that counts ends here. */
const end = positions * hopSamples + windowSamples;
console.log(
  JSON.stringify({
    shapes: Object.fromEntries(Object.entries(encoded).map(([name, { dims }]) => [name, dims])),
    loudAfter: numbers(await encode(positions, end, 0.5), 'v1'),
    silentAfter: numbers(await encode(positions, end, 0), 'v1'),
    allCounted: numbers(await encode(2 * positions, end, 0.5), 'v1'),
    inShorterWindow: Object.fromEntries(
      Object.entries(await encode(positions, end, 0, positions * hopSamples + windowSamples)).map(
        ([name, { dims }]) => [name, dims],
      ),
    ),
    atOnce: await decode('fp32', encoded, [[3, 17, 5, 9]]),
    stepwise: await decode('fp32', encoded, [[3, 17], [5], [9]]),
    rounded: await decode('int7', encoded, [[3], [17], [5], [9]]),
  }),
);
