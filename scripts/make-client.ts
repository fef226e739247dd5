import { readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import openapiTS, { astToString } from 'openapi-typescript';
import { format, resolveConfig } from 'prettier';
import { wholeDescription } from '../services/gateway/description.ts';
import { isObject } from '../models/schemas/schema.ts';
import type { Json, JsonObject } from '../models/json.ts';
import { projectRoot } from './setup/paths.mjs';

const notice = 'Generated from the OpenAPI document by `node scripts/make-client.ts`; a test keeps it up to date.';

/** Folder of the client's sources. */
const sources = join(projectRoot, 'packages/client/src');
/** The types of requests and answers. */
const typesFile = join(sources, 'schema.d.ts');
/** What the client knows of each operation when it runs. */
const operationsFile = join(sources, 'operations.ts');

/** What the client knows of an operation. */
interface OperationRow {
  method: string;
  path: string;
  /** Whether it takes an `Idempotency-Key`. */
  takesKey: boolean;
  /** Whether it may be sent twice without one. */
  mayRepeat: boolean;
}

/** The generated files of the client, by their paths. */
async function clientFiles(): Promise<{ [path: string]: string }> {
  const description = wholeDescription();
  const types = astToString(
    await openapiTS(JSON.stringify(withoutErrors(description)), { alphabetize: true, defaultNonNullable: false }),
  );
  const rows = Object.fromEntries([...operationsOf(description)].sort(([one], [other]) => (one < other ? -1 : 1)));
  const operations = [
    `// ${notice}`,
    '/** Method, path and rules of each operation, by its `operationId`. */',
    `export const operations = ${JSON.stringify(rows)} as const;`,
  ].join('\n');
  const options = await resolveConfig(typesFile);
  const pretty = (text: string): Promise<string> => format(text, { ...options, parser: 'typescript' });
  return { [typesFile]: await pretty(`// ${notice}\n${types}`), [operationsFile]: await pretty(operations) };
}

/** The document without the answers that are errors, which are all alike, and without headers of answers. */
function withoutErrors(description: JsonObject): JsonObject {
  return mapped(description, 'responses', (responses) =>
    Object.fromEntries(
      Object.entries(responses)
        .filter(([status]) => status.startsWith('2'))
        .map(([status, response]) => {
          const { content = {} } = isObject(response) ? response : {};
          return [status, { description: '', content }];
        }),
    ),
  );
}

/** Applies a change to each member of a name, at any depth. */
function mapped(value: JsonObject, name: string, change: (member: JsonObject) => JsonObject): JsonObject {
  const inner = (member: Json): Json =>
    Array.isArray(member) ? member.map(inner) : isJsonObject(member) ? mapped(member, name, change) : member;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      key,
      key === name && isJsonObject(member) ? change(member) : inner(member),
    ]),
  );
}

function isJsonObject(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The operations that take a key: those without are for browsers and storage events. */
function* operationsOf({ paths }: JsonObject): Generator<[string, OperationRow]> {
  for (const [path, methods] of Object.entries(isObject(paths) ? paths : {})) {
    for (const [method, operation] of Object.entries(isObject(methods) ? methods : {})) {
      if (!isObject(operation) || operation['security'] !== undefined) continue;
      const { operationId, parameters } = operation;
      if (typeof operationId !== 'string' || !Array.isArray(parameters)) throw new Error(`${method} ${path}`);
      const takesKey = parameters.some((parameter) => isObject(parameter) && parameter['name'] === 'Idempotency-Key');
      const mayRepeat = operation['x-repeatable'] === true;
      yield [operationId, { method: method.toUpperCase(), path, takesKey, mayRepeat }];
    }
  }
}

if (import.meta.main) {
  const isCheck = process.argv.includes('--check');
  for (const [path, text] of Object.entries(await clientFiles())) {
    if (!isCheck) writeFileSync(path, text);
    else if (readFileSync(path, 'utf8') !== text) {
      console.log(`${relative(projectRoot, path)} is not up to date: run node scripts/make-client.ts`);
      process.exitCode = 1;
    }
  }
}
