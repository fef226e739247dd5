import type { Context, Middleware } from 'moleculer';
import type { Tracing } from '../tracing.ts';
import { currentWork, workingFor } from '../work-context.ts';
import { outcomeOf } from './measure-actions.ts';

/** The job that an action created, where its result names one. */
function jobOf(result: unknown): string | null {
  return typeof result === 'object' && result !== null && 'jobId' in result && typeof result.jobId === 'string'
    ? result.jobId
    : null;
}

/** Makes each action a span of the trace that it is called for, linked to the trace of the job that it creates. */
export function traceActions({ isOn }: Pick<Tracing, 'isOn'>): Middleware {
  return {
    name: 'TraceActions',
    localAction(next, action) {
      const name = action.name ?? '';
      // A private action is a step of its service: moleculer-web's handling of a request, which has a span already.
      if (!isOn || action.visibility === 'private') return next;
      return async function (ctx: Context): Promise<unknown> {
        const work = currentWork();
        const span = work?.span?.startChild(name, {}) ?? null;
        if (span === null) return next.call(this, ctx);
        try {
          const result: unknown = await workingFor({ ...work, span }, () => next.call(this, ctx) as unknown);
          const jobId = jobOf(result);
          if (jobId !== null) span.linkJob(jobId);
          span.end(false);
          return result;
        } catch (error) {
          span.end(outcomeOf(error) === 'failed');
          throw error;
        }
      };
    },
  };
}
