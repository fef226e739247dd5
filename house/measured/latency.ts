import type { Histogram } from 'prom-client';

/** Tells how long something took that was begun at `started` (performance.now()), when its promise is settled. */
export type Observe = <T>(operation: string, started: number, work: Promise<T>) => Promise<T>;

/** How an operation ended: `unavailable` is the part's own failure, `refused` an answer that its caller expects at times. */
function outcomeOf(error: unknown): 'unavailable' | 'refused' {
  return error instanceof Error && /Unavailable|Timeout|Busy/.test(error.name) ? 'unavailable' : 'refused';
}

/**
 * Observes the operations of one part of the program in a histogram. The work's own promise is handed on, so that
 * whoever waits for it waits for nothing else; a failure is counted, and told by that promise alone.
 */
export function observer(histogram: Histogram<'part' | 'operation' | 'outcome'>, part: string): Observe {
  const told = (operation: string, outcome: string, started: number): void => histogram.observe({ part, operation, outcome }, (performance.now() - started) / 1000);
  return (operation, started, work) => {
    work.then(() => told(operation, 'done', started), (error: unknown) => told(operation, outcomeOf(error), started));
    return work;
  };
}
