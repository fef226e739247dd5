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
