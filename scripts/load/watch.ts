import { treeCpuSeconds, treeHandles, treeMemory, canMeasureProcesses } from '../../bench/process-figures.ts';
import { median } from '../../bench/statistics.ts';
import { slopeOf } from './slope.ts';

/** How a figure went over the time of a run. */
export interface Course {
  max: number;
  /** Medians of the first and the last third. */
  first: number;
  last: number;
  /** Growth per hour over the second half, by least squares: the first half fills caches. */
  slope: number;
}

function courseOf(samples: readonly [seconds: number, value: number][]): Course {
  const values = samples.map(([, value]) => value);
  const third = Math.ceil(values.length / 3);
  return {
    max: Math.max(...values),
    first: median(values.slice(0, third)),
    last: median(values.slice(-third)),
    slope: slopeOf(samples.slice(Math.floor(samples.length / 2))) * 3600,
  };
}

/** Resources that a program used while it was watched. */
export interface Usage {
  /** Elapsed seconds. */
  seconds: number;
  /** CPU seconds of the program with all its processes. */
  cpu: number;
  /** Private memory in MB (without pages of files, which the system can reclaim). */
  memory: Course;
  /** Open files, sockets and pipes of the program. */
  handles: Course;
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
  const memory: [number, number][] = [];
  const handles: [number, number][] = [];
  let asking: number | null = null;
  let k6Cpu = 0;
  const look = (): void => {
    const seconds = (performance.now() - began) / 1000;
    memory.push([seconds, treeMemory(pid).own]);
    handles.push([seconds, treeHandles(pid)]);
    // A process that has exited is no longer reported: its last figure stays.
    if (asking !== null) k6Cpu = Math.max(k6Cpu, treeCpuSeconds(asking));
  };
  look();
  const timer = setInterval(look, everyMs);
  return {
    beside: (other) => {
      asking = other;
    },
    end: () => {
      clearInterval(timer);
      look();
      return {
        seconds: (performance.now() - began) / 1000,
        cpu: treeCpuSeconds(pid) - cpuBefore,
        k6Cpu,
        memory: courseOf(memory),
        handles: courseOf(handles),
      };
    },
  };
}
