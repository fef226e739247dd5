import { Ajv2020 } from 'ajv/dist/2020.js';
import type { JsonObject } from '../../models/json.ts';
import { Refusal } from '../../models/errors.ts';
import { checkQuery } from '../../models/schemas/query.ts';
import { codesOf, describeApi } from './openapi.ts';
import { routeTable } from './table.ts';

const asset = {
  externalId: 'a',
  filename: 'a.txt',
  kind: 'document',
  sourceUrl: 'https://files.example.com/a.txt',
  sourceVersion: '"1"',
};
const bucket = {
  kind: 's3',
  name: 'files',
  config: { endpoint: 'https://s3.example.com', bucket: 'files', accessKeyId: 'k' },
};
const long = (count: number): string => 'x'.repeat(count);
const keys = (count: number): JsonObject =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, at]));

/** Bodies by operation; what the schema says of each must be what the validation says. */
const bodies: { [operation: string]: unknown[] } = {
  registerAsset: [
    asset,
    {},
    [],
    null,
    { ...asset, extra: 1 },
    { ...asset, externalId: '' },
    { ...asset, externalId: long(512) },
    { ...asset, externalId: long(513) },
    { ...asset, externalId: '\u{1F600}'.repeat(512) },
    { ...asset, kind: 'image' },
    { ...asset, audioTrack: 15 },
    { ...asset, audioTrack: 16 },
    { ...asset, audioTrack: 1.5 },
    { ...asset, audioTrack: 1e21 },
    { ...asset, audioTrack: -0 },
    { ...asset, audioTrack: null },
    { ...asset, metadata: { a: [1, 'b', true] } },
    { ...asset, metadata: { a: null } },
    { ...asset, metadata: { a: { b: 1 } } },
    { ...asset, metadata: keys(51) },
    { ...asset, metadata: { '': 1 } },
    { ...asset, metadata: JSON.parse('{"__proto__": 1}') },
    { ...asset, principals: ['a', ''] },
    { ...asset, extractContentFromVideoFrames: null },
    { ...asset, contentSha256: 'A'.repeat(64) },
    { ...asset, contentSha256: 'g'.repeat(64) },
    { ...asset, language: 'a\0b' },
  ],
  writePermissions: [
    { mode: 'open' },
    { mode: 'open', principals: [] },
    { mode: 'open', principals: ['a'] },
    { mode: 'restricted' },
    { mode: 'restricted', principals: [] },
    { mode: 'shut' },
  ],
  writeMetadata: [{ metadata: {} }, {}, { metadata: { k: long(513) } }, { metadata: { k: Array(101).fill(1) } }],
  search: [
    { query: 'x' },
    { query: '' },
    { query: 'x', offset: 200 },
    { query: 'x', offset: 201 },
    { query: 'x', limit: 0 },
    { query: 'x', group: 'file' },
    { query: 'x', group: null },
    { query: 'x', filter: { principals: [] } },
    { query: 'x', filter: { assetIds: ['x'] } },
  ],
  createConnector: [
    bucket,
    {},
    [],
    null,
    { ...bucket, kind: 'ftp' },
    { ...bucket, kind: 'canvas' },
    { ...bucket, name: '' },
    { ...bucket, name: long(200) },
    { ...bucket, name: long(201) },
    { ...bucket, extra: 1 },
    { ...bucket, credential: null },
    { ...bucket, credential: 'a b' },
    ...[
      {},
      { ...bucket.config, extra: 1 },
      { ...bucket.config, endpoint: 's3.example.com' },
      { ...bucket.config, endpoint: 'https://u@example.com' },
      { ...bucket.config, endpoint: 'https://example.com/?x' },
      { ...bucket.config, bucket: '..' },
      { ...bucket.config, prefix: long(1024) },
      { ...bucket.config, prefix: long(1025) },
    ].map((config) => ({ ...bucket, config })),
    ...[
      { blobService: 'https://a.example.com', container: 'c' },
      { blobService: 'https://a.example.com', container: 'C' },
      { blobService: 'https://a.example.com', container: '$web' },
      { blobService: 'https://a.example.com', container: 'a--b' },
      { containerUrl: 'https://a.example.com/c' },
      { containerUrl: 'https://a.example.com/c', container: 'c' },
    ].map((config) => ({ kind: 'azure_blob', name: 'x', config })),
    {
      kind: 'canvas',
      name: 'x',
      config: { baseUrl: 'https://canvas.example.com' },
      schedule: 'nightly',
      enabled: false,
      defaultAclMode: 'open',
      extractContentFromVideoFrames: null,
    },
    { kind: 'canvas', name: 'x', config: {} },
  ],
  createSubOrganization: [
    { name: 'x' },
    {},
    { name: 'x', is_active: true },
    { name: 'x', contact_email: 'a@b' },
    { name: 'x', contact_email: 'a' },
    { name: 'x', contact_email: null },
    { name: 'x', metadata: { a: [1] } },
    { name: 'x', metadata: null },
  ],
  changeSubOrganization: [{}, { is_active: true }, { name: '' }, { is_active: 'true' }],
};

