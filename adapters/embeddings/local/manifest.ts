import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

/** What model.json says of the model in its folder. */
export interface ModelManifest {
  name: string;
  variant: string;
  /** Size of the vectors. */
  dimensions: number;
  /** Primary subtags of the languages it knows; null for a multilingual model. */
  languages: string[] | null;
  /** Word pieces that it reads of a text, the two marks at the ends included. */
  maxTokens: number;
  /** SHA-256 of the files, lower-case hex. */
  sha256: { model: string; vocab: string };
}

const hex = /^[0-9a-f]{64}$/;

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= 200;
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value > 0 && value <= 100_000;
}

/** Reads the text of a model.json. @throws Error that says what is wrong with it. */
export function parseManifest(json: string): ModelManifest {
  const parsed: unknown = JSON.parse(json);
  if (typeof parsed !== 'object' || parsed === null) throw new Error('model.json is no object');
  const fields: Readonly<Record<string, unknown>> = { ...parsed };
  const { name, variant, dimensions, languages, maxTokens, sha256 } = fields;
  if (!isText(name) || !isText(variant)) throw new Error('model.json needs a name and a variant');
  if (!isCount(dimensions) || !isCount(maxTokens) || maxTokens < 3)
    throw new Error('model.json needs dimensions and maxTokens');
  if (languages !== null && !(Array.isArray(languages) && languages.every(isText)))
    throw new Error('model.json needs languages, or null for all');
  const digests: Readonly<Record<string, unknown>> = { ...(typeof sha256 === 'object' ? sha256 : {}) };
  const { model, vocab } = digests;
  if (typeof model !== 'string' || typeof vocab !== 'string' || !hex.test(model) || !hex.test(vocab))
    throw new Error('model.json needs the SHA-256 of model and vocab');
  return { name, variant, dimensions, languages, maxTokens, sha256: { model, vocab } };
}

/** SHA-256 of a file, lower-case hex. */
async function digestOfFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path, { highWaterMark: 2 ** 20 }), hash);
  return hash.digest('hex');
}

/**
 * Reads and checks the manifest of a model folder, and that its files are the ones it names. @throws Error that says
 * what is wrong.
 */
export async function readModelFolder(folder: string): Promise<ModelManifest> {
  const manifest = parseManifest(await readFile(join(folder, 'model.json'), 'utf8'));
  const [model, vocab] = await Promise.all([
    digestOfFile(join(folder, 'model.onnx')),
    digestOfFile(join(folder, 'vocab.txt')),
  ]);
  if (model !== manifest.sha256.model)
    throw new Error('model.onnx is not the file that model.json names (its digest differs)');
  if (vocab !== manifest.sha256.vocab)
    throw new Error('vocab.txt is not the file that model.json names (its digest differs)');
  return manifest;
}

/** Fixes what the model's vectors mean: name, variant and the first 12 hex digits of its digest. */
export function modelId({ name, variant, sha256 }: ModelManifest): string {
  return `${name}:${variant}:${sha256.model.slice(0, 12)}`;
}
