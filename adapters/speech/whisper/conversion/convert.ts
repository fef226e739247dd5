import { createHash } from 'node:crypto';
import { copyFile, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseWhisperConfig } from '../config.ts';
import { digestOfFile, modelFiles, modelFormat } from '../manifest.ts';
import { Ct2Weights } from './ct2-weights.ts';
import { decoderGraph } from './decoder-graph.ts';
import { encoderGraph } from './encoder-graph.ts';

/** What a model is made of. */
export interface ConversionSource {
  /** Name that the model gets. */
  name: string;
  /** Files that contain model.bin of CTranslate2, one part after the other. */
  weights: readonly string[];
  /** SHA-256 of the whole model.bin, lower-case hex; null if it is not known. */
  sha256: string | null;
  /** Folder with config.json and tokenizer.json. */
  folder: string;
  /** The voice activity detector, an ONNX model. */
  detector: string;
}

/** Readers see no file or the whole one. */
async function writeWhole(path: string, bytes: Uint8Array | string): Promise<void> {
  await writeFile(`${path}.new`, bytes, { flush: true });
  await rename(`${path}.new`, path);
}

/**
 * Makes ONNX models of a Whisper model in CTranslate2's format, and writes encoder.onnx (32-bit floats), decoder.onnx
 * (integers of 7 bits), config.json, tokenizer.json, vad.onnx and, last, model.json to `output`. The base model takes 5
 * to 10 s and up to 1 GB of memory. The same input gives the same bytes. The encoder keeps floats because quantised
 * activations of a whole piece of sound lose words in noise; the decoder reads one token at a time and loses nothing.
 * @throws Error where the weights have another digest or format, or a file is missing.
 */
export async function convertWhisper(source: ConversionSource, output: string): Promise<void> {
  const file = Buffer.concat(await Promise.all(source.weights.map((path) => readFile(path))));
  const digest = createHash('sha256').update(file).digest('hex');
  if (source.sha256 !== null && digest !== source.sha256)
    throw new Error(`the weights have another digest than the one known: ${digest}`);
  const weights = new Ct2Weights(file);
  if (weights.specification !== 'WhisperSpec') throw new Error(`the weights are a ${weights.specification}`);
  const config = parseWhisperConfig(await readFile(join(source.folder, 'config.json'), 'utf8'));
  await mkdir(output, { recursive: true });
  await writeWhole(join(output, 'encoder.onnx'), encoderGraph(weights, 'fp32'));
  await writeWhole(join(output, 'decoder.onnx'), decoderGraph(weights, 'int7', config.alignmentHeads));
  for (const name of ['config.json', 'tokenizer.json']) await copyFile(join(source.folder, name), join(output, name));
  await copyFile(source.detector, join(output, 'vad.onnx'));
  const digests = await Promise.all(modelFiles.map((name) => digestOfFile(join(output, name))));
  const sha256 = Object.fromEntries(modelFiles.map((name, index) => [name, digests[index]]));
  const manifest = { name: source.name, format: modelFormat, languages: null, sha256 };
  await writeWhole(join(output, 'model.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}
