import { setTimeout as pause } from 'node:timers/promises';
import type { Intake } from './lifecycle.ts';

/** Work that is repeated while the program runs. */
export interface PeriodicWork {
  name: string;
  /** One round; it checks between its steps whether to stop. */
  round(isStopping: () => boolean): Promise<unknown>;
  /** Milliseconds from the end of a round to the beginning of the next one. */
  everyMs: number;
  /** Milliseconds before the first round; `everyMs` by default. */
  firstMs?: number;
  /** Gets the error of a round. The next round comes all the same. */
  failed(error: unknown): void;
}

/** Runs rounds one after another from the start to the stop, which waits for the round under way. */
export function periodicIntake({ name, round, everyMs, firstMs = everyMs, failed }: PeriodicWork): Intake {
  const stopping = new AbortController();
  const { signal } = stopping;
  let rounds: Promise<void> = Promise.resolve();
  const run = async (): Promise<void> => {
    for (let wait = firstMs; ; wait = everyMs) {
      // Ends early, with an error, when it is to stop.
      await pause(wait, undefined, { signal, ref: false }).catch(() => undefined);
      if (signal.aborted) return;
      try {
        await round(() => signal.aborted);
      } catch (error) {
        failed(error);
      }
    }
  };
  return {
    name,
    start: () => {
      rounds = run();
      return Promise.resolve();
    },
    stop: async () => {
      stopping.abort();
      await rounds;
    },
  };
}
