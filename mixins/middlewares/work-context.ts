import type { Context, Middleware } from 'moleculer';
import type { Tracing } from '../tracing.ts';
import { currentWork, receivedWork, sentWork, workingFor, type Work, type WorkContext } from '../work-context.ts';

/** The request that an action is called for, as its caller parameter names it; null if it has none. */
function requestOf(params: unknown): WorkContext | null {
  const caller: unknown = typeof params === 'object' && params !== null && 'caller' in params ? params.caller : null;
  if (typeof caller !== 'object' || caller === null) return null;
  const { requestId, organizationId }: { requestId?: unknown; organizationId?: unknown } = caller;
  return typeof requestId === 'string' && typeof organizationId === 'string' ? { requestId, organizationId } : null;
}

/**
 * Carries the work that a call is made for to the process of its action, and runs each action within it: log lines name
 * the request or job, and spans belong to its trace. Within a process the context follows by itself.
 */
export function carryWorkContext(tracing: Pick<Tracing, 'received'>): Middleware {
  const received = (sent: unknown): Work => {
    const { traceparent, ...context } = receivedWork(sent);
    return { ...context, span: traceparent === undefined ? null : tracing.received(traceparent) };
  };
  return {
    name: 'WorkContext',
    localAction(next) {
      const { nodeID } = this;
      return function (ctx: Context<unknown, { work?: unknown }>): unknown {
        const request = requestOf(ctx.params);
        const isRemote = ctx.nodeID !== nodeID;
        if (request === null && !isRemote) return next.call(this, ctx);
        const work = isRemote ? received(ctx.meta.work) : currentWork();
        return workingFor({ ...work, ...request }, () => next.call(this, ctx) as unknown);
      };
    },
    remoteAction(next) {
      return function (ctx: Context<unknown, { work?: unknown }>): unknown {
        const work = sentWork();
        if (work !== null) ctx.meta.work = work;
        return next.call(this, ctx);
      };
    },
  };
}
