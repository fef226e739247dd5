import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { MongoClient, type Db } from 'mongodb';
import { migrations } from '../../app/migrations/steps.ts';
import type { Asset } from '../../models/asset.ts';
import type { ArchivedRun } from '../../models/job.ts';
import type { SchemaDocument } from '../../models/migrations.ts';
import { maxRecentVersions, versionDigest, type RegisteredVersion } from '../../models/registered-version.ts';
import { ProgramProcess } from '../../scripts/cluster/program-process.ts';
import { until } from '../api/support/client.ts';
import { describeWithServers } from '../support/servers.ts';
import { asStored, documentsOf, writeToMongo, type FirstDocument } from './first-mongo.ts';
import { readFixture } from './fixture.ts';

const copies = 20;

await describeWithServers('records of the first version in MongoDB', ['mongo'], ({ mongo }) => {
  const fixture = readFixture('first-version.json', 'http://127.0.0.1:9');
  const database = `ply_test_${randomUUID().slice(0, 8)}`;
  const folder = mkdtempSync(join(tmpdir(), 'ply-upgrade-mongo-'));
  const firstVersionFile = join(folder, 'first version serves');
  const client = new MongoClient(mongo.url);
  const running = new Set<ChildProcess>();
  let db: Db;
  beforeAll(async () => {
    await client.connect();
    db = client.db(database);
    await writeToMongo(fixture, db);
    // More documents, so that the migration takes time, including the first and last ids.
    for (let copy = 0; copy < copies; copy += 1) await write(copy);
  }, 60_000);
  afterAll(async () => {
    for (const child of running) child.kill('SIGKILL');
    if (mongo.external) await db.dropDatabase();
    await client.close();
    rmSync(folder, { recursive: true });
  });

  /** Writes copies of all assets and earlier runs as the first version does. Returns their number. */
  async function write(copy: number): Promise<number> {
    let written = 0;
    for (const name of ['assets', 'runs']) {
      const documents = documentsOf(fixture, name).map((document): FirstDocument => {
        const run = document['run'] as { jobId: string };
        const key =
          name === 'assets' && typeof document['externalKey'] === 'string'
            ? { externalKey: `${document['externalKey']}-${copy}` }
            : {};
        return asStored(name, { ...document, ...key, _id: randomUUID(), run: { ...run, jobId: randomUUID() } });
      });
      written += documents.length;
      if (documents.length > 0) await db.collection<FirstDocument>(name).insertMany(documents);
    }
    return written;
  }

  function migrate(name: string): { child: ChildProcess; begun: Promise<void>; ended: Promise<number | null> } {
    const child = spawn(
      process.execPath,
      [
        '--disable-warning=ExperimentalWarning',
        join(import.meta.dirname, 'testing/migrate.ts'),
        mongo.url,
        database,
        firstVersionFile,
        name,
      ],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    running.add(child);
    const ended = once(child, 'exit').then(
      ([code]: unknown[]) => (running.delete(child), typeof code === 'number' ? code : null),
    );
    return { child, ended, begun: once(child.stdout ?? child, 'data').then(() => undefined) };
  }

  const schema = (): Promise<SchemaDocument | null> =>
    db.collection<SchemaDocument>('schema').findOne({ _id: 'schema' });
  const isOld = { assets: { 'run.blame': { $exists: false } }, runs: { assetVersion: { $exists: false } } };
  const old = async (): Promise<number> =>
    (await db.collection('assets').countDocuments(isOld.assets)) +
    (await db.collection('runs').countDocuments(isOld.runs));

  it('are migrated once by two processes, over a crash, while the first version writes', async () => {
    const before = new Map(
      (await db.collection<Asset>('assets').find().toArray()).map(({ _id, version }) => [_id, version]),
    );
    expect(await old()).toBe(before.size + (await db.collection('runs').countDocuments()));
    writeFileSync(firstVersionFile, '');
    const [one, other] = [migrate('one'), migrate('other')];
    await Promise.all([one.begun, other.begun]);
    // The process with the lease is killed, and the other one continues when the lease has expired.
    const held = await until(
      schema,
      (found) => found?.at !== null && found?.at !== undefined && found.lease !== null,
      30_000,
    );
    const [dying, living] = held?.lease?.owner === 'one' ? [one, other] : [other, one];
    dying.child.kill('SIGKILL');
    await dying.ended;
    expect((await schema())?.done).toEqual([]);
    let written = 0;
    for (let time = 0; time < 3; time += 1) written += await write(copies + time);
    await db
      .collection<SchemaDocument>('schema')
      .updateOne({ _id: 'schema', 'lease.owner': held?.lease?.owner ?? '' }, { $set: { 'lease.until': 0 } });
    for (let time = 3; time < 6; time += 1) {
      written += await write(copies + time);
      await pause(60);
    }
    // The first version registers a migrated asset again, which writes a run in its own form.
    const again = await until(
      () => db.collection<Asset>('assets').findOne({ 'run.blame': 0, _id: { $in: [...before.keys()] } }),
      (found) => found !== null,
      30_000,
    );
    const { blame: _lacking, ...run } = again?.run ?? { blame: 0 };
    await db
      .collection<Asset>('assets')
      .updateOne({ _id: again?._id ?? '' }, { $set: { run: run as Asset['run'] }, $inc: { version: 1 } });
    // All documents were visited; the migration is not done while the first version may still write.
    await until(schema, (found) => found?.lease === null, 60_000);
    written += await write(copies + 6);
    await pause(700);
    expect((await schema())?.done).toEqual([]);
    expect(await old()).toBeGreaterThan(0);
    const third = migrate('third');
    await third.begun;
    rmSync(firstVersionFile);
    expect(await Promise.all([living.ended, third.ended])).toEqual([0, 0]);

    expect(written).toBe(7 * (documentsOf(fixture, 'assets').length + documentsOf(fixture, 'runs').length));
    expect(await old()).toBe(0);
    expect(await schema()).toMatchObject({ done: migrations.map(({ id }) => id), at: null, lease: null });
    const assets = await db.collection<Asset>('assets').find().toArray();
    expect(assets).toHaveLength((copies + 8) * documentsOf(fixture, 'assets').length);
    for (const {
      _id,
      activeRevision,
      embeddedWith,
      run: { blame },
      version,
    } of assets) {
      expect([_id, blame, activeRevision === null ? undefined : embeddedWith]).toEqual([
        _id,
        0,
        activeRevision === null ? undefined : '',
      ]);
      // One write for each write of the first version.
      const first = before.get(_id);
      if (first !== undefined) expect([_id, version]).toEqual([_id, first + (_id === again?._id ? 3 : 1)]);
    }
    const runs = await db.collection<ArchivedRun>('runs').find().toArray();
    expect(runs.filter(({ assetVersion }) => assetVersion !== 0)).toEqual([]);
    expect(await db.collection('assets').distinct('_keys.external_id')).toHaveLength(
      assets.filter(({ externalKey }) => externalKey !== undefined).length,
    );
  }, 180_000);

  it('with many source versions have all of them in a separate collection', async () => {
    const [asset] = documentsOf(fixture, 'assets');
    if (asset === undefined) throw new Error('the fixture has no asset');
    const _id = randomUUID();
    const versions = Array.from({ length: 1440 }, (_, minute) => versionDigest(`of minute ${minute}`));
    const document = { ...asset, _id, sourceVersion: 'of minute 1439', registeredVersions: versions };
    await db.collection<FirstDocument>('assets').insertOne(
      asStored('assets', {
        ...document,
        externalKey: 'many-versions',
        run: { ...(asset['run'] as object), jobId: randomUUID() },
      }),
    );
    await db
      .collection<SchemaDocument>('schema')
      .updateOne({ _id: 'schema' }, { $pull: { done: '3-source-versions' } });
    expect(await Promise.all([migrate('one').ended, migrate('other').ended])).toEqual([0, 0]);
    const found = await db.collection<Asset>('assets').findOne({ _id });
    expect(found?.registeredVersions).toEqual(versions.slice(-maxRecentVersions));
    const rows = await db.collection<RegisteredVersion>('registered_versions').find({ assetId: _id }).toArray();
    expect(rows.map(({ version }) => version).sort()).toEqual(versions.slice(0, -1).sort());
  }, 120_000);

  it('of a later schema are refused without changes to indexes', async () => {
    const before = await db
      .collection<SchemaDocument>('schema')
      .findOneAndUpdate({ _id: 'schema' }, { $set: { records: 2 } });
    // Indexes of a later version, and those of this one.
    await db.collection('assets').createIndexes([{ key: { laterField: 1 }, name: 'later' }]);
    await db.dropCollection('connectors');
    const described = async (): Promise<string> => {
      const names = (await db.listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name).sort();
      return JSON.stringify(
        await Promise.all(
          names.map(async (name) => [
            name,
            (await db.collection(name).indexes()).map((index) => index.name).sort(),
            await db.collection(name).countDocuments(),
          ]),
        ),
      );
    };
    const found = await described();
    const logFile = join(folder, 'program.log');
    const program = new ProgramProcess({
      name: 'program',
      logFile,
      healthUrl: 'http://127.0.0.1:9/health/ready',
      environment: {
        PLY_MONGO_URL: mongo.url,
        PLY_MONGO_DATABASE: database,
        PLY_DATA_DIR: join(folder, 'data'),
        PLY_API_PORT: '0',
        PLY_METRICS_PORT: '0',
        PLY_DELIVERY_PORT: '0',
        PLY_S3_PORT: '0',
        PLY_BLOB_PORT: '0',
        PLY_UPLOAD_PORT: '0',
        PLY_EMBEDDING_THREADS: '0',
      },
    });
    program.start();
    await expect(program.ready(60_000)).rejects.toThrow('exited');
    expect(readFileSync(logFile, 'utf8')).toMatch(
      /Ply could not start: The records are of schema 2, written by a later version of Ply; this version reads schema 1 .*Start that later version again/,
    );
    expect(await described()).toBe(found);
    await db
      .collection<SchemaDocument>('schema')
      .updateOne({ _id: 'schema' }, { $set: { records: before?.records ?? 1 } });
  }, 90_000);

  it('of a compatible later version are served: its indexes stay, and its migrations are unmarked', async () => {
    await db
      .collection<SchemaDocument>('schema')
      .updateOne({ _id: 'schema' }, { $push: { done: '3-of-a-later-version' } });
    const last = migrate('last');
    await last.ended;
    expect((await db.collection('assets').indexes()).map(({ name }) => name)).toContain('later');
    expect((await schema())?.done).toEqual(migrations.map(({ id }) => id));
  }, 60_000);
});
