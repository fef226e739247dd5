import type { ServiceSchema } from 'moleculer';
import type { ActionDefinition } from '../../mixins/actions-of.ts';
import type { DirectAction } from '../../mixins/actions.ts';
import type { Metrics } from '../../mixins/metrics.ts';
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

/** The action with each call timed, whether it answers at once or later. */
function timed(action: string, direct: DirectAction, metrics: Metrics): DirectAction {
  const told = (started: number, outcome: string): void => metrics.actions.observe({ action, outcome }, (performance.now() - started) / 1000);
  return (input) => {
    const started = performance.now();
    let answer: unknown;
    try {
      answer = direct(input);
    } catch (error) {
      told(started, outcomeOf(error));
      throw error;
    }
    if (isLater(answer)) answer.then(() => told(started, 'done'), (error: unknown) => told(started, outcomeOf(error)));
    else told(started, 'done');
    return answer;
  };
}

/** A service whose typed actions are timed by name and outcome, whichever way they are called. */
export function measuredService(schema: ServiceSchema, metrics: Metrics): ServiceSchema {
  for (const [name, action] of Object.entries<unknown>(schema.actions ?? {})) {
    if (!isAction(action)) continue;
    const direct = timed(`${schema.name}.${name}`, action.direct, metrics);
    action.direct = direct;
    action.handler = async (context) => direct(context.params);
  }
  return schema;
}
