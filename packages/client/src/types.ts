import type { operations as rows } from './operations.ts';
import type { operations } from './schema.d.ts';

/** Name of an operation: its `operationId` in the OpenAPI document. */
export type OperationName = keyof typeof rows & keyof operations;

type Parameters<N extends OperationName> = operations[N]['parameters'];
type Part<T, Name extends string> = T extends { [K in Name]: infer V }
  ? { [K in Name]: V }
  : T extends { [K in Name]?: infer V }
    ? [V] extends [undefined]
      ? unknown
      : { [K in Name]?: V }
    : unknown;
type Body<N extends OperationName> = operations[N] extends {
  requestBody: { content: { 'application/json': infer B } };
}
  ? { body: B }
  : unknown;

/** What an operation is given: the values of its path, its query and its body. */
export type Input<N extends OperationName> = Part<Parameters<N>, 'path'> & Part<Parameters<N>, 'query'> & Body<N>;

type Content<Response> = Response extends { content: { 'application/json': infer B } } ? B : undefined;
type Responses<N extends OperationName> = operations[N]['responses'];

/** What an operation answers; undefined where it answers nothing. */
export type Output<N extends OperationName> = Content<Responses<N>[keyof Responses<N> & (200 | 201 | 202 | 204)]>;

/** Settings of one call. */
export interface CallOptions {
  signal?: AbortSignal;
  /** A key of your own for operations that take an `Idempotency-Key`; otherwise one is made. */
  idempotencyKey?: string;
}

/** The arguments after the operation's name: the input may be left out where nothing of it is required. */
export type Arguments<N extends OperationName> =
  object extends Input<N> ? [input?: Input<N>, options?: CallOptions] : [input: Input<N>, options?: CallOptions];

type Item<O> = O extends readonly (infer I)[] ? I : O extends { items: readonly (infer I)[] } ? I : never;

/** Operations that answer lists. */
export type ListName = { [N in OperationName]: [Item<Output<N>>] extends [never] ? never : N }[OperationName];

/** A member of a list. */
export type ItemOf<N extends ListName> = Item<Output<N>>;
