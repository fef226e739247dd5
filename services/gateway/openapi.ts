import { errorCodes, type ErrorCode } from '../../models/errors.ts';
import type { Json, JsonObject } from '../../models/json.ts';
import { programVersion } from '../../models/program-version.ts';
import { described, type Fields } from '../../models/schemas/schema.ts';
import { isRepeatable } from '../../mixins/actions/table.ts';
import type { Route } from '../../mixins/http/api/route.ts';

/** Codes that every operation may answer. */
const everywhere: readonly ErrorCode[] = [
  'api_key_required',
  'invalid_api_key',
  'organization_required',
  'organization_forbidden',
  'rate_limited',
  'payload_too_large',
  'unsupported_media_type',
  'validation_error',
  'internal_error',
  'content_service_unavailable',
];
/** The status of a code for a row: an unknown collection in a registration is a fault of the request, so it is 400. */
function statusOf(code: ErrorCode, route: Route): number {
  return code === 'collection_not_found' && route.rate === 'registrations' ? 400 : errorCodes[code].status;
}

const rateHeaders: JsonObject = {
  'X-Request-Id': { description: 'Names the request in our logs.', schema: { type: 'string' } },
  'RateLimit-Limit': { description: 'Requests a minute.', schema: { type: 'integer' } },
  'RateLimit-Remaining': { description: 'Requests left.', schema: { type: 'integer' } },
  'RateLimit-Reset': { description: 'Seconds until there is room again.', schema: { type: 'integer' } },
};

/** Headers of errors, besides those of every answer, by status. */
const errorHeaders: { readonly [status: number]: JsonObject } = {
  401: { 'WWW-Authenticate': { description: '`ApiKey`', schema: { type: 'string' } } },
  409: {
    'Retry-After': {
      description: 'Seconds after which to try again, where the error is `retryable`.',
      schema: { type: 'integer', minimum: 1 },
    },
  },
  429: {
    'Retry-After': { description: 'Seconds after which there is room again.', schema: { type: 'integer', minimum: 1 } },
  },
  503: { 'Retry-After': { description: 'Seconds after which to try again.', schema: { type: 'integer', minimum: 1 } } },
};

const errorSchema: JsonObject = {
  type: 'object',
  properties: {
    code: { type: 'string', enum: Object.keys(errorCodes) },
    detail: { type: 'string' },
    fields: {
      type: 'array',
      items: { type: ['string', 'integer'] },
      description: 'Path of the first field at fault, outermost first.',
    },
    field: { type: 'string', description: 'The same path joined with dots.' },
    retryable: { const: true },
    requestId: { type: 'string' },
  },
  required: ['code', 'detail'],
};

function parameters(location: 'path' | 'query' | 'header', fields: Fields): JsonObject[] {
  return Object.entries(fields).map(([name, field]) => ({
    name,
    in: location,
    required: field.presence === 'required',
    schema: described(field),
  }));
}

function headerParameters({ idempotency }: Route): JsonObject[] {
  if (idempotency === 'none') return [];
  return [
    {
      name: 'Idempotency-Key',
      in: 'header',
      required: idempotency === 'required',
      description: 'The same key and body within 24 hours get the first answer again.',
      schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x20-\\x7e]+$' },
    },
  ];
}

/** The codes that a row may answer. */
export function codesOf(route: Route): ErrorCode[] {
  const own: ErrorCode[] = [...everywhere, ...route.errors];
  if (route.scope === 'admin') own.push('admin_key_required');
  if (route.dashboardOnly) own.push('dashboard_session_required');
  if (route.role !== 'reader') own.push('role_not_sufficient');
  if (route.feature !== null || route.body !== null) own.push('not_included_in_plan');
  if (route.idempotency !== 'none') own.push('idempotency_conflict');
  if (route.idempotency === 'required') own.push('idempotency_key_required');
  return own;
}

/**
 * A response of errors. Its schema is that of all errors, so that generated clients have one type for them; the codes
 * of the operation are listed in the description, and for programs in `x-error-codes`.
 */
export function refusal(codes: readonly ErrorCode[]): JsonObject {
  return {
    description: codes.map((code) => `\`${code}\`: ${errorCodes[code].meaning}`).join('\n\n'),
    content: { 'application/json': { schema: referenceTo('Error') } },
    'x-error-codes': [...codes],
  };
}

/** Refusals by the HTTP server: such a request never reaches the API, so the response has no body and no request id. */
const beforeTheApi: JsonObject = {
  '431': { description: 'The request line and the headers together are larger than 64 KiB.' },
};

