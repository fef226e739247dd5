import type { ServiceSchema } from 'moleculer';
import type { ActionDefinition } from '../../mixins/actions-of.ts';
import type { DirectAction } from '../../mixins/actions.ts';
import type { House } from '../../mixins/house.ts';
import type { Span, Tracing } from '../../mixins/tracing.ts';
import { currentWork, receivedWork, workingFor, type Work, type WorkContext } from '../../mixins/work-context.ts';
import { refusalOf } from '../../models/errors.ts';

/** What of the house actions are measured with. */
type MeasuredHouse = Pick<House, 'metrics' | 'tracing'>;

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

/** The job that an action made, where it tells one. */
function jobOf(answer: unknown): string | null {
  return typeof answer === 'object' && answer !== null && 'jobId' in answer && typeof answer.jobId === 'string' ? answer.jobId : null;
}

/** The action with each call timed, whether it answers at once or later, and done in the name of its request. */
function timed(action: string, direct: DirectAction, { metrics, tracing }: MeasuredHouse): DirectAction {
  const told = (started: number, outcome: string, span: Span | null): void => {
    metrics.actions.observe({ action, outcome }, (performance.now() - started) / 1000);
    span?.end(outcome === 'failed');
  };
  const done = (started: number, answer: unknown, span: Span | null): void => {
    const jobId = span === null ? null : jobOf(answer);
    if (jobId !== null) span?.leadsTo(jobId);
    told(started, 'done', span);
  };
  return (input) => {
    const started = performance.now();
    let answer: unknown;
    const context = contextOf(input);
    const work = tracing.isOn ? currentWork() : undefined;
    const span = work?.span?.begin(action, {}) ?? null;
    try {
      if (span !== null) answer = workingFor({ ...(context ?? work), span }, () => direct(input));
      else answer = context === null ? direct(input) : workingFor(context, () => direct(input));
    } catch (error) {
      told(started, outcomeOf(error), span);
      throw error;
    }
    if (isLater(answer)) answer.then((value) => done(started, value, span), (error: unknown) => told(started, outcomeOf(error), span));
    else done(started, answer, span);
    return answer;
  };
}

/** The work of another process that a call from there is made for. */
function workOf(meta: { work?: unknown }, tracing: Tracing): Work {
  const { traceparent, ...context } = receivedWork(meta.work);
  return { ...context, span: traceparent === undefined ? null : tracing.received(traceparent) };
}

/**
 * A service whose typed actions are timed by name and outcome, whichever way they are called, and whose lines in the log
 * tell the request that they are called for. Where the request is traced, each action is a step of its trace.
 */
export function measuredService(schema: ServiceSchema, house: MeasuredHouse): ServiceSchema {
  for (const [name, action] of Object.entries<unknown>(schema.actions ?? {})) {
    if (!isAction(action)) continue;
    const direct = timed(`${schema.name}.${name}`, action.direct, house);
    action.direct = direct;
    action.handler = async ({ meta, params }) => workingFor(workOf(meta, house.tracing), () => direct(params));
  }
  return schema;
}
