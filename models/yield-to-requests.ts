import { readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';

/**
 * A ninth of the weight of usual priority (sched(7)). With half of it (3) the reading processes and the threads of the model
 * still took half of two cores from the searches of others; with a sixtieth (19) searches were no faster than with this, and
 * where another program keeps the machine busy reading would all but stand still.
 */
const niceness = 10;

/** Lets requests go before the work of a process, such as reading files, where processors are scarce. */
export function yieldToRequests(pid: number): void {
  try {
    setPriority(pid, niceness);
  } catch {
    // It has ended already, or the system does not allow it: then it runs as any other.
  }
  yieldGroup(pid);
}

/**
 * Where Linux shares processors out between sessions first, the priority of a process counts in its session alone: one
 * that leads a session of its own would have as much as this whole program. Such a group has a priority itself
 * ("The autogroup feature", sched(7)). It counts against all sessions of the machine, so a low one would starve.
 */
function yieldGroup(pid: number): void {
  try {
    const file = `/proc/${pid}/autogroup`;
    const groupOf = (path: string): string => readFileSync(path, 'latin1').split(' ')[0] ?? '';
    if (groupOf(file) !== groupOf('/proc/self/autogroup')) writeFileSync(file, String(niceness));
  } catch {
    // Another system or one without such groups, or it has ended, or too many were told at once.
  }
}

/**
 * The same for the thread that calls it, where the system gives each thread a priority of its own (Linux). Elsewhere nothing
 * happens, because there it would be that of the whole process.
 */
export function yieldThreadToRequests(): void {
  try {
    // `<process>/task/<thread>`: proc(5)
    const thread = Number(readlinkSync('/proc/thread-self').split('/').at(-1));
    if (Number.isInteger(thread)) setPriority(thread, niceness);
  } catch {
    // Another system: the thread runs as any other.
  }
}
