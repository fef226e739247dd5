import { PieceTranscriber } from './piece-transcriber.ts';
import type { Answer, Order } from './messages.ts';

/** The body of a transcribing process: it holds the model of the given folder and transcribes one piece at a time. */
const [, , folder = ''] = process.argv;

/** A parent that has gone is no failure: this process ends with `disconnect`. */
function send(answer: Answer): void {
  process.send?.(answer, undefined, undefined, () => undefined);
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Samples between -1 and 1. */
const scaled = (samples: Int16Array): Float32Array => Float32Array.from(samples, (sample) => sample / 32_768);

async function answer(transcriber: PieceTranscriber, { id, samples, language, expected }: Order): Promise<void> {
  try {
    send({ kind: 'heard', id, transcript: await transcriber.transcribe(scaled(samples), { language, expected }) });
  } catch (error) {
    send({ kind: 'failed', id, reason: reasonOf(error) });
  }
}

process.on('disconnect', () => process.exit());
try {
  const transcriber = await PieceTranscriber.open(folder);
  let last = Promise.resolve();
  process.on('message', (order: Order) => {
    last = last.then(() => answer(transcriber, order));
  });
  send({ kind: 'ready' });
} catch (error) {
  send({ kind: 'unusable', reason: reasonOf(error) });
  process.disconnect();
}
