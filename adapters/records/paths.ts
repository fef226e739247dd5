import type { Filter } from './port.ts';
import type { Json, JsonObject } from '../../models/json.ts';

const shape = /^[A-Za-z0-9_]{1,128}(?:\.[A-Za-z0-9_]{1,128}){0,15}$/;
const forbidden = new Set(['__proto__', 'constructor', 'prototype']);

/** The names that a dotted path is made of. */
export function namesOf(path: string): readonly string[] {
  return path.split('.');
}

/**
 * Checks a dotted field path and returns it. Paths are part of statements, so only letters, digits and underscores
 * are allowed; values are always bound.
 * @throws Error for any other path: that is a programming error.
 */
export function checkedPath(path: string): string {
  if (!shape.test(path)) throw new Error(`${JSON.stringify(path)} is no field path`);
  if (namesOf(path).some((name) => forbidden.has(name))) throw new Error(`${path} is no field path`);
  return path;
}

/** The value at a dotted path of a document, undefined if it is absent. */
export function valueAt(document: object, path: string): Json | undefined {
  let value: unknown = document;
  for (const name of namesOf(path)) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    value = Reflect.get(value, name);
  }
  return value as Json | undefined;
}

/** Whether a value is a JSON object, and neither a list nor null. */
export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Whether the filter fixes each of these fields to one value other than null: at most one document of a unique index.
 */
export function fixes(filter: Filter, fields: readonly string[]): boolean {
  return fields.every((path) => {
    const condition = filter[path];
    return condition !== undefined && condition !== null && typeof condition !== 'object';
  });
}
