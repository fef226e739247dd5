import { setTimeout as pause } from 'node:timers/promises';
import { systemRuntime } from '../../../models/runtime.ts';
import type { StoredFiles } from './stored-files.ts';

/** Numbers of clients that change and that download at the same time, and the longest pause between two requests. */
const [changing, downloading, maxPauseMs] = [4, 4, 150];

/** Changes and downloads files until it is told to end; then waits for what has begun. */
export function runClients(library: StoredFiles): { end(): Promise<void> } {
  let isRunning = true;
  const run = async (work: () => Promise<void>): Promise<void> => {
    while (isRunning) {
      await work().catch((error: unknown) => library.fault(String(error)));
      await pause(systemRuntime.random() * maxPauseMs);
    }
  };
  const clients = [
    ...Array.from({ length: changing }, () => run(() => library.changeAny())),
    ...Array.from({ length: downloading }, () => run(() => library.downloadAny())),
  ];
  return {
    end: async () => {
      isRunning = false;
      await Promise.all(clients);
    },
  };
}
