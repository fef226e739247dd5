import { Worker } from 'node:worker_threads';
import type { Transferable } from 'node:worker_threads';
import { StoreUnavailable } from '../unavailable.ts';
import { failureOf } from './failure.ts';
import type { Answers, Failure, Told } from './messages.ts';

/** A worker thread that responds to each message once. */
export interface Thread<Value> {
  /** Number of messages without a response. */
  readonly busy: () => number;
  /** Whether the thread has ended. */
  readonly ended: () => boolean;
  /** @throws StoreUnavailable if the store or the thread fails */
  ask(message: (id: number) => object, transfer?: readonly Transferable[]): Promise<Value | null>;
}

/**
 * Starts a thread and waits until its connection is open.
 * @param tell is told what the thread says of its own accord, also before its connection is open
 */
export async function startThread<Value>(
  script: URL,
  setup: unknown,
  tell?: (told: Told) => void,
): Promise<Thread<Value>> {
  const worker = new Worker(script, { workerData: setup });
  const waiting = new Map<number, { resolve(value: Value | null): void; reject(error: Error): void }>();
  let lastId = 0;
  let over = false;
  worker.on('message', (answers: Answers<Value> | Told) => {
    if (!Array.isArray(answers)) {
      tell?.(answers);
      return;
    }
    for (const { id, value, failure } of answers) {
      const asked = waiting.get(id);
      waiting.delete(id);
      if (failure === null) asked?.resolve(value);
      else asked?.reject(errorOf(failure));
    }
  });
  function end(cause: unknown): void {
    over = true;
    for (const { reject } of waiting.values())
      reject(new StoreUnavailable('the thread of the passage index ended', { cause }));
    waiting.clear();
  }
  worker.on('error', end);
  worker.on('exit', (code) => end(new Error(`exit code ${code}`)));
  await new Promise<Value | null>((resolve, reject) => waiting.set(0, { resolve, reject }));
  return {
    busy: () => waiting.size,
    ended: () => over,
    ask: (message, transfer = []) =>
      new Promise((resolve, reject) => {
        if (over) {
          reject(new StoreUnavailable('the thread of the passage index ended'));
          return;
        }
        lastId += 1;
        waiting.set(lastId, { resolve, reject });
        worker.postMessage(message(lastId), transfer);
      }),
  };
}

/** Runs work that is faster than a message on the current thread. @throws StoreUnavailable if the store fails */
export function attempt<Value>(work: () => Value): Value {
  try {
    return work();
  } catch (error) {
    throw errorOf(failureOf(error));
  }
}

function errorOf(failure: Failure): Error {
  return failure.unavailable ? new StoreUnavailable(failure.message) : new Error(failure.message);
}