function accepted(check: () => unknown): boolean {
  try {
    check();
    return true;
  } catch (error) {
    if (error instanceof Refusal) return false;
    throw error;
  }
}

describe('the description of the API', () => {
  const document = describeApi(routeTable);
  const ajv = new Ajv2020({
    strict: true,
    strictRequired: false,
    allowUnionTypes: true,
    strictTypes: false,
    formats: { uuid: true, 'date-time': true, date: true },
  });

  it('contains exactly the rows of the table', () => {
    const described = Object.entries(document['paths'] ?? {}).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(described.sort()).toEqual(routeTable.map(({ method, path }) => `${method} ${path}`).sort());
    expect(new Set(routeTable.map(({ operation }) => operation)).size).toBe(routeTable.length);
  });

  it('has the parameters of each path', () => {
    for (const { path, params } of routeTable)
      expect([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)).toEqual(Object.keys(params));
  });

  it('has schemas that are JSON Schema 2020-12', () => {
    for (const route of routeTable) {
      for (const schema of [
        route.body?.json ?? {},
        route.answer.json,
        ...Object.values(route.query).map((field) => field.schema.json),
      ]) {
        expect(ajv.validateSchema(schema)).toBe(true);
        expect(typeof ajv.compile(schema)).toBe('function');
      }
    }
  });

  it('shares schemas of responses, and one for all errors', () => {
    const text = JSON.stringify(document);
    for (const name of ['Asset', 'Job', 'Location', 'Highlight', 'Kind', 'Error'])
      expect(text.split(`"#/components/schemas/${name}"`).length).toBeGreaterThan(2);
  });

  it('lists the errors of each operation in a machine-readable form', () => {
    for (const route of routeTable) {
      const { responses } = JSON.parse(JSON.stringify(document['paths']))[route.path][route.method.toLowerCase()];
      const documented = Object.values(responses as Record<string, { 'x-error-codes'?: string[] }>).flatMap(
        (response) => response['x-error-codes'] ?? [],
      );
      expect([route.operation, documented.sort()]).toEqual([route.operation, codesOf(route).sort()]);
    }
  });

  it.each(Object.entries(bodies))('accepts of %s exactly what the validation accepts', (operation, samples) => {
    const schema = routeTable.find((route) => route.operation === operation)?.body;
    if (schema === null || schema === undefined) throw new Error(`${operation} has no body`);
    const validate = ajv.compile(schema.json);
    for (const sample of samples)
      expect([JSON.stringify(sample), accepted(() => schema.check(sample))]).toEqual([
        JSON.stringify(sample),
        validate(sample),
      ]);
  });
});

describe('query parameters', () => {
  const activity = routeTable.find(({ operation }) => operation === 'listActivity')?.query ?? {};
  const read = (query: { [name: string]: string[] }): unknown => checkQuery(activity, new Map(Object.entries(query)));

  it('have types and defaults', () => {
    expect(
      read({
        limit: ['100'],
        principals: ['a'],
        asReader: ['true'],
        createdAfter: ['2026-01-01T01:00:00+01:00'],
        unknown: ['x'],
      }),
    ).toMatchObject({
      limit: 100,
      offset: 0,
      principals: ['a'],
      asReader: true,
      createdAfter: Date.UTC(2026, 0, 1),
      order: 'created',
      cursor: null,
    });
  });

  it('lower a limit to the maximum if documented, for any number', () => {
    const audit = routeTable.find(({ operation }) => operation === 'readAccountAudit')?.query ?? {};
    for (const [limit, lowered] of [
      ['100', 100],
      ['101', 100],
      ['9007199254740993', 100],
      ['1'.repeat(30), 100],
      ['99', 99],
    ] as const) {
      expect(checkQuery(audit, new Map([['limit', [limit]]]))).toMatchObject({ limit: lowered });
    }
    for (const limit of ['0', '-1', '1.5', `-${'1'.repeat(30)}`])
      expect(() => checkQuery(audit, new Map([['limit', [limit]]]))).toThrow(Refusal);
    expect(() => read({ limit: ['1'.repeat(30)] })).toThrow('must be at most 100');
  });

  it.each([
    ['limit', ['0']],
    ['limit', ['']],
    ['limit', ['1e1']],
    ['limit', ['1.0']],
    ['limit', ['5', '6']],
    ['offset', ['-1']],
    ['asReader', ['TRUE']],
    ['asReader', ['1']],
    ['createdAfter', ['2026-01-01']],
    ['createdAfter', ['2026-02-30T00:00:00Z']],
    ['createdAfter', ['2026-01-01T00:00:00']],
    ['createdAfter', ['2026-01-01T00:00:00 01:00']],
    ['kind', ['image']],
    ['connectorId', ['x']],
    ['cursor', ['']],
    ['q', [long(201)]],
    ['principals', ['']],
  ])('refuse %s=%j', (name, texts) => {
    let fields: unknown;
    try {
      read({ [name]: texts });
    } catch (error) {
      fields = error instanceof Refusal ? error.data.fields?.[0] : error;
    }
    expect(fields).toBe(name);
  });
});
