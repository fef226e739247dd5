import { ServiceBroker } from 'moleculer';
import { assets } from '../../models/asset.ts';
import { firstSchema, schemaDocuments, type SchemaDocument } from '../../models/migrations.ts';
import { systemScope } from '../../models/scope.ts';
import { testAsset } from '../../test/support/asset.ts';
import { testApp, type TestApp } from '../../test/support/app.ts';
import { until } from '../../test/api/support/client.ts';
import { checkSchema } from './check-schema.ts';
import { watchEarlierPrograms, isEarlierAmong, type EarlierPrograms } from './earlier-programs.ts';
import { runMigrations, type MigrationOptions } from './run-migrations.ts';
import { overEach, type Migration } from './steps.ts';

let test: TestApp;
/** State that a test sets: whether an earlier program serves, and the time. */
let around: { isEarlierThere: boolean; now: number };
let earlierPrograms: EarlierPrograms;
beforeEach(async () => {
  test = await testApp();
  around = { isEarlierThere: true, now: 0 };
  earlierPrograms = watchEarlierPrograms(
    () => around.isEarlierThere,
    () => around.now,
    1000,
  );
});
afterEach(() => test.close());

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
const all = () => test.app.records.collection(assets, systemScope);
const schemas = () => test.app.records.collection(schemaDocuments, systemScope);
const schema = async (): Promise<SchemaDocument> => (await schemas().get('schema')) ?? firstSchema;
const unmarked = async (): Promise<string[]> =>
  (await all().find({ filter: {}, limit: 100 }))
    .filter(({ filename }) => !/[^!]!$/.test(filename))
    .map(({ _id }) => _id);
const insert = (...ids: string[]): Promise<string[]> => all().insertNew(ids.map((_id) => testAsset({ _id })));

describe('while programs of an earlier version run', () => {
  it('a step runs, and runs again when they have stopped, so that their later writes are migrated too', async () => {
    await checkSchema(test.app.records);
    await insert('b', 'd');
    const options: MigrationOptions = { steps: [marking], limit: 1, earlierPrograms, walked: new Set() };
    expect(await runMigrations(test.app, options)).toBe(false);
    expect(await unmarked()).toEqual([]);
    expect((await schema()).done).toEqual([]);
    await insert('a', 'c');
    around.now = 5000;
    // Meanwhile the documents are not read repeatedly.
    const { token } = await schema();
    expect(await runMigrations(test.app, options)).toBe(false);
    expect((await schema()).token).toBe(token);
    around.isEarlierThere = false;
    around.now = 5999;
    expect(await runMigrations(test.app, options)).toBe(false);
    expect(await unmarked()).toEqual(['a', 'c']);
    around.now = 6000;
    expect(await runMigrations(test.app, options)).toBe(true);
    expect(await unmarked()).toEqual([]);
    expect(await schema()).toMatchObject({ done: ['marking'], at: null, lease: null });
    expect((await all().find({ filter: {}, limit: 9 })).map(({ version }) => version)).toEqual([2, 2, 2, 2]);
  });

  it('a process that takes over from one that still saw them starts with the first document', async () => {
    await checkSchema(test.app.records);
    await insert('b', 'c', 'd');
    let pages = 0;
    expect(
      await runMigrations(test.app, { steps: [marking], limit: 1, earlierPrograms, isStopping: () => pages++ === 2 }),
    ).toBe(false);
    expect((await schema()).at).toEqual({ step: 'marking', after: 'c', isLast: false });
    await insert('a');
    around = { isEarlierThere: false, now: 1000 };
    expect(await runMigrations(test.app, { steps: [marking], limit: 1, earlierPrograms })).toBe(true);
    expect(await unmarked()).toEqual([]);
  });

  it('a step is not done if one of them starts during it', async () => {
    await checkSchema(test.app.records);
    await insert('b');
    around = { isEarlierThere: false, now: 1000 };
    const coming: Migration = {
      ...marking,
      apply: async (records, after, limit) => {
        around.isEarlierThere = true;
        return marking.apply(records, after, limit);
      },
    };
    expect(await runMigrations(test.app, { steps: [coming], earlierPrograms })).toBe(false);
    expect((await schema()).done).toEqual([]);
  });

  it('a step that they cannot read waits until they have stopped, prevents others from starting, and checks once more', async () => {
    await checkSchema(test.app.records);
    await insert('a');
    const step: Migration = { ...marking, needs: 2 };
    const behind: Migration = { ...marking, id: 'behind', apply: overEach(assets, () => null) };
    const options: MigrationOptions = { steps: [step, behind], earlierPrograms, walked: new Set() };
    expect(await runMigrations(test.app, options)).toBe(false);
    expect(await schema()).toMatchObject({ records: 1, done: [] });
    around = { isEarlierThere: false, now: 1000 };
    expect(await runMigrations(test.app, options)).toBe(false);
    expect(await schema()).toMatchObject({ records: 2, done: [] });
    await expect(checkSchema(test.app.records, 1)).rejects.toThrow('of schema 2');
    expect(await unmarked()).toEqual(['a']);
    around.now = 2000;
    expect(await runMigrations(test.app, options)).toBe(true);
    expect(await unmarked()).toEqual([]);
    expect((await schema()).done).toEqual(['marking', 'behind']);
  });
});

it('an earlier program that returns unmarks migrations that it does not know, and a later one runs them again', async () => {
  await checkSchema(test.app.records);
  await insert('a');
  const known: Migration = { ...marking, id: 'known', apply: overEach(assets, () => null) };
  expect(await runMigrations(test.app, { steps: [known, marking] })).toBe(true);
  expect((await checkSchema(test.app.records, 1, [known, marking])).done).toEqual(['known', 'marking']);
  const { token } = await schema();
  expect((await checkSchema(test.app.records, 1, [known])).done).toEqual(['known']);
  expect(await schema()).toMatchObject({ done: ['known'], at: null, lease: null, token: token + 1 });
  await insert('b');
  expect(await runMigrations(test.app, { steps: [known, marking] })).toBe(true);
  expect(await unmarked()).toEqual([]);
  expect((await all().find({ filter: {}, limit: 9 })).map(({ version }) => version)).toEqual([2, 2]);
});

it('programs publish their known migrations; programs without any are first versions', async () => {
  const broker = (nodeID: string, metadata: { migrations?: string[] }): ServiceBroker =>
    new ServiceBroker({
      nodeID,
      namespace: nodeID.slice(0, 4),
      metadata,
      transporter: 'Fake',
      logger: false,
      skipProcessEventRegistration: true,
    });
  const [own, same, earlier] = [
    broker('here-own', { migrations: ['known', 'marking'] }),
    broker('here-same', { migrations: ['marking', 'known', 'later'] }),
    broker('here-earlier', {}),
  ];
  const steps = [{ ...marking, id: 'known' }, marking];
  await Promise.all([own.start(), same.start()]);
  const nodes = (): number => own.registry.getNodeList({ onlyAvailable: true, withServices: false }).length;
  await until(
    () => Promise.resolve(nodes()),
    (count) => count === 2,
  );
  expect(isEarlierAmong(own, steps)).toBe(false);
  await earlier.start();
  await until(
    () => Promise.resolve(isEarlierAmong(own, steps)),
    (isThere) => isThere,
  );
  await earlier.stop();
  await until(
    () => Promise.resolve(isEarlierAmong(own, steps)),
    (isThere) => !isThere,
  );
  expect(isEarlierAmong(same, [...steps, { ...marking, id: 'latest' }])).toBe(true);
  await Promise.all([own.stop(), same.stop()]);
});
