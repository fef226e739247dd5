import { readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';

/** Half the weight of a process of usual priority (sched(7)): enough to go behind, too little to starve. */
const niceness = 3;

/** Lets requests go before the work of a process, such as reading files, where processors are scarce. */
export function yieldToRequests(pid: number): void {
  try {
    setPriority(pid, niceness);
  } catch {
    // It has ended already, or the system does not allow it: then it runs as any other.
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
    if (Number.isInteger(thread)) yieldToRequests(thread);
  } catch {
    // Another system: the thread runs as any other.
  }
}
