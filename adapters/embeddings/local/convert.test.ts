import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { convertModel } from './convert.ts';
import { parseManifest, readModelFolder } from './manifest.ts';
import { smallModel, smallWeights, writeSmallModel } from './test-model.ts';
import { ThreadPool } from './thread-pool.ts';

const { hidden, layers, heads, wide, epsilon } = smallModel;
const weights = smallWeights();

function tensor(name: string): Float32Array {
  const found = weights.get(name);
  if (found === undefined) throw new Error(`no tensor ${name}`);
  return found.values;
}

const row = (values: Float32Array, index: number, size = hidden): number[] => [
  ...values.subarray(index * size, (index + 1) * size),
];
const plus = (one: number[], other: number[]): number[] => one.map((value, index) => value + (other[index] ?? 0));
const dot = (one: number[], other: number[]): number =>
  one.reduce((sum, value, index) => sum + value * (other[index] ?? 0), 0);

function linear(input: number[], name: string, to: number): number[] {
  const bias = tensor(`${name}.bias`);
  return Array.from(
    { length: to },
    (_, out) => dot(input, row(tensor(`${name}.weight`), out, input.length)) + (bias[out] ?? 0),
  );
}

function norm(input: number[], name: string): number[] {
  const mean = input.reduce((sum, value) => sum + value, 0) / hidden;
  const variance = input.reduce((sum, value) => sum + (value - mean) ** 2, 0) / hidden;
  return input.map(
    (value, index) =>
      ((value - mean) / Math.sqrt(variance + epsilon)) * (tensor(`${name}.weight`)[index] ?? 0) +
      (tensor(`${name}.bias`)[index] ?? 0),
  );
}

/** The error function to seven digits: https://personal.math.ubc.ca/~cbm/aands/page_299.htm (7.1.26). */
function erf(x: number): number {
  const t = 1 / (1 + 0.3275911 * Math.abs(x));
  const tail =
    ((((1.061405429 * t - 1.453152027) * t + 1.421413741) * t - 0.284496736) * t + 0.254829592) * t * Math.exp(-x * x);
  return Math.sign(x) * (1 - tail);
}

/** BERT with mean pooling, computed without optimizations. */
function referenceVector(ids: readonly number[]): number[] {
  const embedded = ids.map((id, i) =>
    plus(
      plus(
        row(tensor('embeddings.word_embeddings.weight'), id),
        row(tensor('embeddings.token_type_embeddings.weight'), 0),
      ),
      row(tensor('embeddings.position_embeddings.weight'), i),
    ),
  );
  let tokens = embedded.map((token) => norm(token, 'embeddings.LayerNorm'));
  for (let layer = 0; layer < layers; layer++) {
    const at = `encoder.layer.${layer}`;
    const [queries = [], keys = [], values = []] = ['query', 'key', 'value'].map((part) =>
      tokens.map((token) => linear(token, `${at}.attention.self.${part}`, hidden)),
    );
    const size = hidden / heads;
    tokens = tokens.map((token, i) => {
      const context = Array.from({ length: heads }, (_, head) => {
        const part = (vector: number[] = []): number[] => vector.slice(head * size, (head + 1) * size);
        const scores = keys.map((key) => Math.exp(dot(part(queries[i]), part(key)) / Math.sqrt(size)));
        const total = scores.reduce((sum, score) => sum + score, 0);
        return Array.from({ length: size }, (__, index) =>
          values.reduce((sum, value, other) => sum + ((scores[other] ?? 0) / total) * (part(value)[index] ?? 0), 0),
        );
      }).flat();
      const middle = norm(
        plus(linear(context, `${at}.attention.output.dense`, hidden), token),
        `${at}.attention.output.LayerNorm`,
      );
      const gelu = linear(middle, `${at}.intermediate.dense`, wide).map(
        (value) => (value / 2) * (1 + erf(value / Math.SQRT2)),
      );
      return norm(plus(linear(gelu, `${at}.output.dense`, hidden), middle), `${at}.output.LayerNorm`);
    });
  }
  const mean = Array.from(
    { length: hidden },
    (_, index) => tokens.reduce((sum, token) => sum + (token[index] ?? 0), 0) / tokens.length,
  );
  return mean.map((value) => value / Math.sqrt(dot(mean, mean)));
}

describe('the model converter', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'ply-convert-'));
    await writeSmallModel(join(folder, 'source'));
  });
  afterAll(async () => {
    await rm(folder, { recursive: true, force: true });
  });

  it.each([
    ['fp32', 1e-5],
    ['int8', 0.15],
  ] as const)('converts a model to %s whose vectors match the reference within %f', async (variant, tolerance) => {
    const target = join(folder, variant);
    await convertModel(join(folder, 'source'), target, variant);
    const manifest = await readModelFolder(target);
    expect(manifest).toMatchObject({ variant, dimensions: hidden, languages: ['en'], maxTokens: 256 });
    const pool = new ThreadPool(
      { folder: target, tokeniser: manifest.tokeniser, dimensions: hidden, maxTokens: manifest.maxTokens },
      1,
      () => undefined,
    );
    try {
      const [vector] = await pool.embed(['The cats sat on a mat.'], 'passage');
      const expected = referenceVector([2, 4, 5, 7, 6, 8, 9, 10, 11, 3]);
      const largest = Math.max(...expected.map((value, index) => Math.abs(value - (vector?.[index] ?? Number.NaN))));
      expect(largest).toBeLessThan(tolerance);
    } finally {
      await pool.close();
    }
  });

  it('produces identical output for identical input', async () => {
    const made = await Promise.all(
      ['once', 'twice'].map(async (name) => {
        await convertModel(join(folder, 'source'), join(folder, name), 'int8');
        return readFile(join(folder, name, 'model.json'), 'utf8');
      }),
    );
    expect(made[0]).toBe(made[1]);
  });

  it('rejects unsupported models and corrupt files', async () => {
    const broken = join(folder, 'broken');
    await writeSmallModel(broken);
    await writeFile(join(broken, 'model.safetensors'), 'nonsense that is long enough');
    await expect(convertModel(broken, join(folder, 'out'), 'fp32')).rejects.toThrow('safetensors');
    await writeFile(join(broken, 'config.json'), '{"model_type":"gpt2"}');
    await expect(convertModel(broken, join(folder, 'out'), 'fp32')).rejects.toThrow('BERT');
  });

  it('rejects a model folder whose files were modified', async () => {
    const target = join(folder, 'changed');
    await convertModel(join(folder, 'source'), target, 'fp32');
    await writeFile(join(target, 'vocab.txt'), 'other words');
    await expect(readModelFolder(target)).rejects.toThrow('vocab.txt');
    await writeFile(join(target, 'model.onnx'), 'other weights');
    await expect(readModelFolder(target)).rejects.toThrow('model.onnx');
    expect(() => parseManifest('{"name":"x"}')).toThrow('variant');
  });
});
