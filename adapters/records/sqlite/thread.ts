import { Worker } from 'node:worker_threads';
import { DuplicateRecord, StoreUnavailable } from '../port.ts';
import type { Answer, AnswerValue, Greeting } from './messages.ts';

/**
 * Starts a thread of the store and waits until it has opened the file.
 * @param data handed to the thread
 * @throws Error with the thread's reason where it could not open the file
 */
export async function startThread(module: URL, data: { file: string }): Promise<Worker> {
  const worker = new Worker(module, { workerData: data });
  const greeting = await new Promise<Greeting>((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
  });
  if (!greeting.ready) throw new Error(`${data.file}: ${greeting.message}`);
  return worker;
}

/** Calls `onEnd` once when a thread ends, with its error or a general one. */
export function watchThread(worker: Worker, onEnd: (cause: Error) => void): void {
  worker.once('error', (error: unknown) => onEnd(error instanceof Error ? error : new Error(String(error))));
  worker.once('exit', () => onEnd(new Error('its thread has ended')));
}

/**
 * The value of an answer.
 * @param store file name for the message
 * @throws DuplicateRecord, StoreUnavailable, or Error where the request itself is wrong
 */
export function valueOf(answer: Answer | undefined, collection: string, store: string): AnswerValue {
  if (answer === undefined) throw new StoreUnavailable(store, { cause: new Error('an answer is missing') });
  if ('value' in answer) return answer.value;
  if (answer.failure === 'duplicate') throw new DuplicateRecord(collection, answer.message);
  if (answer.failure === 'store') throw new StoreUnavailable(store, { cause: new Error(answer.message) });
  throw new Error(`${collection}: ${answer.message}`);
}
