import { assets } from '../../models/asset.ts';
import { firstSchema, schemaDocuments, type SchemaDocument } from '../../models/migrations.ts';
import { systemScope } from '../../models/scope.ts';
import { testAsset } from '../../test/support/asset.ts';
import { testApp, type TestApp } from '../../test/support/app.ts';
import { checkSchema } from './check-schema.ts';
import { runMigrations } from './run-migrations.ts';
import { migrations, overEach, type Migration } from './steps.ts';

let test: TestApp;
beforeEach(async () => {
  test = await testApp();
});
afterEach(() => test.close());

const documents = () => test.app.records.collection(schemaDocuments, systemScope);
const all = () => test.app.records.collection(assets, systemScope);

async function schema(): Promise<SchemaDocument> {
  return (await documents().get('schema')) ?? firstSchema;
}

async function insertAssets(count: number): Promise<void> {
  for (let at = 0; at < count; at += 1) await all().insert(testAsset({ _id: `asset-${String(at).padStart(2, '0')}` }));
}

/** Marks each asset once. */
const marking: Migration = {
  id: 'marking',
  what: 'each asset is marked',
  apply: overEach(assets, (asset) =>
    asset.filename.endsWith('!')
      ? null
      : {
          filter: { version: asset.version },
          change: { set: { filename: `${asset.filename}!` }, increment: { version: 1 } },
        },
  ),
};

it('stores of a later schema are refused with instructions, and new stores get a schema document', async () => {
  expect(await checkSchema(test.app.records)).toEqual(firstSchema);
  expect(await schema()).toEqual(firstSchema);
  await documents().update('schema', {}, { set: { passages: 3 } });
  await expect(checkSchema(test.app.records)).rejects.toThrow(
    /The passages are of schema 3, written by a later version of Ply; this version reads schema 1 .*restore a backup/,
  );
  expect((await checkSchema(test.app.records, 3)).passages).toBe(3);
});

it('every document is migrated page by page, and a second run changes nothing', async () => {
  await checkSchema(test.app.records);
  await insertAssets(7);
  expect(await runMigrations(test.app, { steps: [marking], limit: 3 })).toBe(true);
  expect(await schema()).toMatchObject({ done: ['marking'], at: null, lease: null, token: 1 });
  const names = (await all().find({ filter: {}, limit: 100 })).map(({ filename }) => filename);
  expect(names.filter((name) => /[^!]!$/.test(name))).toHaveLength(7);
  expect(await runMigrations(test.app, { steps: [marking], limit: 3 })).toBe(true);
  expect((await schema()).token).toBe(1);
});

it('a process that stops is followed by another, which continues after its last page', async () => {
  await checkSchema(test.app.records);
  await insertAssets(7);
  let pages = 0;
  const seen: (string | null)[] = [];
  const step: Migration = {
    ...marking,
    apply: (records, after, limit) => (seen.push(after), marking.apply(records, after, limit)),
  };
  expect(await runMigrations(test.app, { isStopping: () => pages++ === 1, steps: [step], limit: 3 })).toBe(false);
  expect(await schema()).toMatchObject({ done: [], at: { step: 'marking', after: 'asset-02' }, lease: null });
  expect(await runMigrations(test.app, { steps: [step], limit: 3 })).toBe(true);
  expect(seen).toEqual([null, 'asset-02', 'asset-05']);
});

it('one process at a time: a lease is respected until it expires, and a late holder does not change the progress', async () => {
  await checkSchema(test.app.records);
  await insertAssets(4);
  await documents().update(
    'schema',
    {},
    { set: { token: 5, lease: { owner: 'another', token: 5, until: test.app.records.time() + 10_000 } } },
  );
  expect(await runMigrations(test.app, { steps: [marking], limit: 2 })).toBe(false);
  expect((await schema()).at).toBeNull();
  test.ahead.records = 11_000;
  // Another process takes over while it works.
  const overtaken: Migration = {
    ...marking,
    apply: async (records, after, limit) => {
      const page = await marking.apply(records, after, limit);
      await documents().update('schema', {}, { set: { token: 9 } });
      return page;
    },
  };
  expect(await runMigrations(test.app, { steps: [overtaken], limit: 2 })).toBe(false);
  expect(await schema()).toMatchObject({ done: [], at: null, token: 9 });
});

it('a step that earlier versions cannot read is recorded before its first write', async () => {
  await checkSchema(test.app.records);
  await insertAssets(1);
  const needed: number[] = [];
  const step: Migration = {
    ...marking,
    needs: 2,
    apply: async (records, after, limit) => {
      needed.push((await schema()).records);
      return marking.apply(records, after, limit);
    },
  };
  expect(await runMigrations(test.app, { steps: [step] })).toBe(true);
  expect(needed).toEqual([2]);
  await expect(checkSchema(test.app.records, 1)).rejects.toThrow('of schema 2');
});

it('concurrent writes of clients are kept', async () => {
  await checkSchema(test.app.records);
  await insertAssets(1);
  let reads = 0;
  const step: Migration = {
    ...marking,
    apply: overEach(assets, (asset) => {
      // The document has changed since it was read.
      const version = reads++ === 0 ? asset.version - 1 : asset.version;
      return asset.filename.endsWith('!')
        ? null
        : { filter: { version }, change: { set: { filename: `${asset.filename}!` }, increment: { version: 1 } } };
    }),
  };
  expect(await runMigrations(test.app, { steps: [step] })).toBe(true);
  expect(reads).toBe(2);
});

it('the ids of migrations are unique', () => {
  expect(new Set(migrations.map(({ id }) => id)).size).toBe(migrations.length);
});
