import { parentPort, threadId } from 'node:worker_threads';
import type { Order, Ready, Vector } from './messages.ts';

/**
 * A thread body for tests. Its vectors are [length of the text, id of the thread, maximum concurrent texts]. The text
 * `die always` ends any thread, `die in thread 7` ends only thread 7, and a text that begins with `slow` takes 100 ms.
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
      throw new Error('this text ends the thread');
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
