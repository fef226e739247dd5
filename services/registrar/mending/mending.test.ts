import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { derivedFolder } from '../../../mixins/blobs/derived.ts';
import { attributesOf } from '../../../mixins/runs/outbox.ts';
import { noFacts } from '../../../mixins/runs/transitions.ts';
import type { Passages } from '../../../adapters/passages/port.ts';
import { assets as assetsDefinition, type Asset } from '../../../models/asset.ts';
import { scopeOf, systemScope } from '../../../models/scope.ts';
import { testAsset } from '../../../test/support/asset.ts';
import { testHouse, type TestHouse } from '../../../test/support/house.ts';
import { Registrar } from '../registrar.ts';
import { indexFeature } from './intake.ts';
import { IndexMender } from './mending.ts';

const scope = scopeOf('organization');
let test: TestHouse;
let mender: IndexMender;
/** The index as the mender sees it; another one where a test lost it. */
let passages: Passages;
/** What was opened in the place of a lost one. */
let another: Passages | null;

async function* text(line: string): AsyncGenerator<Uint8Array> {
  await Promise.resolve();
  yield Buffer.from(line);
}

function row(ordinal: number) {
  return { ordinal, text: 'tides', stems: 'tide', length: 1, location: { lineStart: 1, lineEnd: 1 }, language: 'en', speaker: null, analysedAs: 'en', vector: null };
}

/** A file that is found, by two passages, whose text is kept. */
async function ready(id: string, fields: Partial<Asset> = {}): Promise<Asset> {
  const plain = testAsset({ _id: id, activeRevision: 1, embeddedWith: '', facts: { ...noFacts, passages: 2, sha256: 'a'.repeat(64), bytes: 10 }, ...fields });
  const asset: Asset = { ...plain, run: { ...plain.run, phase: 'ended', state: 'ready', ...fields.run } };
  await test.house.records.collection(assetsDefinition, systemScope).insert(asset);
  await test.house.blobs.write(`${derivedFolder('organization', id, 1)}blocks.ndjson`, text('{}\n'));
  return asset;
}

async function indexed(asset: Asset, count = 2): Promise<void> {
  await passages.publish(scope, asset.activeRevision ?? 1, count, attributesOf(asset), { embeddingModel: null, rows: Array.from({ length: count }, (_, ordinal) => row(ordinal)) });
}

async function read(id: string): Promise<Asset | null> {
  return test.house.records.collection(assetsDefinition, systemScope).get(id);
}

/** What the embedder does: the new revision is found and becomes the active one. */
async function embed(id: string): Promise<void> {
  const asset = await read(id);
  if (asset === null) throw new Error(`there is no ${id}`);
  const { run } = asset;
  await test.house.records.collection(assetsDefinition, systemScope).put({ ...asset, activeRevision: run.revision, run: { ...run, phase: 'ended', state: 'ready' }, version: asset.version + 1 });
  await test.house.blobs.write(`${derivedFolder('organization', id, run.revision)}blocks.ndjson`, text('{}\n'));
  await indexed({ ...asset, activeRevision: run.revision });
}

/** The same records with an index that knows nothing, as after a loss. */
async function loseIndex(): Promise<void> {
  const { openSqlitePassages } = await import('../../../adapters/passages/sqlite/sqlite.ts');
  await passages.close();
  const folder = test.house.configuration.PLY_DATA_DIR;
  for (const suffix of ['', '-wal', '-shm']) rmSync(join(folder, `passages.db${suffix}`), { force: true });
  another = await openSqlitePassages({ folder, ambient: test.house.ambient, readerThreads: 1 });
  passages = another;
  open();
}

function open(): void {
  const house = { ...test.house, passages };
  mender = new IndexMender(new Registrar(house, () => Promise.resolve(), () => undefined), { pageSize: 3 });
}

/** Rounds until nothing is done in one. */
async function rounds() {
  let record = await mender.round();
  for (let version = -1; record.version !== version;) {
    ({ version } = record);
    record = await mender.round();
  }
  return record;
}

beforeEach(async () => {
  test = await testHouse();
  ({ passages } = test.house);
  another = null;
  open();
});

afterEach(async () => {
  await another?.close();
  await test.close();
});