function responses(route: Route): JsonObject {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of codesOf(route)) {
    const status = statusOf(code, route);
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const errors = [...byStatus]
    .sort(([one], [other]) => one - other)
    .map(([status, codes]): [string, Json] => [
      String(status),
      { ...refusal(codes), headers: { ...rateHeaders, ...errorHeaders[status] } },
    ]);
  const success: JsonObject = {
    description: 'Done.',
    headers: {
      ...rateHeaders,
      ...route.answerHeaders,
      ...(route.idempotency === 'none'
        ? {}
        : { 'Idempotency-Replayed': { description: '`true` on an answer that was kept.', schema: { const: 'true' } } }),
    },
    ...(route.status === 204 ? {} : { content: contentOf(route) }),
  };
  return { [String(route.status)]: success, ...Object.fromEntries(errors), ...beforeTheApi };
}

function contentOf({ answer, downloads }: Route): JsonObject {
  // A row without a JSON answer always answers a file.
  const json: JsonObject = answer.json['type'] === 'null' ? {} : { 'application/json': { schema: answer.json } };
  return downloads === null ? json : { ...json, [downloads]: { schema: { type: 'string' } } };
}

function accessOf({ dashboardOnly, scope, role }: Route): string {
  const person = role === 'reader' ? '' : ` A person needs the role \`${role}\`.`;
  if (dashboardOnly) return `Needs a session of the dashboard.${person}`;
  return `${scope === 'admin' ? 'Needs an admin key.' : 'Any key.'}${person}`;
}

function operation(route: Route): JsonObject {
  const features = route.feature === null ? '' : ` Needs plan feature \`${route.feature}\`.`;
  return {
    operationId: route.operation,
    tags: [route.tag],
    summary: route.summary,
    description: `${accessOf(route)}${features}`,
    parameters: [
      { $ref: '#/components/parameters/Organization' },
      ...parameters('path', route.params),
      ...parameters('query', route.query),
      ...parameters('header', route.headers),
      ...headerParameters(route),
    ],
    ...(route.body === null
      ? {}
      : { requestBody: { required: true, content: { 'application/json': { schema: route.body.json } } } }),
    responses: responses(route),
    // For clients: whether the request may be sent again when its answer was lost.
    'x-repeatable': isRepeatable(route.action),
  };
}

/**
 * The OpenAPI 3.1 document of the table, and of paths that are described separately. Its schemas are those of the
 * validation, except for lone surrogates, sizes in bytes and rules between a filename and its kind, which JSON Schema
 * cannot express. https://spec.openapis.org/oas/v3.1.1.html
 */
export function describeApi(table: readonly Route[], others: { readonly [path: string]: JsonObject } = {}): JsonObject {
  const paths: { [path: string]: JsonObject } = { ...others };
  for (const route of table)
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operation(route) };
  const named = nameSchemas(paths);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Ply',
      version: programVersion,
      description: 'Finds the passage that answers a question, in files that stay where they are.',
    },
    servers: [{ url: '/' }],
    security: [{ ApiKey: [] }],
    tags: [...new Set(table.map(({ tag }) => tag))].map((name) => ({ name })),
    paths: named.paths,
    components: {
      securitySchemes: {
        ApiKey: { type: 'apiKey', in: 'header', name: 'Authorization', description: '`ApiKey <key>`' },
      },
      parameters: {
        Organization: {
          name: 'X-Organization-Id',
          in: 'header',
          required: true,
          description: 'The organization that the request applies to.',
          schema: { type: 'string', format: 'uuid' },
        },
      },
      schemas: { Error: errorSchema, ...named.schemas },
    },
  };
}

/** Prefix of references to named schemas. */
const schemaPrefix = '#/components/schemas/';

/** A description's paths, whose schemas that have a title are references, and these schemas by title. */
export interface NamedSchemas {
  paths: JsonObject;
  schemas: JsonObject;
}

/** A reference to the schema of a name. */
export function referenceTo(name: string): JsonObject {
  return { $ref: `${schemaPrefix}${name}` };
}

/**
 * Moves every schema with a title out of the paths of an OpenAPI document, so that generated clients have one type for
 * an asset and not one for each operation that answers assets.
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
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(schema))
      throw new Error(`two schemas are called ${title}`);
    schemas[title] = schema;
    return referenceTo(title);
  };
  const entriesOf = (value: JsonObject): JsonObject =>
    Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withReferences(inner)]));
  return { paths: entriesOf(paths), schemas };
}
