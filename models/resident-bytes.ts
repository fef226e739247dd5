import { readFileSync } from 'node:fs';

/** Resident memory of a process in bytes, from `/proc/<pid>/status` (proc(5)); null if there is none. */
export function residentBytes(pid: number): number | null {
  try {
    const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1];
    return kilobytes === undefined ? null : Number(kilobytes) * 1024;
  } catch {
    // No such system, or the process has just ended.
    return null;
  }
}
