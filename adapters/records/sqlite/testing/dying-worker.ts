import { parentPort } from 'node:worker_threads';

/* A worker that greets as the store's do and dies of the first thing it is asked. */
parentPort?.on('message', (asked: unknown) => {
  if (asked === 'close') parentPort?.close();
  else throw new Error('the worker died');
});
parentPort?.postMessage({ ready: true });
