import type { ServiceBroker } from 'moleculer';
import { checkedParams } from '../middlewares/params-validator.ts';
import type { ActionInput, ActionName, ActionOutput } from './table.ts';

/** Milliseconds that a caller waits for an action where it says nothing else: `requestTimeout` of the broker. */
export const requestTimeoutMs = 30_000;

/** Something that calls actions: the broker, or the context of the action that calls another. */
export type ActionCaller = Pick<ServiceBroker, 'call'>;

/** How an action is called. */
export interface CallOptions {
  /** Milliseconds after which the caller stops waiting, while the action runs on; 0 waits without limit. */
  timeout?: number;
  /** The process that is called; the next available one if omitted. */
  nodeID?: string;
  /** The caller has just checked the parameters by the same schemas: this process does not check them again. */
  isChecked?: boolean;
}

/**
 * Calls an action through the broker, with its types checked. The only place that uses the broker's untyped call.
 * @throws what the action throws (read a refusal with `refusalOf`), or an error of Moleculer: a timeout, a lost node,
 *   parameters that are not valid
 */
export function call<N extends ActionName>(
  caller: ActionCaller,
  name: N,
  params: ActionInput<N>,
  { isChecked = false, ...options }: CallOptions = {},
): Promise<ActionOutput<N>> {
  // A copy, because the broker changes the options of a call.
  const given = isChecked ? { ...options, [checkedParams]: true } : { ...options };
  return caller.call<ActionOutput<N>, ActionInput<N>>(name, params, given);
}
