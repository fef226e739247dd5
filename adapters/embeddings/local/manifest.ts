import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

/** The content of model.json. */
export interface ModelManifest {
  name: string;
  variant: string;
  /** Size of the vectors. */
  dimensions: number;
  /** Primary subtags of the supported languages; null for a multilingual model. */
  languages: string[] | null;
  /** Maximum tokens of a text, including the start and end tokens. */
  maxTokens: number;
  /** The tokeniser. `wordpiece` reads vocab.txt, `unigram` reads vocab.bin. */
  tokeniser: Tokeniser;
  /** The prefix that the model expects before a text, by purpose. */
  prefixes: { query: string; passage: string };
  /** SHA-256 of the files, lower-case hex. `words`: a word table outside of model.onnx, in words.bin. */
  sha256: { model: string; vocab: string; words?: string };
}

/** A kind of tokeniser. */
export type Tokeniser = 'wordpiece' | 'unigram';

/** The vocabulary file, by tokeniser. */
export const vocabularyFiles: Readonly<Record<Tokeniser, string>> = { wordpiece: 'vocab.txt', unigram: 'vocab.bin' };

const hex = /^[0-9a-f]{64}$/;

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= 200;
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value > 0 && value <= 100_000;
}

function isDigest(value: unknown): value is string {
  return typeof value === 'string' && hex.test(value);
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function digestsIn(value: unknown): ModelManifest['sha256'] {
  const { model, vocab, words } = fieldsOf(value);
  if (!isDigest(model) || !isDigest(vocab)) throw new Error('model.json needs the SHA-256 of model and vocab');
  if (words === undefined) return { model, vocab };
  if (!isDigest(words)) throw new Error('model.json has a SHA-256 of words that is none');
  return { model, vocab, words };
}

/** Manifests of the first version have neither field. */
function readingIn(fields: Readonly<Record<string, unknown>>): Pick<ModelManifest, 'tokeniser' | 'prefixes'> {
  const { tokeniser = 'wordpiece', prefixes = { query: '', passage: '' } } = fields;
  if (tokeniser !== 'wordpiece' && tokeniser !== 'unigram') throw new Error('model.json has an unknown tokeniser');
  const { query, passage } = fieldsOf(prefixes);
  if (typeof query !== 'string' || typeof passage !== 'string')
    throw new Error('model.json has prefixes without query or passage');
  return { tokeniser, prefixes: { query, passage } };
}

/** Parses a model.json. @throws Error with the reason if it is invalid */
export function parseManifest(json: string): ModelManifest {
  const parsed: unknown = JSON.parse(json);
  if (typeof parsed !== 'object' || parsed === null) throw new Error('model.json is no object');
  const fields = fieldsOf(parsed);
  const { name, variant, dimensions, languages, maxTokens, sha256 } = fields;
  if (!isText(name) || !isText(variant)) throw new Error('model.json needs a name and a variant');
  if (!isCount(dimensions) || !isCount(maxTokens) || maxTokens < 3)
    throw new Error('model.json needs dimensions and maxTokens');
  if (languages !== null && !(Array.isArray(languages) && languages.every(isText)))
    throw new Error('model.json needs languages, or null for all');
  return { name, variant, dimensions, languages, maxTokens, ...readingIn(fields), sha256: digestsIn(sha256) };
}

/** SHA-256 of a file, lower-case hex. */
async function digestOfFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path, { highWaterMark: 2 ** 20 }), hash);
  return hash.digest('hex');
}

/**
 * Reads and validates the manifest of a model folder, and verifies the digests of its files. @throws Error with the
 * reason
 */
export async function readModelFolder(folder: string): Promise<ModelManifest> {
  const manifest = parseManifest(await readFile(join(folder, 'model.json'), 'utf8'));
  const { model, vocab, words } = manifest.sha256;
  const files: [string, string][] = [
    ['model.onnx', model],
    [vocabularyFiles[manifest.tokeniser], vocab],
    ...(words === undefined ? [] : [['words.bin', words] satisfies [string, string]]),
  ];
  const found = await Promise.all(files.map(([name]) => digestOfFile(join(folder, name))));
  files.forEach(([name, digest], index) => {
    if (found[index] !== digest) throw new Error(`${name} is not the file that model.json names (its digest differs)`);
  });
  return manifest;
}

/**
 * Identifies the vector space of the model: name, variant and the first 12 hex digits of the digest of its weights,
 * which are those of model.onnx, and of words.bin if there is one.
 */
export function modelId({ name, variant, sha256: { model, words } }: ModelManifest): string {
  const weights = words === undefined ? model : createHash('sha256').update(`${model} ${words}`).digest('hex');
  return `${name}:${variant}:${weights.slice(0, 12)}`;
}
