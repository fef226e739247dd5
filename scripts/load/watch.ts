import { familyCpuSeconds, familyMemory, tellsOfProcesses } from '../../bench/process-figures.ts';
import { median } from '../../bench/statistics.ts';

/** What a program used while it was watched. */
export interface Usage {
  /** Clock seconds. */
  seconds: number;
  /** Processor seconds of the program with all its processes. */
  cpu: number;
  /** Memory of its own in MB (without pages of files, which the system takes back): at its most, and the median of the first and the last third. */
  memory: { most: number; first: number; last: number };
  /** Processor seconds of k6. */
  k6Cpu: number;
}

const everyMs = 2000;

/** Watches a program until it is told to end. */
export interface Watch {
  /** The process that asks; its processor time is told apart. */
  beside(pid: number): void;
  end(): Usage;
}

/** Begins to watch a process and all that it starts; null where this system does not tell about processes. */
export function watch(pid: number): Watch | null {
  if (!tellsOfProcesses()) return null;
  const began = performance.now();
  const cpuBefore = familyCpuSeconds(pid);
  const memory = [familyMemory(pid).own];
  let asking: number | null = null;
  let k6Cpu = 0;
  const look = (): void => {
    memory.push(familyMemory(pid).own);
    // Of a process that has ended nothing is told any more: its last figure stays.
    if (asking !== null) k6Cpu = Math.max(k6Cpu, familyCpuSeconds(asking));
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
        seconds: (performance.now() - began) / 1000, cpu: familyCpuSeconds(pid) - cpuBefore, k6Cpu,
        memory: { most: Math.max(...memory), first: median(memory.slice(0, third)), last: median(memory.slice(-third)) },
      };
    },
  };
}
