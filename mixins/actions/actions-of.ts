import type { ActionSchema, Context } from 'moleculer';
import { paramsOf, type ActionInput, type ActionName, type ActionOutput, type Actor } from './table.ts';

type ShortName<Name extends string> = Name extends `${string}.${infer Short}` ? Short : never;

/** One function for each action of an actor, named without the actor's name. */
export type Handlers<A extends Actor> = {
  [N in Extract<ActionName, `${A}.${string}`> as ShortName<N>]: (
    params: ActionInput<N>,
    ctx: Context<ActionInput<N>>,
  ) => Promise<ActionOutput<N>> | ActionOutput<N>;
};

type HandlersByActor = { [A in Actor]: Handlers<A> };

/**
 * Makes an actor's Moleculer actions from plain typed functions. That every action of the table has its function, and
 * each function the right types, is checked here once. They are `public`: other services call them, HTTP never does.
 */
export function actionsOf<A extends Actor>(actor: A, handlers: HandlersByActor[A]): { [name: string]: ActionSchema } {
  const actions: { [name: string]: ActionSchema } = {};
  for (const [name, handler] of Object.entries<(params: never, ctx: never) => unknown>(handlers))
    actions[name] = {
      visibility: 'public',
      params: paramsOf(`${actor}.${name}`),
      handler: (ctx) => handler(ctx.params as never, ctx as never),
    };
  return actions;
}
