import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { derivedFolder } from '../../../mixins/blobs/derived.ts';
import { attributesOf } from '../../../mixins/indexing/outbox.ts';
import { noFacts } from '../../../mixins/indexing/runs.ts';
import type { Passages } from '../../../adapters/passages/port.ts';
import { assets as assetsDefinition, type Asset } from '../../../models/asset.ts';
import { indexRecords } from '../../../models/passage-index.ts';
import { scopeOf, systemScope } from '../../../models/scope.ts';
import { testAsset } from '../../../test/support/asset.ts';
import { testApp, type TestApp } from '../../../test/support/app.ts';
import { Registrar } from '../registrar.ts';
import { indexFeature } from './intake.ts';
import { IndexRecovery } from './index-recovery.ts';

const scope = scopeOf('organization');
let test: TestApp;
let recovery: IndexRecovery;
/** The index that the recovery uses; a test may replace it with an empty one. */
let passages: Passages;
/** The replacement of a lost index. */
let another: Passages | null;

async function* text(line: string): AsyncGenerator<Uint8Array> {
  await Promise.resolve();
  yield Buffer.from(line);
}

function row(ordinal: number) {
  return {
    ordinal,
    text: 'tides',
    stems: 'tide',
    length: 1,
    location: { lineStart: 1, lineEnd: 1 },
    language: 'en',
    speaker: null,
    analysedAs: 'en',
    vector: null,
  };
}

/** A file with two passages in the index and a stored text. */
async function ready(id: string, fields: Partial<Asset> = {}): Promise<Asset> {
  const plain = testAsset({
    _id: id,
    activeRevision: 1,
    embeddedWith: '',
    facts: { ...noFacts, passages: 2, sha256: 'a'.repeat(64), bytes: 10 },
    ...fields,
  });
  const asset: Asset = { ...plain, run: { ...plain.run, phase: 'ended', state: 'ready', ...fields.run } };
  await test.app.records.collection(assetsDefinition, systemScope).insert(asset);
  await test.app.blobs.write(`${derivedFolder('organization', id, 1)}blocks.ndjson`, text('{}\n'));
  return asset;
}

async function indexed(asset: Asset, count = 2): Promise<void> {
  await passages.publish(scope, asset.activeRevision ?? 1, count, attributesOf(asset), {
    embeddingModel: null,
    rows: Array.from({ length: count }, (_, ordinal) => row(ordinal)),
  });
}

async function read(id: string): Promise<Asset | null> {
  return test.app.records.collection(assetsDefinition, systemScope).get(id);
}

/** Does the embedder's work: the new revision is indexed and becomes active. */
async function embed(id: string): Promise<void> {
  const asset = await read(id);
  if (asset === null) throw new Error(`there is no ${id}`);
  const { run } = asset;
  await test.app.records.collection(assetsDefinition, systemScope).put({
    ...asset,
    activeRevision: run.revision,
    run: { ...run, phase: 'ended', state: 'ready' },
    version: asset.version + 1,
  });
  await test.app.blobs.write(`${derivedFolder('organization', id, run.revision)}blocks.ndjson`, text('{}\n'));
  await indexed({ ...asset, activeRevision: run.revision });
}

/** The same records with an empty index, as after a loss. */
async function loseIndex(): Promise<void> {
  const { openSqlitePassages } = await import('../../../adapters/passages/sqlite/sqlite.ts');
  await passages.close();
  const folder = test.app.configuration.PLY_DATA_DIR;
  for (const suffix of ['', '-wal', '-shm']) rmSync(join(folder, `passages.db${suffix}`), { force: true });
  another = await openSqlitePassages({ folder, runtime: test.app.runtime, readerThreads: 1 });
  passages = another;
  open();
}

function open(): void {
  const app = { ...test.app, passages };
  recovery = new IndexRecovery(
    new Registrar(
      app,
      () => Promise.resolve(),
      () => undefined,
    ),
    { pageSize: 3 },
  );
}

/** Rounds until one does nothing. */
async function rounds() {
  let record = await recovery.round();
  for (let version = -1; record.version !== version;) {
    ({ version } = record);
    record = await recovery.round();
  }
  return record;
}

beforeEach(async () => {
  test = await testApp();
  ({ passages } = test.app);
  another = null;
  open();
});

afterEach(async () => {
  await another?.close();
  await test.close();
});

