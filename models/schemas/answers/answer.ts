import type { Metadata } from '../../asset.ts';
import type { Json, JsonObject } from '../../json.ts';
import type { Described } from '../schema.ts';

/*
 * Answers are described but not checked. The types of the API's answers are inferred from these descriptions (`Infer`),
 * so that an actor whose answer lacks a field, or has another one, does not compile. Objects allow additional
 * properties in JSON Schema: clients ignore unknown fields.
 */

/** A field of an answer that may be absent. */
interface OptionalAnswer<T> {
  readonly optional: Described<T>;
}

type AnswerFields = { readonly [name: string]: Described<unknown> | OptionalAnswer<unknown> };
type OptionalNames<F extends AnswerFields> = {
  [K in keyof F]: F[K] extends OptionalAnswer<unknown> ? K : never;
}[keyof F];
type AnswerObject<F extends AnswerFields> = {
  [K in Exclude<keyof F, OptionalNames<F>>]: F[K] extends Described<infer T> ? T : never;
} & { [K in OptionalNames<F>]?: F[K] extends OptionalAnswer<infer T> ? T : never };

/** Describes values of a type by JSON Schema. */
export function described<T>(json: JsonObject): Described<T> {
  return { json };
}

/** The same values with further keywords of JSON Schema, such as a description or a bound. */
export function annotated<T>(schema: Described<T>, keywords: JsonObject): Described<T> {
  return described({ ...schema.json, ...keywords });
}

/** A field that may be absent. */
export function optionalAnswer<T>(schema: Described<T>): OptionalAnswer<T> {
  return { optional: schema };
}

/**
 * An object of an answer.
 * @param name under which the API's description has it, once for all operations
 */
export function answer<F extends AnswerFields>(name: string, fields: F): Described<AnswerObject<F>> {
  const all = Object.entries(fields);
  return described({
    title: name,
    type: 'object',
    properties: Object.fromEntries(
      all.map(([field, schema]) => [field, 'optional' in schema ? schema.optional.json : schema.json]),
    ),
    required: all.filter(([, schema]) => !('optional' in schema)).map(([field]) => field),
  });
}

/** A list. */
export function listOf<T>(items: Described<T>): Described<T[]> {
  return described({ type: 'array', items: items.json });
}

/** A value or null. */
export function orNull<T>(schema: Described<T>): Described<T | null> {
  return described({ anyOf: [schema.json, { type: 'null' }] });
}

/** One of these texts. */
export function literals<const W extends Json & string>(...allowed: W[]): Described<W> {
  return described({ type: 'string', enum: allowed });
}

/** No body. */
export const nothing = described<null>({ type: 'null' });
/** An id. */
export const id = described<string>({ type: 'string', format: 'uuid' });
/** A time as the API writes it: ISO 8601 in UTC. */
export const time = described<string>({ type: 'string', format: 'date-time' });
/** A calendar day, `YYYY-MM-DD`. */
export const day = described<string>({ type: 'string', pattern: '^\\d{4}-\\d{2}-\\d{2}$' });
/** A calendar month, `YYYY-MM`. */
export const month = described<string>({ type: 'string', pattern: '^\\d{4}-\\d{2}$' });
/** A text. */
export const text = described<string>({ type: 'string' });
/** Texts. */
export const texts = listOf(text);
/** An integer from 0. */
export const count = described<number>({ type: 'integer', minimum: 0 });
/** An integer from 1. */
export const ordinal = described<number>({ type: 'integer', minimum: 1 });
/** An integer from 0 to 100. */
export const percent = described<number>({ type: 'integer', minimum: 0, maximum: 100 });
/** A number from 0 to 1. */
export const fraction = described<number>({ type: 'number', minimum: 0, maximum: 1 });
/** Seconds from 0. */
export const seconds = described<number>({ type: 'number', minimum: 0 });
/** True or false. */
export const boolean = described<boolean>({ type: 'boolean' });
/** Metadata of a file or a collection. */
export const metadata = described<Metadata>({
  type: 'object',
  description: 'Texts, numbers, booleans, or lists of them, by key.',
});
