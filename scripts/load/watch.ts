import { treeCpuSeconds, treeMemory, canMeasureProcesses } from '../../bench/process-figures.ts';
import { median } from '../../bench/statistics.ts';

/** Resources that a program used while it was watched. */
export interface Usage {
  /** Elapsed seconds. */
  seconds: number;
  /** CPU seconds of the program with all its processes. */
  cpu: number;
  /**
   * Private memory in MB (without pages of files, which the system can reclaim): the maximum, and the medians of the
   * first and the last third.
   */
  memory: { max: number; first: number; last: number };
  /** CPU seconds of k6. */
  k6Cpu: number;
}

const everyMs = 2000;

/** Watches a program until `end` is called. */
export interface Watch {
  /** Also watches the process that sends the requests; its CPU time is reported separately. */
  beside(pid: number): void;
  end(): Usage;
}

/** Starts to watch a process and its descendants; null if this system does not report on processes. */
export function watch(pid: number): Watch | null {
  if (!canMeasureProcesses()) return null;
  const began = performance.now();
  const cpuBefore = treeCpuSeconds(pid);
  const memory = [treeMemory(pid).own];
  let asking: number | null = null;
  let k6Cpu = 0;
  const look = (): void => {
    memory.push(treeMemory(pid).own);
    // A process that has exited is no longer reported: its last figure stays.
    if (asking !== null) k6Cpu = Math.max(k6Cpu, treeCpuSeconds(asking));
  };
  const timer = setInterval(look, everyMs);
  return {
    beside: (other) => {
      asking = other;
    },
    end: () => {
      clearInterval(timer);
      look();
      const third = Math.ceil(memory.length / 3);
      return {
        seconds: (performance.now() - began) / 1000,
        cpu: treeCpuSeconds(pid) - cpuBefore,
        k6Cpu,
        memory: {
          max: Math.max(...memory),
          first: median(memory.slice(0, third)),
          last: median(memory.slice(-third)),
        },
      };
    },
  };
}
