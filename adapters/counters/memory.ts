import type { Allowance } from './port.ts';
import { emptyWindow, forget, takePlace, type Window } from './window.ts';

/** Windows of many keys, kept in this process. */
export interface MemoryWindows {
  take(key: string, limit: number, windowMs: number, now: number): Allowance;
  /** Puts back a window that was kept elsewhere. */
  restore(key: string, window: Window): void;
  get(key: string): Window | undefined;
  /** Drops keys whose windows are empty: answers them. Looks at no more than `most` keys. */
  sweep(now: number, most: number): string[];
  readonly size: number;
}

/**
 * Keeps at most `mostKeys` windows. Beyond that the key that was idle longest is given up: its limit opens early,
 * which is better than a process that runs out of memory. `onDrop` hears of it.
 */
export function memoryWindows(mostKeys: number, onDrop: (key: string) => void = () => {}): MemoryWindows {
  // A Map keeps the order of insertion; a key that is used moves to the end, so the first one is idle longest.
  const windows = new Map<string, Window>();

  function insert(key: string, window: Window): void {
    windows.delete(key);
    windows.set(key, window);
    if (windows.size <= mostKeys) return;
    const idle = windows.keys().next();
    if (idle.done === true) return;
    windows.delete(idle.value);
    onDrop(idle.value);
  }

  return {
    take(key, limit, windowMs, now) {
      const known = windows.get(key);
      const window = known !== undefined && known.windowMs === windowMs ? known : emptyWindow(windowMs);
      insert(key, window);
      return takePlace(window, limit, now);
    },
    restore: insert,
    get: (key) => windows.get(key),
    sweep(now, most) {
      const gone: string[] = [];
      let looked = 0;
      for (const [key, window] of windows) {
        if (looked === most) break;
        looked += 1;
        forget(window, now);
        if (window.total === 0) gone.push(key);
      }
      for (const key of gone) windows.delete(key);
      return gone;
    },
    get size() {
      return windows.size;
    },
  };
}
