import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseBertConfig } from './bert-config.ts';
import { buildBertModel, type Variant } from './bert-graph.ts';
import type { ModelManifest } from './manifest.ts';
import { readSafetensors } from './safetensors.ts';

/** The model that is brought along. */
const modelName = 'all-MiniLM-L6-v2';
/** Longer texts were not in its training: https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2 */
const maxTokens = 256;

function digestOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Readers see no file or the whole one. */
async function writeWhole(path: string, bytes: Uint8Array | string): Promise<void> {
  await writeFile(`${path}.new`, bytes, { flush: true });
  await rename(`${path}.new`, path);
}

/**
 * Makes an ONNX model of a Hugging Face BERT sentence encoder (config.json, model.safetensors, vocab.txt in
 * `modelFolder`), and writes model.onnx, vocab.txt and, last, model.json to `outputFolder`. Takes about a second.
 * The same input gives the same bytes. @throws Error where the model is of another kind or a file is missing.
 */
export async function convertModel(modelFolder: string, outputFolder: string, variant: Variant): Promise<void> {
  const [configuration, weights, vocabulary] = await Promise.all([
    readFile(join(modelFolder, 'config.json'), 'utf8'),
    readFile(join(modelFolder, 'model.safetensors')),
    readFile(join(modelFolder, 'vocab.txt')),
  ]);
  const config = parseBertConfig(configuration);
  const model = buildBertModel(config, readSafetensors(weights), variant);
  const manifest: ModelManifest = {
    name: modelName,
    variant,
    dimensions: config.hiddenSize,
    languages: ['en'],
    maxTokens,
    sha256: { model: digestOf(model), vocab: digestOf(vocabulary) },
  };
  await mkdir(outputFolder, { recursive: true });
  await writeWhole(join(outputFolder, 'model.onnx'), model);
  await writeWhole(join(outputFolder, 'vocab.txt'), vocabulary);
  await writeWhole(join(outputFolder, 'model.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}
