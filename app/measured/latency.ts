import type { Histogram } from 'prom-client';
import type { Span } from '../../mixins/tracing.ts';
import { currentWork } from '../../mixins/work-context.ts';

/** Records the duration of an operation that began at `started` (performance.now()) when its promise settles. */
export type Observe = <T>(operation: string, started: number, work: Promise<T>) => Promise<T>;

/**
 * The outcome of a failed operation: `unavailable` is a failure of the part itself, `refused` a rejection that callers
 * handle.
 */
function outcomeOf(error: unknown): 'unavailable' | 'refused' {
  return error instanceof Error && /Unavailable|Timeout|Busy/.test(error.name) ? 'unavailable' : 'refused';
}

/**
 * Observes the operations of one part of the program in a histogram. Returns the operation's own promise, so that
 * callers await nothing else; a failure is counted and rejects only that promise.
 * @param isTraced whether operations are also recorded as spans
 */
export function observer(
  histogram: Histogram<'part' | 'operation' | 'outcome'>,
  part: string,
  isTraced: boolean,
): Observe {
  const record = (operation: string, outcome: string, started: number): void =>
    histogram.observe({ part, operation, outcome }, (performance.now() - started) / 1000);
  const followed = (span: Span, operation: string, started: number, work: Promise<unknown>): void => {
    const ended = (outcome: string): void => {
      record(operation, outcome, started);
      span.recordChild(`${part} ${operation}`, started, outcome === 'unavailable');
    };
    work.then(
      () => ended('done'),
      (error: unknown) => ended(outcomeOf(error)),
    );
  };
  return (operation, started, work) => {
    const span = isTraced ? currentWork()?.span : null;
    if (span === null || span === undefined)
      work.then(
        () => record(operation, 'done', started),
        (error: unknown) => record(operation, outcomeOf(error), started),
      );
    else followed(span, operation, started, work);
    return work;
  };
}
