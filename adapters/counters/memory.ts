import type { Allowance } from './port.ts';
import { emptyWindow, forget, countRequest, type Window } from './window.ts';

/** Windows of many keys in the memory of this process. */
export interface MemoryWindows {
  take(key: string, limit: number, windowMs: number, now: number): Allowance;
  /** Restores a window that was stored elsewhere. */
  restore(key: string, window: Window): void;
  get(key: string): Window | undefined;
  /** Removes keys with empty windows and returns them. Visits at most `max` keys. */
  sweep(now: number, max: number): string[];
  readonly size: number;
}

/**
 * Keeps at most `maxKeys` windows. Beyond that it removes the key that was idle longest. Its limit resets early, which
 * is better than running out of memory. Calls `onDrop` for each removed key.
 */
export function memoryWindows(maxKeys: number, onDrop: (key: string) => void = () => {}): MemoryWindows {
  // A Map keeps the order of insertion. A used key moves to the end, so the first one was idle longest.
  const windows = new Map<string, Window>();

  function insert(key: string, window: Window): void {
    windows.delete(key);
    windows.set(key, window);
    if (windows.size <= maxKeys) return;
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
      return countRequest(window, limit, now);
    },
    restore: insert,
    get: (key) => windows.get(key),
    sweep(now, max) {
      const gone: string[] = [];
      let looked = 0;
      for (const [key, window] of windows) {
        if (looked === max) break;
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
