/** Lets those who ask for syncs wake who carries them out, within a process. */
export interface Bell {
  /** Wakes all listeners in so many milliseconds, unless they are woken before then anyway. */
  ring(inMilliseconds: number): void;
  /** Has a function called whenever it rings. */
  listen(heard: () => void): void;
  /** Rings no more. */
  silence(): void;
}

/** A new bell. */
export function newBell(): Bell {
  const listeners: (() => void)[] = [];
  const timers = new Map<number, NodeJS.Timeout>();
  /** Rings so close to each other are one: a burst must not start thousands of timers. */
  const grain = 100;
  return {
    ring: (inMilliseconds) => {
      const at = Math.ceil((performance.now() + inMilliseconds) / grain);
      if (timers.has(at)) return;
      const timer = setTimeout(() => {
        timers.delete(at);
        for (const heard of listeners) heard();
      }, at * grain - performance.now());
      timer.unref();
      timers.set(at, timer);
    },
    listen: (heard) => listeners.push(heard),
    silence: () => {
      for (const timer of timers.values()) clearTimeout(timer);
      timers.clear();
      listeners.length = 0;
    },
  };
}
