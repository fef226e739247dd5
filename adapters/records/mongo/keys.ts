import type { CollectionDefinition, IndexDefinition, StoredRecord } from '../../../models/collection.ts';
import type { Json } from '../../../models/json.ts';
import { valueAt } from '../paths.ts';

/**
 * The field beside a document that holds the texts of its sparse unique keys. MongoDB's own sparse index over
 * several fields takes in a document as soon as one of them is there, so two documents without a key would collide;
 * a text that is only there when the whole key is does not.
 */
export const keysField = '_keys';

/** The indexes of a collection that are kept as texts. */
export function keyedIndexes(definition: CollectionDefinition<StoredRecord>): IndexDefinition[] {
  return definition.indexes.filter((index) => index.unique === true && index.sparse === true);
}

/** The text of one key's values. */
export function keyText(values: readonly (Json | undefined)[]): string {
  return JSON.stringify(values);
}

/** Texts of a document's sparse unique keys by index name; without those whose last field is absent or null. */
export function keysOf(indexes: readonly IndexDefinition[], document: object): { [index: string]: string } {
  const keys: { [index: string]: string } = {};
  for (const { name, fields } of indexes) {
    const values = fields.map((path) => valueAt(document, path) ?? null);
    if (values.at(-1) !== null) keys[name] = keyText(values);
  }
  return keys;
}

/** The indexes whose fields one of these paths touches. */
export function touched(indexes: readonly IndexDefinition[], paths: readonly string[]): IndexDefinition[] {
  return indexes.filter(({ fields }) =>
    fields.some((field) =>
      paths.some((path) => path === field || field.startsWith(`${path}.`) || path.startsWith(`${field}.`)),
    ),
  );
}

/**
 * What each index of a definition is on the server. A sparse unique one leads by its text alone, so it serves
 * queries that fix all of its fields.
 */
export function serverIndexes(
  definition: CollectionDefinition<StoredRecord>,
): { name: string; key: { [path: string]: 1 }; unique: boolean; sparse: boolean }[] {
  return definition.indexes.map(({ name, fields, unique = false, sparse = false }) => {
    const paths = unique && sparse ? [`${keysField}.${name}`] : fields;
    return { name, key: Object.fromEntries(paths.map((path) => [path, 1 as const])), unique, sparse };
  });
}
