import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { yieldThreadToRequests } from '../../../models/yield-to-requests.ts';
import type { Order, Ready, Setup, TextOrder, Vector } from './messages.ts';
import { WordPiece } from './word-piece.ts';

/** The body of one embedding thread: takes texts one by one, and answers each with its vector. */
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
  if (!(vector instanceof Float32Array) || vector.length !== dimensions) throw new Error(`the model answered no vector of ${dimensions} numbers`);
  return new Float32Array(vector);
}

async function answer(id: number, text: string): Promise<void> {
  const vector = await embed(text);
  const message: Vector = { kind: 'vector', id, vector };
  port?.postMessage(message, [vector.buffer]);
}

const waiting: TextOrder[] = [];
let running: Promise<void> | null = null;

/** Does what waits, one text at a time: queries first. What was sent meanwhile is seen between two texts. */
async function work(): Promise<void> {
  while (waiting.length > 0) {
    const query = waiting.findIndex(({ purpose }) => purpose === 'query');
    const [next] = waiting.splice(Math.max(0, query), 1);
    if (next !== undefined) await answer(next.id, next.text);
    await turn();
  }
  running = null;
}

port.on('message', (order: Order) => {
  if (order.kind === 'text') {
    waiting.push(order);
    if (running !== null) return;
    running = work();
    // A session that failed once is not trusted again: the thread ends, and its work goes to the one that replaces it.
    running.catch((error: unknown) => setImmediate(() => {
      throw error;
    }));
  } else {
    waiting.length = 0;
    // The thread ends by itself, once nothing runs: ending it from outside in the middle of a run brings the process down.
    void (running ?? Promise.resolve()).finally(async () => session.release()).finally(() => port.close());
  }
});

const ready: Ready = { kind: 'ready' };
port.postMessage(ready);
