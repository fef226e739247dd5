import type { Context, Middleware } from 'moleculer';
import { refusalOf } from '../../models/errors.ts';
import type { Metrics } from '../metrics.ts';

/** A refusal of what a client asked for is an answer; every other error is a failure. */
export function outcomeOf(error: unknown): 'refused' | 'failed' {
  const refusal = refusalOf(error);
  return refusal !== null && refusal.code < 500 ? 'refused' : 'failed';
}

/** Observes the duration of each action that this process runs, by name and outcome. */
export function measureActions({ actions }: Pick<Metrics, 'actions'>): Middleware {
  return {
    name: 'MeasureActions',
    localAction(next, definition) {
      // moleculer-web's handling of a request, whose duration is that of the request.
      if (definition.visibility === 'private') return next;
      const action = definition.name ?? '';
      return function (ctx: Context): Promise<unknown> {
        const started = performance.now();
        const observe = (outcome: string): void =>
          actions.observe({ action, outcome }, (performance.now() - started) / 1000);
        const result = next.call(this, ctx) as Promise<unknown>;
        result.then(
          () => observe('done'),
          (error: unknown) => observe(outcomeOf(error)),
        );
        return result;
      };
    },
  };
}
