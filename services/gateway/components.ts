import type { Json, JsonObject } from '../../models/json.ts';

/** Where the schemas stand that have a name. */
const place = '#/components/schemas/';

/** A description's paths, whose schemas that have a title are references, and these schemas by title. */
export interface NamedSchemas {
  paths: JsonObject;
  schemas: JsonObject;
}

/** A reference to the schema of a name. */
export function referenceTo(name: string): JsonObject {
  return { $ref: `${place}${name}` };
}

/**
 * Takes every schema that has a title out of the paths of an OpenAPI document. So what is made of the document has one
 * type for an asset, and not another one for each operation that answers assets.
 * @throws Error where two schemas that differ have one title
 */
export function nameSchemas(paths: JsonObject): NamedSchemas {
  const schemas: { [name: string]: JsonObject } = {};
  const withReferences = (value: Json): Json => {
    if (Array.isArray(value)) return value.map(withReferences);
    if (typeof value !== 'object' || value === null) return value;
    const { title } = value;
    const schema = entriesOf(value);
    // A property may be called `title` as well: its schema is an object.
    if (typeof title !== 'string') return schema;
    const known = schemas[title];
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(schema)) throw new Error(`two schemas are called ${title}`);
    schemas[title] = schema;
    return referenceTo(title);
  };
  const entriesOf = (value: JsonObject): JsonObject => Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withReferences(inner)]));
  return { paths: entriesOf(paths), schemas };
}
