import * as fc from 'fast-check';
import type { JsonObject } from '../../models/json.ts';
import { errorCodes, Refusal } from '../../models/errors.ts';
import { assetCreate } from '../../models/schemas/assets.ts';
import { checkQuery } from '../../models/schemas/query.ts';
import { isObject } from '../../models/schemas/schema.ts';
import { routeTable } from '../../services/gateway/table.ts';
import { valuesNear, variationsOf } from './support/arbitraries.ts';
import { isJsonObject, newAjv } from './support/description.ts';

/*
 * Schemas of the description accept the same values as the validation, except for what JSON Schema cannot express:
 * - whether an address can be parsed (its form is described): `addressesParse` adds it here;
 * - whether an address is that of a container, which depends on its host: `addressesParse` adds that too;
 * - sizes of metadata in bytes, and lone surrogates: the values here have neither, and models/schemas tests them;
 * - items of an import: the description defines valid ones, but an invalid one only fails itself and the request is
 *   accepted. So the envelope and the items are compared separately.
 */

const runs = 400;
const seed = 20_261;
const ajv = newAjv();

function accepts(check: () => unknown): boolean {
  try {
    check();
    return true;
  } catch (error) {
    if (error instanceof Refusal && errorCodes[error.type].status === 422) return false;
    throw error;
  }
}

function addressesParse(value: unknown): boolean {
  if (!isObject(value)) return true;
  const access = value['sourceAccess'];
  const config = isObject(value['config']) ? value['config'] : {};
  const addresses = [
    value['sourceUrl'],
    value['callbackUrl'],
    value['url'],
    isObject(access) ? access['url'] : undefined,
    config['endpoint'],
    config['blobService'],
    config['baseUrl'],
    config['containerUrl'],
  ];
  return (
    addresses.every((address) => typeof address !== 'string' || URL.canParse(address)) &&
    isContainer(config['containerUrl'])
  );
}

/**
 * Whether an address, if it is one, has a container name as its whole path (after the account for IP addresses and
 * localhost).
 */
function isContainer(address: unknown): boolean {
  if (typeof address !== 'string') return true;
  const { hostname, pathname } = new URL(address);
  const segments = pathname.split('/').filter((segment) => segment !== '');
  const isNamed = hostname.includes('.') && !/^[\d.]+$/.test(hostname);
  return (
    segments.length === (isNamed ? 1 : 2) &&
    /^(\$root|\$web|\$logs|[a-z0-9](-?[a-z0-9]){0,62})$/.test(segments.at(-1) ?? '') &&
    (segments.at(-1) ?? '').length <= 63
  );
}

/** Runs a property and returns the number of accepted and refused values. */
function compare(
  values: fc.Arbitrary<unknown>,
  described: (value: unknown) => boolean,
  validated: (value: unknown) => boolean,
): { accepted: number; refused: number } {
  const seen = { accepted: 0, refused: 0 };
  fc.assert(
    fc.property(values, (value) => {
      const expected = described(value);
      seen[expected ? 'accepted' : 'refused'] += 1;
      expect({ accepted: validated(value) }).toEqual({ accepted: expected });
    }),
    { numRuns: runs, seed },
  );
  return seen;
}

const bucket = {
  kind: 's3',
  name: 'a',
  config: { endpoint: 'https://s3.example.com', bucket: 'files', accessKeyId: 'a' },
  credential: 'a',
};

/** Valid objects, which random values from the schema hardly ever are. */
const valid: { [operation: string]: { [name: string]: unknown } | undefined } = {
  createConnector: bucket,
  replaceConnector: bucket,
  createBucket: { name: 'abc', region: 'in-west', visibility: 'public', strictResidency: true },
  createStorageCredential: { name: 'a', kind: 's3', permissions: ['read', 'manage'], bucketIds: null },
  writeBoost: { name: 'a', match: { kind: 'video', metadata: { a: 1 } }, factor: 2 },
  registerAsset: {
    externalId: 'a',
    filename: 'a.TXT',
    kind: 'document',
    sourceUrl: 'https://files.example.com/a.txt',
    sourceVersion: '"1"',
    sourceAccess: { url: 'https://files.example.com/a.txt' },
  },
};

const bodies = routeTable.flatMap(({ operation, body }) =>
  body === null || operation === 'importAssets' ? [] : [{ operation, body }],
);

describe('validation accepts the same bodies as the schema', () => {
  it.each(bodies)('$operation', ({ operation, body }) => {
    const validate = ajv.compile(body.json);
    const base = valid[operation];
    // The first of several shapes is varied.
    const [shape = body.json] = [body.json['anyOf'] ?? []].flat().filter(isJsonObject);
    const values =
      base === undefined ? valuesNear(body.json) : fc.oneof(valuesNear(body.json), variationsOf(base, shape));
    const seen = compare(
      values,
      (value) => validate(value) && addressesParse(value),
      (value) => accepts(() => body.check(value)),
    );
    expect(Math.min(seen.accepted, seen.refused)).toBeGreaterThan(runs / 50);
  });

  it('importAssets (envelope)', () => {
    const body = routeTable.find(({ operation }) => operation === 'importAssets')?.body;
    if (body === null || body === undefined) throw new Error('importAssets has no body');
    const envelope: JsonObject = JSON.parse(JSON.stringify(body.json).replace(JSON.stringify(assetCreate.json), '{}'));
    const validate = ajv.compile(envelope);
    const seen = compare(
      valuesNear(envelope),
      (value) => validate(value),
      (value) => accepts(() => body.check(value)),
    );
    expect(Math.min(seen.accepted, seen.refused)).toBeGreaterThan(runs / 50);
  });
});

/** The JSON value of a parameter according to its schema; undefined for none. */
function readAs({ type }: JsonObject, texts: readonly string[]): unknown {
  if (type === 'array') return texts;
  const [text = ''] = texts;
  if (texts.length > 1) return undefined;
  if (type === 'integer') return /^-?\d+$/.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : undefined;
  if (type === 'boolean') return text === 'true' ? true : text === 'false' ? false : undefined;
  return text;
}

/** Texts that a client could send, near the limits of a schema. */
function textsNear(schema: JsonObject): fc.Arbitrary<string[]> {
  const written = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
  const one = valuesNear(schema)
    .map((value) => (Array.isArray(value) ? value.map(written) : [written(value)]))
    .filter((texts) => texts.length > 0);
  return fc.oneof(
    { weight: 10, arbitrary: one },
    { weight: 1, arbitrary: fc.tuple(one, one).map((both) => both.flat()) },
  );
}

const parameters = routeTable.flatMap(({ operation, query, params, headers }) =>
  Object.entries({ ...params, ...query, ...headers }).map(([name, field]) => ({ operation, name, field })),
);

describe('validation accepts the same parameters as the schema', () => {
  it.each(parameters)('$operation $name', ({ name, field }) => {
    const { json } = field.schema;
    const validate = ajv.compile(json);
    const described = (texts: unknown): boolean => Array.isArray(texts) && validate(readAs(json, texts));
    const validated = (texts: unknown): boolean =>
      Array.isArray(texts) && accepts(() => checkQuery({ [name]: field }, new Map([[name, texts]])));
    const seen = compare(textsNear(json), described, validated);
    expect(seen.accepted).toBeGreaterThan(0);
    expect(seen.refused).toBeGreaterThan(0);
  });
});
