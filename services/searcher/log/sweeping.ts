import { setTimeout as pause } from 'node:timers/promises';
import type { House } from '../../../mixins/house.ts';
import { sweepSearchLogs, type RetentionHouse } from './retention.ts';

/** Milliseconds between two rounds: texts go so long after their last day at most, days after all are many. */
const interval = 10 * 60_000;
/** Milliseconds within which the first one comes, at different times in each process and never at its start. */
const firstWithin = 60_000;

/**
 * Removes what is too old from the search logs, now and then until it is stopped. A round that fails is logged, and the
 * next one comes. Several processes may do so at once.
 */
export function startSweeping(house: RetentionHouse & Pick<House, 'log'>): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const { signal } = stopping;
  const sweep = async (): Promise<void> => {
    for (let wait = house.ambient.random() * firstWithin; ; wait = interval) {
      // Ends early, with an error, when it is to stop.
      await pause(wait, undefined, { signal, ref: false }).catch(() => undefined);
      if (signal.aborted) return;
      try {
        await sweepSearchLogs(house, () => !signal.aborted);
      } catch (error) {
        house.log.warn({ err: error }, 'the search logs are swept later');
      }
    }
  };
  const swept = sweep();
  return {
    stop: async () => {
      stopping.abort();
      await swept;
    },
  };
}
