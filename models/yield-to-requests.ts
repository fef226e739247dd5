import { readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';

/**
 * A ninth of the weight of usual priority (sched(7)). With half of it (3) the reading processes and the model's threads
 * still took half of two cores from searches. With a sixtieth (19) searches were no faster, and reading would almost
 * stop on a machine that another program keeps busy.
 */
const niceness = 10;

/** Gives requests priority over a process with background work, such as reading files. */
export function yieldToRequests(pid: number): void {
  try {
    setPriority(pid, niceness);
  } catch {
    // The process has ended, or the system does not allow it: it keeps its usual priority.
  }
  yieldGroup(pid);
}

/**
 * With autogroups Linux divides processors between sessions first, and a priority counts only within a session: a
 * process with its own session would get as much as this whole program. So its group gets a priority too ("The
 * autogroup feature", sched(7)). It competes with all sessions of the machine, where a very low one would starve.
 */
function yieldGroup(pid: number): void {
  try {
    const file = `/proc/${pid}/autogroup`;
    const groupOf = (path: string): string => readFileSync(path, 'latin1').split(' ')[0] ?? '';
    if (groupOf(file) !== groupOf('/proc/self/autogroup')) writeFileSync(file, String(niceness));
  } catch {
    // Another system, no autogroups, an ended process, or too many changes at once.
  }
}

/**
 * The same for the calling thread, on systems with a priority per thread (Linux). Elsewhere it does nothing, because
 * the priority would be that of the whole process.
 */
export function yieldThreadToRequests(): void {
  try {
    // `<process>/task/<thread>`: proc(5)
    const thread = Number(readlinkSync('/proc/thread-self').split('/').at(-1));
    if (Number.isInteger(thread)) setPriority(thread, niceness);
  } catch {
    // Another system: the thread keeps its priority.
  }
}
