import type { ServiceSchema } from 'moleculer';
import type { ActionDefinition } from '../../mixins/actions-of.ts';
import type { DirectAction } from '../../mixins/actions.ts';
import type { Metrics } from '../../mixins/metrics.ts';
import { workingFor, type WorkContext } from '../../mixins/work-context.ts';
import { refusalOf } from '../../models/errors.ts';

/** A refusal of what a client asked for is an answer; everything else that throws is a failure. */
function outcomeOf(error: unknown): 'refused' | 'failed' {
  const refusal = refusalOf(error);
  return refusal !== null && refusal.code < 500 ? 'refused' : 'failed';
}

function isLater(value: unknown): value is Promise<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}

function isAction(value: unknown): value is ActionDefinition {
  return typeof value === 'object' && value !== null && 'direct' in value && typeof value.direct === 'function';
}

/** The request that an action is called for, told by its caller; null where it is nobody's. */
function contextOf(input: object): WorkContext | null {
  const caller: unknown = 'caller' in input ? input.caller : null;
  if (typeof caller !== 'object' || caller === null) return null;
  const { requestId, organizationId }: { requestId?: unknown; organizationId?: unknown } = caller;
  return typeof requestId === 'string' && typeof organizationId === 'string' ? { requestId, organizationId } : null;
}

/** The action with each call timed, whether it answers at once or later, and done in the name of its request. */
function timed(action: string, direct: DirectAction, metrics: Metrics): DirectAction {
  const told = (started: number, outcome: string): void => metrics.actions.observe({ action, outcome }, (performance.now() - started) / 1000);
  return (input) => {
    const started = performance.now();
    let answer: unknown;
    const context = contextOf(input);
    try {
      answer = context === null ? direct(input) : workingFor(context, () => direct(input));
    } catch (error) {
      told(started, outcomeOf(error));
      throw error;
    }
    if (isLater(answer)) answer.then(() => told(started, 'done'), (error: unknown) => told(started, outcomeOf(error)));
    else told(started, 'done');
    return answer;
  };
}

/**
 * A service whose typed actions are timed by name and outcome, whichever way they are called, and whose lines in the log
 * tell the request that they are called for.
 */
export function measuredService(schema: ServiceSchema, metrics: Metrics): ServiceSchema {
  for (const [name, action] of Object.entries<unknown>(schema.actions ?? {})) {
    if (!isAction(action)) continue;
    const direct = timed(`${schema.name}.${name}`, action.direct, metrics);
    action.direct = direct;
    action.handler = async (context) => direct(context.params);
  }
  return schema;
}
