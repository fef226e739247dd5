/** A manifest, or a part of one. */
export type Tree = { [field: string]: unknown };

/** Whether a value is an object of a manifest. */
export function isTree(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A copy of a manifest in which `change` may replace each text. */
export function mapTexts(value: unknown, change: (text: string, field: string) => string, field = ''): unknown {
  if (typeof value === 'string') return change(value, field);
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change, field));
  if (!isTree(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, mapTexts(part, change, name)]));
}

/** What a manifest has at a path; undefined if nothing. */
export function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>(
    (found, step) =>
      Array.isArray(found) || isTree(found)
        ? Object.entries(found).find(([name]) => name === String(step))?.[1]
        : undefined,
    value,
  );
}

/** The object at a path. @throws if there is none */
export function treeAt(value: unknown, ...path: readonly (string | number)[]): Tree {
  const found = at(value, ...path);
  if (!isTree(found)) throw new Error(`the manifests have no ${path.join('.')}`);
  return found;
}

/** The objects of the list at a path; none without one. */
export function listAt(value: unknown, ...path: readonly (string | number)[]): Tree[] {
  const found = at(value, ...path);
  return Array.isArray(found) ? found.filter(isTree) : [];
}
