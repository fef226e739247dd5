/** The used fields of a JSON schema. */
export interface Schema {
  [keyword: string]: unknown;
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * The schema of a custom resource for kubeconform's strict mode: unknown fields are refused unless the schema preserves
 * them. Kubernetes defines metadata, which is not changed.
 */
export function closedSchema(schema: Schema): Schema {
  const closed = close(schema);
  return isSchema(closed) && isSchema(closed['properties'])
    ? { ...closed, properties: { ...closed['properties'], metadata: { type: 'object' } } }
    : schema;
}

function close(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(close);
  if (!isSchema(value)) return value;
  const inner = Object.fromEntries(Object.entries(value).map(([keyword, part]) => [keyword, close(part)]));
  // A field may be named `properties`: only the schema of an object also has a type.
  const isOpen = value['additionalProperties'] !== undefined || value['x-kubernetes-preserve-unknown-fields'] === true;
  return isSchema(value['properties']) && value['type'] === 'object' && !isOpen
    ? { ...inner, additionalProperties: false }
    : inner;
}