describe('a passage index', () => {
  it('is known after a first look, which makes nothing anew and says nothing', async () => {
    await indexed(await ready('one'));
    const { identity, changes } = await passages.state();
    const record = await rounds();
    expect(record).toMatchObject({ identity, changes, mending: null, unmended: 0, again: null });
    expect(indexFeature(record)).toBeNull();
    expect((await read('one'))?.run).toMatchObject({ purpose: 'index', revision: 1 });
  });

  it('that was lost is made anew file by file from the kept texts, and health tells how far it is', async () => {
    const files = ['a', 'b', 'c', 'd', 'e'];
    for (const id of files) await indexed(await ready(id));
    await rounds();
    const before = (await passages.state()).identity;
    await loseIndex();
    const record = await rounds();
    expect(record).toMatchObject({ identity: before, mending: { reason: 'other', total: 5, made: 5, walk: { isFirst: false } } });
    expect(Object.keys(record.mending ?? {}).sort()).toEqual(['identity', 'made', 'reason', 'since', 'total', 'walk']);
    expect(indexFeature(record)).toMatchObject({ state: 'mending', detail: expect.stringMatching(/^the passage index was lost: .* 5 files so far/) });
    for (const id of files) expect((await read(id))?.run).toMatchObject({ purpose: 'reembed', stage: 'embedding', revision: 2, phase: 'waiting', facts: { bytes: 10 } });
    for (const id of files) await embed(id);
    const whole = await rounds();
    expect(whole).toMatchObject({ identity: (await passages.state()).identity, mending: null, unmended: 0 });
    expect(whole.identity).not.toBe(before);
    expect(indexFeature(whole)).toBeNull();
    expect((await read('a'))?.latestRevision).toBe(2);
  });

  it('is gone on with where another process stopped, without making a file twice', async () => {
    for (const id of ['a', 'b', 'c', 'd']) await indexed(await ready(id));
    await rounds();
    await loseIndex();
    let looks = 0;
    // Ends in the middle of its first page, before it tells how far it was.
    const { countOf } = passages;
    passages = { ...passages, countOf: (...file) => (++looks > 2 ? Promise.reject(new Error('killed')) : countOf(...file)) };
    open();
    await expect(mender.round()).rejects.toThrow('killed');
    expect([(await read('a'))?.run.revision, (await read('c'))?.run.revision]).toEqual([2, 1]);
    passages = { ...passages, countOf };
    open();
    await rounds();
    for (const id of ['a', 'b', 'c', 'd']) expect((await read(id))?.run.revision).toBe(2);
  });

  it('that is an older copy gets what it lacks, and the permissions of what it has', async () => {
    const old = await ready('old');
    await indexed(old);
    const state = await passages.state();
    await indexed(await ready('new'));
    await rounds();
    // As after the copy of an earlier day was put back: it has counted less, and knows nothing of later permissions.
    await passages.removeFile(scope, 'new');
    const told: string[] = [];
    const { setAttributes } = passages;
    passages = { ...passages, state: () => Promise.resolve(state), setAttributes: (owner, attributes) => { told.push(attributes.assetId); return setAttributes(owner, attributes); } };
    open();
    const record = await rounds();
    expect(record.mending).toMatchObject({ reason: 'older', made: 1 });
    expect([(await read('old'))?.run.revision, (await read('new'))?.run.revision]).toEqual([1, 2]);
    expect(new Set(told)).toEqual(new Set(['old']));
  });

  it('tells of files of which nothing is kept, and looks at them again after an hour', async () => {
    const bare = await ready('bare');
    await indexed(bare);
    await rounds();
    await test.house.blobs.remove(`${derivedFolder('organization', 'bare', 1)}blocks.ndjson`);
    await loseIndex();
    const record = await rounds();
    expect(record).toMatchObject({ mending: null, unmended: 1 });
    expect(indexFeature(record)).toMatchObject({ state: 'mending', detail: expect.stringContaining('lacks 1 files') });
    await indexed(bare);
    test.ahead.records = 3_700_000;
    expect(await rounds()).toMatchObject({ mending: null, unmended: 0, again: null });
  });

  it('leaves files whose job is under way to their job, and empty ones alone', async () => {
    const busy = await ready('busy');
    await indexed(busy);
    await ready('empty', { facts: { ...noFacts, passages: 0 } });
    await rounds();
    await test.house.records.collection(assetsDefinition, systemScope).put({ ...busy, run: { ...busy.run, phase: 'working', state: 'embedding', revision: 2 }, latestRevision: 2 });
    await loseIndex();
    expect(await rounds()).toMatchObject({ mending: { made: 0, walk: { isFirst: false, looked: 0 } } });
    expect([(await read('busy'))?.run, (await read('empty'))?.run]).toMatchObject([{ purpose: 'index', revision: 2 }, { purpose: 'index', revision: 1 }]);
  });
});
