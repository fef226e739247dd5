import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { treeMemory, type Memory } from './process-figures.ts';

/** Samples the memory of a program. */
export interface MemoryWatch {
  /** Stops it and returns the maxima. */
  stop(): Promise<Memory>;
}

/**
 * Samples the memory of a process and its descendants from a separate process, because a sample takes some
 * milliseconds, which would distort response times.
 */
export function watchMemory(pid: number, everyMs: number): MemoryWatch {
  const watcher = fork(import.meta.filename, [String(pid), String(everyMs)], {
    execArgv: ['--disable-warning=ExperimentalWarning'],
  });
  return {
    stop: async () => {
      const message = once(watcher, 'message');
      watcher.send('stop');
      const [peak] = (await message) as [Memory];
      return peak;
    },
  };
}

async function watch(pid: number, everyMs: number): Promise<void> {
  const peak: Memory = { all: 0, own: 0 };
  let isOver = false;
  process.once('message', () => {
    isOver = true;
  });
  // It exits with the bench.
  process.on('disconnect', () => process.exit(0));
  while (!isOver) {
    const { all, own } = treeMemory(pid);
    peak.all = Math.max(peak.all, all);
    peak.own = Math.max(peak.own, own);
    await pause(everyMs);
  }
  process.send?.(peak, () => process.disconnect());
}

if (import.meta.main) await watch(Number(process.argv[2]), Number(process.argv[3]));
