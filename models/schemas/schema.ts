import type { Json, JsonObject } from '../json.ts';
import { compile, type Properties, type PropertyCheck, type Rule, type Step } from './rules.ts';

declare const valueType: unique symbol;

/** A JSON Schema with the type of its valid values. */
export interface Described<T> {
  readonly json: JsonObject;
  /** Type-only: never set. */
  readonly [valueType]?: T;
}

/** The type of the values that a schema describes. */
export type Infer<S extends Described<unknown>> = S extends Described<infer T> ? T : never;

/**
 * The schema of external values, as a rule of fastest-validator and as JSON Schema 2020-12 for the published
 * description.
 *
 * A check refuses with a `validation_error` whose `fields` are relative to its value; the caller prefixes the name of
 * the containing value. Fields are checked in the documented order.
 */
export interface Schema<T> extends Described<T> {
  /** The rule of the whole value, as a client sends it. */
  readonly rule: Rule;
  /**
   * The rule of the results of `check`, for parameters of actions: with defaults, and perhaps numbers instead of texts.
   */
  readonly checked: Rule;
  /** Returns a checked copy of the value with defaults. @throws Refusal (`validation_error`) */
  readonly check: (value: unknown) => T;
}

/** Makes a schema. Its rule is compiled at its first use. @param checked the rule of the results of the check */
export function schemaOf<T>(json: JsonObject, rule: Rule, checked: Rule = rule): Schema<T> {
  let compiled: ((value: unknown) => unknown) | null = null;
  // The caller asserts that the rule returns values of this type.
  return { json, rule, checked, check: (value) => (compiled ??= compile(rule))(value) as T };
}

/**
 * A schema with a check function, for conditions that rules cannot express.
 * @param check returns the value; it is not called for null. @throws Refusal with the path inside the value
 * @param required message for null
 */
export function customSchema<T>(
  json: JsonObject,
  check: (value: unknown) => T,
  { required: message = 'must not be null', checked }: { required?: string; checked?: Rule } = {},
): Schema<T> {
  const rule: Rule = { type: 'any', custom: [check], messages: { required: message } };
  return schemaOf(json, rule, checked ?? rule);
}

/** A rule with an additional step. */
export function withStep(rule: Rule, step: Step): Rule {
  return { ...rule, custom: [...(rule.custom ?? []), step] };
}

/** A field of an object, with its behaviour if absent. */
export interface Field<T, Presence extends 'required' | 'withDefault' | 'optional'> {
  readonly schema: Schema<T>;
  readonly presence: Presence;
  /** Value of a field that was not sent (presence `withDefault`). */
  readonly fallback?: T;
}

type AnyField = Field<unknown, 'required' | 'withDefault' | 'optional'>;
/** Fields by name, in the documented order. */
export type Fields = { readonly [name: string]: AnyField };
type Value<F> = F extends Field<infer T, 'required' | 'withDefault' | 'optional'> ? T : never;
type OptionalNames<F extends Fields> = { [K in keyof F]: F[K] extends Field<unknown, 'optional'> ? K : never }[keyof F];
/** The type of an object with these fields. */
export type Shape<F extends Fields> = { [K in Exclude<keyof F, OptionalNames<F>>]: Value<F[K]> } & {
  [K in OptionalNames<F>]?: Value<F[K]>;
};

/** A field that must be sent. */
export function required<T>(schema: Schema<T>): Field<T, 'required'> {
  return { schema, presence: 'required' };
}

/** A field with a default. */
export function withDefault<T, D>(schema: Schema<T>, fallback: D): Field<T | D, 'withDefault'> {
  return { schema, presence: 'withDefault', fallback };
}

/** A field that stays absent if it is not sent. */
export function optional<T>(schema: Schema<T>): Field<T, 'optional'> {
  return { schema, presence: 'optional' };
}

