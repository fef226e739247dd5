import type { Context } from 'moleculer';
import type { ActionInput, ActionMap, ActionName, ActionOutput, DirectAction } from './actions.ts';

type NamesOf<Actor extends string> = Extract<ActionName, `${Actor}.${string}`>;
type ShortName<Name extends string> = Name extends `${string}.${infer Short}` ? Short : never;

/** One function for each action of an actor, named without the actor's name. */
export type Handlers<Actor extends string> = { [N in NamesOf<Actor> as ShortName<N>]: (input: ActionInput<N>) => Promise<ActionOutput<N>> | ActionOutput<N> };

/** An action as Moleculer wants it: reachable by other services, never by HTTP by itself. */
export interface ActionDefinition {
  visibility: 'public';
  /** The same without the broker, for callers of the same process. */
  direct: DirectAction;
  handler(ctx: Context<ActionMap[ActionName][0]>): Promise<unknown>;
}

/**
 * Makes an actor's Moleculer actions from plain typed functions. That every action of the map has its function, and
 * each function the right types, is checked here once.
 */
export function actionsOf<Actor extends string>(handlers: Handlers<Actor>): { [name: string]: ActionDefinition } {
  const actions: { [name: string]: ActionDefinition } = {};
  for (const [name, handler] of Object.entries<(input: never) => unknown>(handlers)) {
    actions[name] = {
      visibility: 'public',
      direct: (input) => handler(input as never),
      handler: async (ctx) => handler(ctx.params as never),
    };
  }
  return actions;
}
