import { readdirSync, readFileSync } from 'node:fs';

/** Duration of a clock tick in `/proc/<pid>/stat`: 100 per second on every Linux that supports Node (proc(5)). */
const tickSeconds = 0.01;

function statOf(pid: number): string[] {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name in parentheses may contain spaces.
  return text.slice(text.lastIndexOf(')') + 2).split(' ');
}

/** CPU time of a process with all its threads, in seconds. */
export function cpuSeconds(pid: number): number {
  const stat = statOf(pid);
  return (Number(stat[11]) + Number(stat[12])) * tickSeconds;
}

/** CPU time of a process's exited children and their descendants, in seconds. */
export function exitedChildrenCpuSeconds(pid: number): number {
  const stat = statOf(pid);
  return (Number(stat[13]) + Number(stat[14])) * tickSeconds;
}

/** A process and its descendants. */
export function processTreeOf(pid: number): number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      parents.set(Number(name), Number(statOf(Number(name))[1]));
    } catch {
      // It exited meanwhile.
    }
  }
  const tree = [pid];
  for (const member of tree) for (const [child, parent] of parents) if (parent === member) tree.push(child);
  return tree;
}

/** CPU time of a process and its current and former descendants, in seconds. */
export function treeCpuSeconds(pid: number): number {
  return processTreeOf(pid).reduce((sum, member) => {
    try {
      return sum + cpuSeconds(member) + exitedChildrenCpuSeconds(member);
    } catch {
      // It exited meanwhile: the figure of its parent includes it.
      return sum;
    }
  }, 0);
}

/** Memory in MB, with a proportional share of shared pages (PSS). */
export interface Memory {
  all: number;
  /** Without pages of files, which the system can reclaim. */
  own: number;
}

/** Memory of a process alone. */
export function memoryOf(pid: number): Memory {
  try {
    const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
    const megabytes = (name: string): number =>
      Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text)?.[1] ?? Number.NaN) / 1000;
    return { all: megabytes('Pss'), own: megabytes('Pss') - megabytes('Pss_File') };
  } catch {
    // It exited meanwhile.
    return { all: 0, own: 0 };
  }
}

/** Memory of a process and its descendants. */
export function treeMemory(pid: number): Memory {
  const processes = processTreeOf(pid).map(memoryOf);
  return {
    all: processes.reduce((sum, { all }) => sum + all, 0),
    own: processes.reduce((sum, { own }) => sum + own, 0),
  };
}

/** Open files, sockets and pipes of a process and its descendants. */
export function treeHandles(pid: number): number {
  return processTreeOf(pid).reduce((sum, member) => {
    try {
      return sum + readdirSync(`/proc/${member}/fd`).length;
    } catch {
      // It exited meanwhile.
      return sum;
    }
  }, 0);
}

/** Whether this system has `/proc` as Linux does. */
export function canMeasureProcesses(): boolean {
  return process.platform === 'linux';
}
