import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { yieldThreadToRequests } from '../../../models/yield-to-requests.ts';
import type { Order, Ready, Setup, Vector } from './messages.ts';
import { WordPiece } from './word-piece.ts';

/** The body of an embedding thread: embeds one text at a time. */
const port = parentPort;
if (port === null) throw new Error('this file is the body of a worker thread');

const { folder, dimensions, maxTokens, isForQueries } = workerData as Setup;

if (isForQueries !== true) yieldThreadToRequests();
const tokeniser = new WordPiece(readFileSync(join(folder, 'vocab.txt'), 'utf8'));
const session = await InferenceSession.create(join(folder, 'model.onnx'), {
  executionMode: 'sequential',
  graphOptimizationLevel: 'all',
  intraOpNumThreads: 1,
  interOpNumThreads: 1,
  // Threads that spin for work starve each other where cores are few.
  extra: { session: { intra_op: { allow_spinning: '0' }, inter_op: { allow_spinning: '0' } } },
});

async function embed(text: string): Promise<Float32Array<ArrayBuffer>> {
  const ids = tokeniser.encode(text, maxTokens);
  const shape = [1, ids.length];
  const output = await session.run({
    input_ids: new Tensor('int64', BigInt64Array.from(ids, BigInt), shape),
    attention_mask: new Tensor('int64', new BigInt64Array(ids.length).fill(1n), shape),
    token_type_ids: new Tensor('int64', new BigInt64Array(ids.length), shape),
  });
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
    // A session that failed is not trusted again: the thread ends, and its replacement embeds the text.
    running.catch((error: unknown) =>
      setImmediate(() => {
        throw error;
      }),
    );
  } else {
    // Ending a thread from outside in the middle of a run crashes the process.
    void running.finally(async () => session.release()).finally(() => port.close());
  }
});

const ready: Ready = { kind: 'ready' };
port.postMessage(ready);
