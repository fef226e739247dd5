import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

/** The files of a model folder, besides model.json. */
export const modelFiles = ['encoder.onnx', 'decoder.onnx', 'config.json', 'tokenizer.json', 'vad.onnx'] as const;

/** The name of a file in a model folder. */
export type ModelFile = (typeof modelFiles)[number];

/** Version of the graphs that the converter writes. Version 1 accepts only windows of 30 s. */
export const modelFormat = 2;

/** What model.json says of the speech model in its folder. */
export interface SpeechManifest {
  name: string;
  /** Version of the graphs, see `modelFormat`. */
  format: number;
  /** Primary subtags of the languages that it knows; null for a multilingual model. */
  languages: string[] | null;
  /** SHA-256 of the files, lower-case hex. */
  sha256: Readonly<Record<ModelFile, string>>;
}

const hex = /^[0-9a-f]{64}$/;

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Reads the text of a model.json. @throws Error that says what is wrong with it. */
export function parseSpeechManifest(json: string): SpeechManifest {
  const fields: unknown = JSON.parse(json);
  if (!isObject(fields)) throw new Error('model.json is no object');
  const { name, format = 1, languages, sha256 } = fields;
  if (typeof name !== 'string' || !/^[\x21-\x7e]{1,100}$/.test(name)) throw new Error('model.json needs a name');
  if (format !== 1 && format !== modelFormat) throw new Error('model.json has an unknown format');
  const areLanguages = (value: unknown): value is string[] =>
    Array.isArray(value) && value.every((language) => typeof language === 'string');
  if (languages !== null && !areLanguages(languages)) throw new Error('model.json needs languages, or null for all');
  const digestOf = (file: ModelFile): string => {
    const digest = isObject(sha256) ? sha256[file] : undefined;
    if (typeof digest !== 'string' || !hex.test(digest)) throw new Error(`model.json needs the SHA-256 of ${file}`);
    return digest;
  };
  return {
    name,
    format,
    languages,
    sha256: {
      'encoder.onnx': digestOf('encoder.onnx'),
      'decoder.onnx': digestOf('decoder.onnx'),
      'config.json': digestOf('config.json'),
      'tokenizer.json': digestOf('tokenizer.json'),
      'vad.onnx': digestOf('vad.onnx'),
    },
  };
}

/** SHA-256 of a file, lower-case hex. */
export async function digestOfFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path, { highWaterMark: 2 ** 20 }), hash);
  return hash.digest('hex');
}

/** Reads the manifest of a model folder. @throws Error where it is missing or malformed. */
export async function readSpeechManifest(folder: string): Promise<SpeechManifest> {
  return parseSpeechManifest(await readFile(join(folder, 'model.json'), 'utf8'));
}

/**
 * Checks that the files of a model folder are those of its manifest. @throws Error that names the first that is not.
 */
export async function checkSpeechFiles(folder: string, { sha256 }: SpeechManifest): Promise<void> {
  const digests = await Promise.all(modelFiles.map((file) => digestOfFile(join(folder, file))));
  modelFiles.forEach((file, index) => {
    if (digests[index] !== sha256[file])
      throw new Error(`${file} is not the file that model.json names (its digest differs)`);
  });
}

/** Name of the model with the first 12 hex digits of the digest of its weights. */
export function speechModelId({ name, sha256 }: SpeechManifest): string {
  const weights = createHash('sha256').update(`${sha256['encoder.onnx']} ${sha256['decoder.onnx']}`).digest('hex');
  return `${name}:${weights.slice(0, 12)}`;
}
