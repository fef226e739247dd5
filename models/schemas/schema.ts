import { invalid, Refusal } from '../errors.ts';
import type { Json, JsonObject } from '../json.ts';
import { leaf } from './leaf.ts';

/**
 * What a value from outside must look like: a check that answers the value as the code wants it (defaults filled
 * in), and the same rule as JSON Schema 2020-12 for the published description.
 *
 * A check refuses with a `validation_error` whose `fields` are relative to the value it was given; containers put
 * their own name in front. The order of checks is the order of the fields as documented.
 */
export interface Schema<T> {
  readonly json: JsonObject;
  /** @throws Refusal (`validation_error`) */
  readonly check: (value: unknown) => T;
}

/** A field of an object, and what is done where it is left out. */
export interface Field<T, Presence extends 'required' | 'filled' | 'left'> {
  readonly schema: Schema<T>;
  readonly presence: Presence;
  /** Value of a field that was not sent (presence `filled`). */
  readonly fallback?: T;
}

type AnyField = Field<unknown, 'required' | 'filled' | 'left'>;
/** Fields by name, in the documented order. */
export type Fields = { readonly [name: string]: AnyField };
type Value<F> = F extends Field<infer T, 'required' | 'filled' | 'left'> ? T : never;
type LeftNames<F extends Fields> = { [K in keyof F]: F[K] extends Field<unknown, 'left'> ? K : never }[keyof F];
/** The type of an object with these fields. */
export type Shape<F extends Fields> = { [K in Exclude<keyof F, LeftNames<F>>]: Value<F[K]> } & { [K in LeftNames<F>]?: Value<F[K]> };

/** A field that must be sent. */
export function required<T>(schema: Schema<T>): Field<T, 'required'> {
  return { schema, presence: 'required' };
}

/** A field with a value where it is not sent. */
export function filled<T, D>(schema: Schema<T>, fallback: D): Field<T | D, 'filled'> {
  return { schema, presence: 'filled', fallback };
}

/** A field that stays absent where it is not sent. */
export function left<T>(schema: Schema<T>): Field<T, 'left'> {
  return { schema, presence: 'left' };
}

/** Longest name of a field that an error tells whole: a sender may choose one of megabytes. */
const longestName = 1000;

/** A name that the sender chose, as an error tells it. Half of a surrogate pair is replaced: many readers of JSON refuse a text with one. */
export function toldName(name: string): string {
  return name.length > longestName ? `${name.slice(0, longestName).toWellFormed()}...` : name.toWellFormed();
}

/** Puts a container's name in front of the path of a refusal of something inside it. */
export function within(error: unknown, name: string | number): unknown {
  if (error instanceof Refusal && error.data.fields !== undefined) error.data.fields.unshift(typeof name === 'string' ? toldName(name) : name);
  return error;
}

/** The refusal of a field that an object does not have, with those that it has. */
export function unknownField(name: string, known: readonly string[]): Refusal {
  return invalid([toldName(name)], known.length === 0 ? 'is not a known field; there are none' : `is not a known field; known are ${known.join(', ')}`);
}

/** Whether a value is a JSON object (no array, no null). */
export function isObject(value: unknown): value is { [name: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A rule between several fields of an object. */
export interface Rule<T> {
  /** @throws Refusal with the path inside the object */
  check: (value: T, sent: { readonly [name: string]: unknown }) => void;
  /** The fields after which it is checked: the rule stands where the last of them stands. */
  after: string;
  /** The same as JSON Schema keywords where they can say it. */
  json?: JsonObject;
}

/**
 * An object with exactly these fields: they are checked in this order, then any unknown field is refused by its
 * name. `rules` hold between fields.
 */
export function object<F extends Fields>(fields: F, rules: readonly Rule<Shape<F>>[] = []): Schema<Shape<F>> {
  const names = Object.keys(fields);
  const list = Object.entries(fields);
  const known = new Set(names);
  const needed = list.filter(([, field]) => field.presence === 'required').map(([name]) => name);
  const json: JsonObject = {
    type: 'object',
    properties: Object.fromEntries(list.map(([name, field]) => [name, described(field)])),
    ...(needed.length > 0 ? { required: needed } : {}),
    additionalProperties: false,
    ...rules.reduce<JsonObject>((keywords, rule) => ({ ...keywords, ...rule.json }), {}),
  };
  const check = (value: unknown): Shape<F> => {
    if (!isObject(value)) throw invalid([], 'must be an object');
    const result: { [name: string]: unknown } = {};
    for (const [name, field] of list) {
      const present = Object.hasOwn(value, name);
      if (present) {
        try {
          result[name] = field.schema.check(value[name]);
        } catch (error) {
          throw within(error, name);
        }
      } else if (field.presence === 'required') {
        throw invalid([name], 'is missing');
      } else if (field.presence === 'filled') {
        result[name] = field.fallback;
      }
      // The fields so far make up the shape that a rule after them may look at.
      for (const rule of rules) if (rule.after === name) rule.check(result as Shape<F>, value);
    }
    for (const name of Object.keys(value)) if (!known.has(name)) throw unknownField(name, names);
    return result as Shape<F>;
  };
  return { json, check };
}

/** The same schema under a name, by which the API's description has it once for all operations. */
export function named<T>(name: string, schema: Schema<T>): Schema<T> {
  return { ...schema, json: { title: name, ...schema.json } };
}

/** A field's schema with its default, as the description shows it. */
export function described(field: AnyField): JsonObject {
  const { fallback } = field;
  const shown = typeof fallback === 'string' || typeof fallback === 'number' || typeof fallback === 'boolean';
  return shown ? { ...field.schema.json, default: fallback } : field.schema.json;
}

/** A list of at most `most` values. */
export function list<T>(items: Schema<T>, most: number, least = 0): Schema<T[]> {
  const length = leaf({ type: 'array', min: least, max: most });
  return {
    json: { type: 'array', items: items.json, maxItems: most, ...(least > 0 ? { minItems: least } : {}) },
    check: (value) => {
      length(value);
      if (!Array.isArray(value)) throw invalid([], 'must be a list');
      const result: T[] = [];
      let position = 0;
      try {
        for (; position < value.length; position += 1) result.push(items.check(value[position]));
      } catch (error) {
        throw within(error, position);
      }
      return result;
    },
  };
}

/** A value that may also be null. */
export function nullable<T>(schema: Schema<T>): Schema<T | null> {
  return { json: { anyOf: [schema.json, { type: 'null' }] }, check: (value) => (value === null ? null : schema.check(value)) };
}

/** How many values a valid value of a schema holds at most, itself included, as far as its keywords bound them. */
export function mostValuesOf(json: JsonObject): number {
  const { anyOf, items, maxItems, properties, additionalProperties, maxProperties } = json;
  const options = Array.isArray(anyOf) ? anyOf.filter(isJsonObject).map(mostValuesOf) : [];
  const inList = isJsonObject(items) && typeof maxItems === 'number' ? maxItems * mostValuesOf(items) : 0;
  const named = isJsonObject(properties) ? Object.values(properties).filter(isJsonObject).map(mostValuesOf) : [];
  const others = isJsonObject(additionalProperties) && typeof maxProperties === 'number' ? maxProperties * mostValuesOf(additionalProperties) : 0;
  return Math.max(1 + inList + named.reduce((sum, each) => sum + each, 0) + others, ...options);
}

function isJsonObject(value: Json | undefined): value is JsonObject {
  return isObject(value);
}
