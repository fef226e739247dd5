import { readdirSync, readFileSync } from 'node:fs';

/** Length of a clock tick of `/proc/<pid>/stat` in seconds: 100 a second on every Linux that Node runs on (proc(5)). */
const tickSeconds = 0.01;

function statOf(pid: number): string[] {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name in parentheses may hold spaces.
  return text.slice(text.lastIndexOf(')') + 2).split(' ');
}

/** Processor time of a process with all its threads, in seconds. */
export function cpuSeconds(pid: number): number {
  const stat = statOf(pid);
  return (Number(stat[11]) + Number(stat[12])) * tickSeconds;
}

/** Processor time of the children of a process that have ended, and of theirs, in seconds. */
export function endedChildrenCpuSeconds(pid: number): number {
  const stat = statOf(pid);
  return (Number(stat[13]) + Number(stat[14])) * tickSeconds;
}

/** A process and all that descend from it. */
export function familyOf(pid: number): number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      parents.set(Number(name), Number(statOf(Number(name))[1]));
    } catch {
      // It has ended since the folder was read.
    }
  }
  const family = [pid];
  for (const member of family) for (const [child, parent] of parents) if (parent === member) family.push(child);
  return family;
}

/** Processor time of a process and of all that descend or descended from it, in seconds. */
export function familyCpuSeconds(pid: number): number {
  return familyOf(pid).reduce((sum, member) => {
    try {
      return sum + cpuSeconds(member) + endedChildrenCpuSeconds(member);
    } catch {
      // It has ended since it was listed: its parent's figure holds it.
      return sum;
    }
  }, 0);
}

/** Memory in MB, each process with its share of what several use (PSS). */
export interface Memory {
  all: number;
  /** Without pages of files, which the system takes back when it needs them: what the program itself holds. */
  own: number;
}

function memoryOf(pid: number): Memory {
  try {
    const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
    const megabytes = (name: string): number =>
      Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text)?.[1] ?? Number.NaN) / 1000;
    return { all: megabytes('Pss'), own: megabytes('Pss') - megabytes('Pss_File') };
  } catch {
    // It ended between being listed and being looked at.
    return { all: 0, own: 0 };
  }
}

/** Memory of a process and its descendants. */
export function familyMemory(pid: number): Memory {
  const each = familyOf(pid).map(memoryOf);
  return { all: each.reduce((sum, { all }) => sum + all, 0), own: each.reduce((sum, { own }) => sum + own, 0) };
}

/** Whether this system tells about processes as Linux does. */
export function tellsOfProcesses(): boolean {
  return process.platform === 'linux';
}
