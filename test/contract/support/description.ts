import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { Json, JsonObject } from '../../../models/json.ts';
import { isObject } from '../../../models/schemas/schema.ts';

/** Whether a text is an RFC 3339 date-time, independent of the tested code. */
function isDateTime(given: string): boolean {
  const parts = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2}:\d{2})(\.\d+)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/i.exec(given);
  if (parts === null) return false;
  const utc = new Date(`${parts[1]}T${parts[2]}Z`);
  // An invalid day, such as the 30th of February, becomes another one.
  return !Number.isNaN(utc.getTime()) && utc.toISOString().startsWith(`${parts[1]}T${parts[2]}`);
}

/** Whether a text is a full-date of RFC 3339, independent of the tested code. */
function isDate(given: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(given) && isDateTime(`${given}T00:00:00Z`);
}

/** A validator of JSON Schema 2020-12. */
export function newAjv(): Ajv2020 {
  return new Ajv2020({
    strict: true,
    strictRequired: false,
    strictTypes: false,
    allowUnionTypes: true,
    allErrors: false,
    formats: {
      uuid: /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i,
      'date-time': isDateTime,
      date: isDate,
    },
  });
}

/** The same schema with all objects closed: unknown fields are faults. */
export function closed(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(closed);
  if (!isJsonObject(schema)) return schema;
  const all: JsonObject = {};
  // Parts of allOf describe an object that is closed elsewhere.
  for (const [name, inner] of Object.entries(schema)) all[name] = name === 'allOf' ? inner : closed(inner);
  const isClosable =
    isJsonObject(schema['properties']) && schema['type'] === 'object' && schema['additionalProperties'] === undefined;
  return isClosable ? { ...all, additionalProperties: false } : all;
}

/** Whether a JSON value is an object. */
export function isJsonObject(value: Json | undefined): value is JsonObject {
  return isObject(value);
}

/** The object at a path of the description; empty if there is none. */
export function at(description: JsonObject, ...path: string[]): JsonObject {
  let found: Json | undefined = description;
  for (const name of path) found = isJsonObject(found) ? found[name] : undefined;
  return isJsonObject(found) ? found : {};
}

/** A received response. */
export interface SeenAnswer {
  method: string;
  /** Path of the route, with parameter names. */
  path: string;
  status: number;
  headers: Headers;
  body: unknown;
}

/** Checks responses against an OpenAPI document with all objects closed. */
export class AnswerCheck {
  private readonly description: JsonObject;
  private readonly ajv = newAjv();
  private readonly compiled = new Map<string, ValidateFunction>();

  constructor(description: JsonObject) {
    this.description = description;
  }

  /** The faults of a response; empty if it matches. */
  faults({ method, path, status, headers, body }: SeenAnswer): string[] {
    const response = at(this.description, 'paths', path, method.toLowerCase(), 'responses', String(status));
    if (response['description'] === undefined) return [`${status} is not described`];
    const faults = Object.keys(at(response, 'headers'))
      .filter((name) => name !== 'Idempotency-Replayed' && name !== 'Retry-After' && !headers.has(name))
      .map((name) => `has no ${name}`);
    const codes = response['x-error-codes'];
    if (Array.isArray(codes) && !codes.some((code) => isObject(body) && body['code'] === code))
      faults.push(`has another code than ${JSON.stringify(codes)}`);
    const schema = at(response, 'content', 'application/json')['schema'];
    if (schema === undefined) return faults;
    if (headers.get('content-type') !== 'application/json; charset=utf-8')
      faults.push(`is ${headers.get('content-type')}`);
    const validate = this.validator(`${method} ${path} ${status}`, schema);
    if (!validate(body))
      faults.push(
        ...(validate.errors ?? []).map(
          ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
        ),
      );
    return faults;
  }

  private validator(name: string, schema: Json): ValidateFunction {
    const known = this.compiled.get(name);
    if (known !== undefined) return known;
    const root = {
      ...at({ schema: closed(schema) }, 'schema'),
      components: closed(at(this.description, 'components', 'schemas')),
    };
    const validate = this.ajv.compile(resolved(root));
    this.compiled.set(name, validate);
    return validate;
  }
}

/** A schema with references to components as its own definitions. */
function resolved({ components, ...schema }: JsonObject): JsonObject {
  const text = JSON.stringify({ ...schema, $defs: components ?? {} }).replaceAll('#/components/schemas/', '#/$defs/');
  const moved: unknown = JSON.parse(text);
  return isObject(moved) ? at({ moved: JSON.parse(text) }, 'moved') : {};
}
