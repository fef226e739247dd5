import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { yieldThreadToRequests } from '../../../models/yield-to-requests.ts';
import type { Order, Ready, Setup, Vector } from './messages.ts';
import { vocabularyFiles } from './manifest.ts';
import { Unigram } from './unigram.ts';
import { readUnigram } from './unigram-file.ts';
import { WordPiece } from './word-piece.ts';

/** The body of an embedding thread: embeds one text at a time. */
const port = parentPort;
if (port === null) throw new Error('this file is the body of a worker thread');

const { folder, tokeniser: kind, dimensions, maxTokens, isForQueries } = workerData as Setup;

if (isForQueries !== true) yieldThreadToRequests();
const vocabulary = readFileSync(join(folder, vocabularyFiles[kind]));
const tokeniser =
  kind === 'wordpiece'
    ? new WordPiece(vocabulary.toString('utf8'))
    : // A copy, because a Buffer may be a part of a larger one.
      new Unigram(readUnigram(Uint8Array.from(vocabulary).buffer));
const session = await InferenceSession.create(join(folder, 'model.onnx'), {
  executionMode: 'sequential',
  graphOptimizationLevel: 'all',
  intraOpNumThreads: 1,
  interOpNumThreads: 1,
  // Spinning threads starve each other on machines with few cores.
  extra: { session: { intra_op: { allow_spinning: '0' }, inter_op: { allow_spinning: '0' } } },
});

async function embed(text: string): Promise<Float32Array<ArrayBuffer>> {
  const ids = tokeniser.encode(text, maxTokens);
  const shape = [1, ids.length];
  const values: Readonly<Record<string, () => BigInt64Array>> = {
    input_ids: () => BigInt64Array.from(ids, BigInt),
    attention_mask: () => new BigInt64Array(ids.length).fill(1n),
    token_type_ids: () => new BigInt64Array(ids.length),
  };
  // Models without padding and token types take only the ids.
  const inputs = session.inputNames.map((name): [string, Tensor] => {
    const value = values[name];
    if (value === undefined) throw new Error(`the model has an unknown input: ${name}`);
    return [name, new Tensor('int64', value(), shape)];
  });
  const output = await session.run(Object.fromEntries(inputs));
  const vector = output['sentence_embedding']?.data;
  if (!(vector instanceof Float32Array) || vector.length !== dimensions)
    throw new Error(`the model answered no vector of ${dimensions} numbers`);
  return new Float32Array(vector);
}

async function answer(id: number, text: string): Promise<void> {
  const vector = await embed(text);
  const message: Vector = { kind: 'vector', id, vector };
  port?.postMessage(message, [vector.buffer]);
}

let running: Promise<void> = Promise.resolve();

port.on('message', (order: Order) => {
  if (order.kind === 'text') {
    running = answer(order.id, order.text);
    // A failed session is not reused: the thread ends, and its replacement embeds the text.
    running.catch((error: unknown) =>
      setImmediate(() => {
        throw error;
      }),
    );
  } else {
    // Terminating a thread during an inference run crashes the process.
    void running.finally(async () => session.release()).finally(() => port.close());
  }
});

const ready: Ready = { kind: 'ready' };
port.postMessage(ready);
