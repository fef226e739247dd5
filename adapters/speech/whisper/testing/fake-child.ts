import { setTimeout as pause } from 'node:timers/promises';
import type { Answer, Order } from '../messages.ts';

/**
 * A transcribing process for tests, whose folder says what to do. It hears one word, which names its process, the
 * number of samples, the language and the variables of its environment.
 */
const [, , folder = ''] = process.argv;
const send = (answer: Answer): void => {
  process.send?.(answer, undefined, undefined, () => undefined);
};

process.on('disconnect', () => process.exit());
process.on('message', (order: Order) => void answer(order));

async function answer({ id, samples, language }: Order): Promise<void> {
  if (folder.endsWith('crashing')) process.exit(3);
  if (folder.endsWith('greedy')) {
    const taken = Buffer.alloc(300 * 2 ** 20, 1);
    await pause(60_000);
    samples[0] = taken[0] ?? 0;
  }
  if (folder.endsWith('slow')) await pause(60_000);
  if (folder.endsWith('failing')) {
    send({ kind: 'failed', id, reason: 'this sound fails' });
    return;
  }
  await pause(50);
  const text = ` ${process.pid}-${samples.length}-${language}-${Object.keys(process.env).join()}`;
  send({ kind: 'heard', id, transcript: { language: 'en', words: [{ text, start: 0, end: 1, confidence: 1 }] } });
}

if (folder.endsWith('unusable')) send({ kind: 'unusable', reason: 'no model' });
else send({ kind: 'ready' });
