/** Wakes who carries out syncs, within a process. */
export interface Bell {
  /** Rings in so many milliseconds; rings close to each other are one. */
  ring(inMilliseconds: number): void;
  /** Rings no more. */
  silence(): void;
}

/** Milliseconds within which rings are one: a burst must not start thousands of timers. */
const grain = 100;

/** A bell that calls a function whenever it rings. */
export function newBell(heard: () => void): Bell {
  const timers = new Map<number, NodeJS.Timeout>();
  return {
    ring: (inMilliseconds) => {
      const at = Math.ceil((performance.now() + inMilliseconds) / grain);
      if (timers.has(at)) return;
      const timer = setTimeout(() => {
        timers.delete(at);
        heard();
      }, at * grain - performance.now());
      timers.set(at, timer.unref());
    },
    silence: () => {
      for (const timer of timers.values()) clearTimeout(timer);
      timers.clear();
    },
  };
}
