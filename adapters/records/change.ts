import type { Change } from './port.ts';
import type { Json, JsonObject } from '../../models/json.ts';
import { checkedPath, isObject, namesOf } from './paths.ts';

/**
 * Checks a change before it goes to any store, so that what works on one works on all: every path is a field
 * path, none is the id, and no two overlap (MongoDB refuses those).
 * @throws Error for a change that no store may see: that is a programming error.
 */
export function checkChange(change: Change, guarded: string | null): void {
  const paths = pathsOf(change);
  paths.forEach(checkedPath);
  for (const [index, path] of paths.entries()) {
    if (path === '_id' || path === guarded) throw new Error(`${path} cannot be changed`);
    const clash = paths.find(
      (other, otherIndex) => otherIndex !== index && (other === path || other.startsWith(`${path}.`)),
    );
    if (clash !== undefined) throw new Error(`a change touches ${path} and ${clash} at once`);
  }
}

/** Every field path that a change touches. */
export function pathsOf(change: Change): string[] {
  const { set = {}, unset = [], increment = {}, push = {}, pullById = {} } = change;
  return [...Object.keys(set), ...unset, ...Object.keys(increment), ...Object.keys(push), ...Object.keys(pullById)];
}

/** A change whose values came as JSON text, so that they can be nothing else. */
export interface JsonChange extends Change {
  set?: { readonly [path: string]: Json };
  push?: { readonly [path: string]: readonly Json[] };
}

/**
 * Applies a change to a document in place. Missing parents are made, as MongoDB does.
 * @throws Error if a path leads through something that is no object, or a list or number is expected and another is
 *   there.
 */
export function applyChange(document: JsonObject, change: JsonChange): void {
  for (const [path, value] of Object.entries(change.set ?? {})) writeAt(document, path, () => value);
  for (const path of change.unset ?? []) removeAt(document, path);
  for (const [path, amount] of Object.entries(change.increment ?? {})) {
    writeAt(document, path, (old) => {
      if (old !== undefined && typeof old !== 'number') throw new Error(`${path} is no number`);
      return (old ?? 0) + amount;
    });
  }
  for (const [path, items] of Object.entries(change.push ?? {})) {
    writeAt(document, path, (old) => [...listAt(path, old), ...items]);
  }
  for (const [path, ids] of Object.entries(change.pullById ?? {})) {
    const gone = new Set<Json>(ids);
    if (readAt(document, path) === undefined) continue;
    writeAt(document, path, (old) =>
      listAt(path, old).filter((item) => !(isObject(item) && item['id'] !== undefined && gone.has(item['id']))),
    );
  }
}

function listAt(path: string, value: Json | undefined): Json[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw new Error(`${path} is no list`);
  return value;
}

function readAt(document: JsonObject, path: string): Json | undefined {
  let value: Json | undefined = document;
  for (const name of namesOf(path)) {
    if (!isObject(value)) return undefined;
    value = value[name];
  }
  return value;
}

function writeAt(document: JsonObject, path: string, replace: (old: Json | undefined) => Json): void {
  const names = namesOf(path);
  const last = names.at(-1) ?? '';
  let parent = document;
  for (let depth = 0; depth < names.length - 1; depth++) {
    const name = names[depth] ?? '';
    const child = parent[name] ?? (Object.hasOwn(parent, name) ? null : (parent[name] = {}));
    if (!isObject(child)) throw new Error(`${path} leads through ${name}, which is no object`);
    parent = child;
  }
  parent[last] = replace(parent[last]);
}

function removeAt(document: JsonObject, path: string): void {
  const end = path.lastIndexOf('.');
  const parent = end < 0 ? document : readAt(document, path.slice(0, end));
  if (isObject(parent)) delete parent[path.slice(end + 1)];
}
