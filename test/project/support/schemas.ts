/** A JSON schema, as far as it is looked into here. */
export interface Schema {
  [keyword: string]: unknown;
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * A schema of a custom resource as kubeconform's strict mode wants it: fields that it does not name are refused,
 * wherever it does not say that they are kept. Metadata are Kubernetes' own and left alone.
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
  // A field may itself be called `properties`: only a schema of an object has its type beside them.
  const isOpen = value['additionalProperties'] !== undefined || value['x-kubernetes-preserve-unknown-fields'] === true;
  return isSchema(value['properties']) && value['type'] === 'object' && !isOpen
    ? { ...inner, additionalProperties: false }
    : inner;
}
