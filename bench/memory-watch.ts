import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { familyMemory, type Memory } from './process-figures.ts';

/** A watch over the memory of a program. */
export interface MemoryWatch {
  /** Ends it: the most of each kind that was seen. */
  stop(): Promise<Memory>;
}

/**
 * Looks at the memory of a process and its descendants again and again, from a process of its own: a look takes some
 * milliseconds, and who measures how long answers take must not lose them.
 */
export function watchMemory(pid: number, everyMs: number): MemoryWatch {
  const watcher = fork(import.meta.filename, [String(pid), String(everyMs)], {
    execArgv: ['--disable-warning=ExperimentalWarning'],
  });
  return {
    stop: async () => {
      const seen = once(watcher, 'message');
      watcher.send('stop');
      const [most] = (await seen) as [Memory];
      return most;
    },
  };
}

async function watch(pid: number, everyMs: number): Promise<void> {
  const most: Memory = { all: 0, own: 0 };
  let isOver = false;
  process.once('message', () => {
    isOver = true;
  });
  // It ends with the bench, however that ends.
  process.on('disconnect', () => process.exit(0));
  while (!isOver) {
    const { all, own } = familyMemory(pid);
    most.all = Math.max(most.all, all);
    most.own = Math.max(most.own, own);
    await pause(everyMs);
  }
  process.send?.(most, () => process.disconnect());
}

if (import.meta.main) await watch(Number(process.argv[2]), Number(process.argv[3]));
