import type { Fields, Shape } from '../../models/schemas/schema.ts';

/** A type alone, for a row to name it. */
export interface Type<T> {
  readonly of?: T;
}

/** Names the type of an action's result: plain JSON, because it may cross the wire. */
export function type<T>(): Type<T> {
  return {};
}

/** A row of an actor's table: what an action takes and answers, and whether a call may be repeated on another node. */
export interface Action<Params extends Fields, Result> {
  /**
   * The action's parameters, made of the schemas of the API: they are what the checks of a route answer, so defaults
   * are filled in.
   */
  readonly params: Params;
  readonly result: Type<Result>;
  /**
   * Whether the action may run twice for one call: it reads, or writes under ids that are fixed. A call of it goes to
   * another node when its node is lost.
   */
  readonly repeatable: boolean;
}

/** Makes a row of an actor's table. */
export function action<Params extends Fields, Result>(row: Action<Params, Result>): Action<Params, Result> {
  return row;
}

/** The type of an action's parameters. */
export type Parameters<A> = A extends Action<infer Params, unknown> ? Shape<Params> : never;
