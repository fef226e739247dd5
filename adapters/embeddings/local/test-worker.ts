import { parentPort, threadId } from 'node:worker_threads';
import type { Order, Ready, Vector } from './messages.ts';

/**
 * A thread body for tests. It answers [length of the text, number of its thread]. `die always` ends it, `die in thread 7`
 * does so in that thread alone, and text that begins with `slow` takes a tenth of a second.
 */
const port = parentPort;
if (port === null) throw new Error('this file is the body of a worker thread');

port.on('message', (order: Order) => {
  if (order.kind === 'end') {
    port.close();
    return;
  }
  const { id, text } = order;
  if (text === 'die always' || (text.startsWith('die in thread') && text.endsWith(` ${threadId}`))) {
    setImmediate(() => {
      throw new Error('this text kills');
    });
    return;
  }
  const answer: Vector = { kind: 'vector', id, vector: Float32Array.of(text.length, threadId) };
  setTimeout(() => port.postMessage(answer), text.startsWith('slow') ? 100 : 0);
});

const ready: Ready = { kind: 'ready' };
port.postMessage(ready);
