import { parentPort, threadId } from 'node:worker_threads';
import type { Order, Ready, Vector } from './messages.ts';

/**
 * A thread body for tests. It answers [length of the text, number of its thread, texts that it had at once, at most]. `die always` ends it, `die in thread 7` does so in that thread alone, and text that begins with `slow` takes a
 * tenth of a second.
 */
const port = parentPort;
if (port === null) throw new Error('this file is the body of a worker thread');

let [texts, max] = [0, 0];

port.on('message', (order: Order) => {
  if (order.kind === 'end') {
    port.close();
    return;
  }
  const { id, text } = order;
  texts += 1;
  max = Math.max(max, texts);
  if (text === 'die always' || (text.startsWith('die in thread') && text.endsWith(` ${threadId}`))) {
    setImmediate(() => {
      throw new Error('this text kills');
    });
    return;
  }
  setTimeout(
    () => {
      const answer: Vector = { kind: 'vector', id, vector: Float32Array.of(text.length, threadId, max) };
      texts -= 1;
      port.postMessage(answer);
    },
    text.startsWith('slow') ? 100 : 0,
  );
});

const ready: Ready = { kind: 'ready' };
port.postMessage(ready);
