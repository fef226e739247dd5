import type { Context, Middleware } from 'moleculer';
import { isRepeatable } from '../actions/table.ts';

/** Nodes that one call goes to at most. */
const maxNodes = 3;

/**
 * Whether the node of this very call was lost: the transporter refuses what it cannot deliver, and what is pending when
 * a node goes. A refusal that the callee only hands on names another node.
 * @returns null if it was not; else whether the action never ran
 */
function lossOf(error: unknown, nodeID: string | null): { undelivered: boolean } | null {
  if (!(error instanceof Error) || error.name !== 'RequestRejectedError' || !('data' in error)) return null;
  const { data } = error;
  if (typeof data !== 'object' || data === null || !('nodeID' in data) || data.nodeID !== nodeID) return null;
  return { undelivered: 'undelivered' in data && data.undelivered === true };
}

/**
 * Repeats a call on another node when its node is lost and the repetition does no harm: the call was not delivered, or
 * the action is repeatable. A call that names its node is never repeated. Moleculer's own retry decides by the error
 * alone, not by the action.
 */
export function retryElsewhere(): Middleware {
  return {
    name: 'RetryElsewhere',
    remoteAction(next, action) {
      const name = action.name ?? '';
      const again = (ctx: Context): Promise<unknown> => this.call(name, ctx.params, { ctx });
      const repeatable = isRepeatable(name);
      return async function (ctx: Context<unknown, object, { nodes?: number }>): Promise<unknown> {
        try {
          return await next.call(this, ctx);
        } catch (error) {
          const { nodes = 1 } = ctx.locals;
          const loss = lossOf(error, ctx.nodeID);
          const isPinned = typeof ctx.options.nodeID === 'string';
          if (loss === null || isPinned || nodes >= maxNodes || !(loss.undelivered || repeatable)) throw error;
          ctx.locals.nodes = nodes + 1;
          return again(ctx.copy());
        }
      };
    },
  };
}
