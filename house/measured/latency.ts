import type { Histogram } from 'prom-client';
import type { Span } from '../../mixins/tracing.ts';
import { currentWork } from '../../mixins/work-context.ts';

/** Tells how long something took that was begun at `started` (performance.now()), when its promise is settled. */
export type Observe = <T>(operation: string, started: number, work: Promise<T>) => Promise<T>;

/** How an operation ended: `unavailable` is the part's own failure, `refused` an answer that its caller expects at times. */
function outcomeOf(error: unknown): 'unavailable' | 'refused' {
  return error instanceof Error && /Unavailable|Timeout|Busy/.test(error.name) ? 'unavailable' : 'refused';
}

/**
 * Observes the operations of one part of the program in a histogram. The work's own promise is handed on, so that
 * whoever waits for it waits for nothing else; a failure is counted, and told by that promise alone.
 * @param isTraced whether operations are steps of the traces of what they are done for, too
 */
export function observer(histogram: Histogram<'part' | 'operation' | 'outcome'>, part: string, isTraced: boolean): Observe {
  const told = (operation: string, outcome: string, started: number): void => histogram.observe({ part, operation, outcome }, (performance.now() - started) / 1000);
  const followed = (span: Span, operation: string, started: number, work: Promise<unknown>): void => {
    const ended = (outcome: string): void => {
      told(operation, outcome, started);
      span.over(`${part} ${operation}`, started, outcome === 'unavailable');
    };
    work.then(() => ended('done'), (error: unknown) => ended(outcomeOf(error)));
  };
  return (operation, started, work) => {
    const span = isTraced ? currentWork()?.span : null;
    if (span === null || span === undefined) work.then(() => told(operation, 'done', started), (error: unknown) => told(operation, outcomeOf(error), started));
    else followed(span, operation, started, work);
    return work;
  };
}