/** Whether a value is a JSON object (no array, no null). */
export function isObject(value: unknown): value is { [name: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A rule across fields of an object, checked after the last of them. */
export interface FieldsRule<T> extends PropertyCheck {
  check: (value: T, sent: { readonly [name: string]: unknown }) => void;
  /** The same as JSON Schema keywords, if they can express it. */
  json?: JsonObject;
}

/**
 * An object with exactly these fields: they are checked in this order, then an unknown field is refused by name.
 * `rules` apply across fields.
 */
export function object<F extends Fields>(fields: F, rules: readonly FieldsRule<Shape<F>>[] = []): Schema<Shape<F>> {
  const list = Object.entries(fields);
  const needed = list.filter(([, field]) => field.presence === 'required').map(([name]) => name);
  const json: JsonObject = {
    type: 'object',
    properties: Object.fromEntries(list.map(([name, field]) => [name, described(field)])),
    ...(needed.length > 0 ? { required: needed } : {}),
    additionalProperties: false,
    ...rules.reduce<JsonObject>((keywords, rule) => ({ ...keywords, ...rule.json }), {}),
  };
  const messages = { required: 'must be an object' };
  const props = Object.fromEntries(list.map(([name, field]) => [name, ruleOf(field)]));
  return schemaOf(
    json,
    { type: 'object', props, checks: rules, messages },
    { type: 'object', props: checkedProperties(fields), checks: rules, messages },
  );
}

function ruleOf({ schema, presence, fallback }: AnyField): Rule {
  if (presence === 'optional') return { ...schema.rule, optional: true };
  return presence === 'withDefault' ? { ...schema.rule, default: fallback } : schema.rule;
}

/** The rules of checked fields by name. A caller of an earlier version may not send a field with a default. */
export function checkedProperties(fields: Fields): Properties {
  const checked = ({ schema, presence, fallback }: AnyField): Rule => {
    if (presence === 'optional') return { ...schema.checked, optional: true };
    if (presence === 'required') return schema.checked;
    return { ...schema.checked, default: fallback, ...(fallback === null ? { nullable: true } : {}) };
  };
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, checked(field)]));
}

/** The same schema with a name, under which the API's description has it once for all operations. */
export function named<T>(name: string, schema: Schema<T>): Schema<T> {
  return { ...schema, json: { title: name, ...schema.json } };
}

/** A field's JSON Schema with its default. */
export function described(field: AnyField): JsonObject {
  const { fallback } = field;
  const shown = typeof fallback === 'string' || typeof fallback === 'number' || typeof fallback === 'boolean';
  return shown ? { ...field.schema.json, default: fallback } : field.schema.json;
}

/** A list of `min` to `max` values. */
export function list<T>(items: Schema<T>, max: number, min = 0): Schema<T[]> {
  return schemaOf(
    { type: 'array', items: items.json, maxItems: max, ...(min > 0 ? { minItems: min } : {}) },
    { type: 'array', items: items.rule, min, max },
    { type: 'array', items: items.checked, min, max },
  );
}

/** A value that may also be null. */
export function nullable<T>({ json, rule, checked }: Schema<T>): Schema<T | null> {
  return schemaOf({ anyOf: [json, { type: 'null' }] }, { ...rule, nullable: true }, { ...checked, nullable: true });
}

/** The maximum number of values in a valid value, including itself, as far as the schema's keywords limit it. */
export function maxValuesOf(json: JsonObject): number {
  const { anyOf, items, maxItems, properties, additionalProperties, maxProperties } = json;
  const options = Array.isArray(anyOf) ? anyOf.filter(isJsonObject).map(maxValuesOf) : [];
  const inList = isJsonObject(items) && typeof maxItems === 'number' ? maxItems * maxValuesOf(items) : 0;
  const named = isJsonObject(properties) ? Object.values(properties).filter(isJsonObject).map(maxValuesOf) : [];
  const others =
    isJsonObject(additionalProperties) && typeof maxProperties === 'number'
      ? maxProperties * maxValuesOf(additionalProperties)
      : 0;
  return Math.max(1 + inList + named.reduce((sum, each) => sum + each, 0) + others, ...options);
}

function isJsonObject(value: Json | undefined): value is JsonObject {
  return isObject(value);
}