describe('a passage index', () => {
  it('is recorded by the first check, which indexes nothing again and reports nothing', async () => {
    await indexed(await ready('one'));
    const { identity, changes } = await passages.state();
    const record = await rounds();
    expect(record).toMatchObject({ identity, changes, recovery: null, unrecoverable: 0, retryAt: null });
    expect(indexFeature(record)).toBeNull();
    expect((await read('one'))?.run).toMatchObject({ purpose: 'index', revision: 1 });
  });

  it('that was lost is recovered file by file from the stored texts, and health reports the progress', async () => {
    const files = ['a', 'b', 'c', 'd', 'e'];
    for (const id of files) await indexed(await ready(id));
    await rounds();
    const before = (await passages.state()).identity;
    await loseIndex();
    const record = await rounds();
    expect(record).toMatchObject({
      identity: before,
      recovery: { reason: 'other', total: 5, made: 5, walk: { isFirst: false } },
    });
    expect(Object.keys(record.recovery ?? {}).sort()).toEqual(['identity', 'made', 'reason', 'since', 'total', 'walk']);
    expect(indexFeature(record)).toMatchObject({
      state: 'recovering',
      detail: expect.stringMatching(/^the passage index was lost: .* 5 so far/),
    });
    for (const id of files)
      expect((await read(id))?.run).toMatchObject({
        purpose: 'reembed',
        stage: 'embedding',
        revision: 2,
        phase: 'waiting',
        facts: { bytes: 10 },
      });
    for (const id of files) await embed(id);
    const whole = await rounds();
    expect(whole).toMatchObject({ identity: (await passages.state()).identity, recovery: null, unrecoverable: 0 });
    expect(whole.identity).not.toBe(before);
    expect(indexFeature(whole)).toBeNull();
    expect((await read('a'))?.latestRevision).toBe(2);
  });

  it('that was lost before an update is compared with what the earlier version recorded', async () => {
    await indexed(await ready('one'));
    const { identity, changes } = await passages.state();
    const empty = { recovery: null, unrecoverable: 0, retryAt: null, version: 7 };
    const records = test.app.records.collection(indexRecords, systemScope);
    await records.insert({ _id: 'index', identity, changes, ...empty });
    expect(await rounds()).toMatchObject({ _id: 'recovery', identity, ...empty, version: expect.any(Number) });
    await records.remove('recovery');
    await loseIndex();
    expect(await rounds()).toMatchObject({ recovery: { reason: 'other', made: 1 } });
  });

  it('is continued where another process stopped, without indexing a file twice', async () => {
    for (const id of ['a', 'b', 'c', 'd']) await indexed(await ready(id));
    await rounds();
    await loseIndex();
    let looks = 0;
    // Ends within its first page, before it saves its progress.
    const { countOf } = passages;
    passages = {
      ...passages,
      countOf: (...file) => (++looks > 2 ? Promise.reject(new Error('killed')) : countOf(...file)),
    };
    open();
    await expect(recovery.round()).rejects.toThrow('killed');
    expect([(await read('a'))?.run.revision, (await read('c'))?.run.revision]).toEqual([2, 1]);
    passages = { ...passages, countOf };
    open();
    await rounds();
    for (const id of ['a', 'b', 'c', 'd']) expect((await read(id))?.run.revision).toBe(2);
  });

  it('that is an older copy gets the missing files, and the permissions of the others', async () => {
    const old = await ready('old');
    await indexed(old);
    const state = await passages.state();
    await indexed(await ready('new'));
    await rounds();
    // As after an older copy was restored: its counter is lower, and later permissions are missing.
    await passages.removeFile(scope, 'new');
    const rewritten: string[] = [];
    const { setAttributes } = passages;
    passages = {
      ...passages,
      state: () => Promise.resolve(state),
      setAttributes: (owner, attributes) => {
        rewritten.push(attributes.assetId);
        return setAttributes(owner, attributes);
      },
    };
    open();
    const record = await rounds();
    expect(record.recovery).toMatchObject({ reason: 'older', made: 1 });
    expect([(await read('old'))?.run.revision, (await read('new'))?.run.revision]).toEqual([1, 2]);
    expect(new Set(rewritten)).toEqual(new Set(['old']));
  });

  it('reports files without a stored text, and checks them again after an hour', async () => {
    const bare = await ready('bare');
    await indexed(bare);
    await rounds();
    await test.app.blobs.remove(`${derivedFolder('organization', 'bare', 1)}blocks.ndjson`);
    await loseIndex();
    const record = await rounds();
    expect(record).toMatchObject({ recovery: null, unrecoverable: 1 });
    expect(indexFeature(record)).toMatchObject({
      state: 'recovering',
      detail: expect.stringContaining('lacks 1 files'),
    });
    await indexed(bare);
    test.ahead.records = 3_700_000;
    expect(await rounds()).toMatchObject({ recovery: null, unrecoverable: 0, retryAt: null });
  });

  it('leaves files with a running job to the job, and ignores empty ones', async () => {
    const busy = await ready('busy');
    await indexed(busy);
    await ready('empty', { facts: { ...noFacts, passages: 0 } });
    await rounds();
    await test.app.records
      .collection(assetsDefinition, systemScope)
      .put({ ...busy, run: { ...busy.run, phase: 'working', state: 'embedding', revision: 2 }, latestRevision: 2 });
    await loseIndex();
    expect(await rounds()).toMatchObject({ recovery: { made: 0, walk: { isFirst: false, looked: 0 } } });
    expect([(await read('busy'))?.run, (await read('empty'))?.run]).toMatchObject([
      { purpose: 'index', revision: 2 },
      { purpose: 'index', revision: 1 },
    ]);
  });
});
