import { testApp, type TestApp } from '../../test/support/app.ts';
import { indexing } from '../../mixins/indexing/kind.ts';
import { drainOutbox } from '../../mixins/work/outbox.ts';
import { complete, noFacts } from '../../mixins/indexing/runs.ts';
import * as transitions from '../../mixins/work/transitions.ts';
import type { AssetCreate, Caller } from '../../models/api.ts';
import type { Asset } from '../../models/asset.ts';
import { scopeOf } from '../../models/scope.ts';
import { Sweeper } from '../../mixins/work/sweeper.ts';
import { writeMetadata, writePermissions } from './attributes.ts';
import { register, registrationIds, startRun } from './register.ts';
import { Registrar, type OrganizationRecords } from './registrar.ts';
import { finishRemoval, removeAsset } from './remove.ts';

const organizationId = '6e3ad0c8-0000-4000-8000-00000000000a';
const caller: Caller = {
  accountId: 'account',
  organizationId,
  keyId: 'key',
  keyPrefix: 'ply_test',
  keyLabel: 'test',
  keyScope: 'standard',
  requestId: 'request',
};
const scope = scopeOf(organizationId);

function file(externalId: string, sourceVersion = '"1"'): AssetCreate {
  return {
    externalId,
    filename: `${externalId}.txt`,
    kind: 'document',
    sourceUrl: `https://example.com/${externalId}.txt`,
    sourceVersion,
    sourceAccess: null,
    language: 'multi',
    audioTrack: null,
    metadata: null,
    collections: null,
    principals: null,
    callbackKey: null,
    contentSha256: null,
    extractContentFromVideoFrames: null,
  };
}

describe('the registrar, on failures between its steps', () => {
  let test: TestApp;
  let registrar: Registrar;
  let records: OrganizationRecords;
  let recorded: string[];
  let isLedgerAway: boolean;
  const recordUsage = async (events: { _id: string }[]): Promise<void> => {
    if (isLedgerAway) throw new Error('the ledger is away');
    recorded.push(...events.map((event) => event._id));
  };

  beforeEach(async () => {
    test = await testApp();
    recorded = [];
    isLedgerAway = false;
    registrar = new Registrar(test.app, recordUsage, () => undefined);
    records = registrar.of(organizationId);
  });
  afterEach(() => test.close());

  async function registered(externalId: string): Promise<Asset> {
    const { assetId } = await register(registrar, caller, file(externalId), registrationIds(registrar, undefined));
    return registrar.present(organizationId, assetId);
  }

  async function written(asset: Asset, { filter, change }: transitions.Transition): Promise<Asset> {
    const changed = await records.assets.update(asset._id, filter, change);
    if (changed === null) throw new Error('the transition was refused');
    return changed;
  }

  async function ready(asset: Asset): Promise<Asset> {
    const now = test.app.records.time();
    const claimed = await written(asset, transitions.claim(asset, { owner: 'worker', held: 1 }, now, 30_000));
    return written(claimed, complete(claimed, noFacts, [], now));
  }

  it("writes permissions to the index before the answer, also where its clock is ahead of the store's", async () => {
    const asset = await registered('a');
    test.ahead.local = 5000;
    await test.app.passages.publish(scope, 1, 0, {
      assetId: asset._id,
      attributesVersion: 1,
      aclMode: 'open',
      principals: [],
      kind: 'document',
      externalId: 'a',
      metadata: {},
      collections: [],
      createdAt: 1,
      present: true,
    });
    await writePermissions(registrar, caller, asset._id, 'restricted', ['ann']);
    expect((await registrar.present(organizationId, asset._id)).outbox).toEqual([]);
  });

  it('keeps one entry for the index in the outbox, however often attributes change while the index is unavailable', async () => {
    const asset = await registered('a');
    test.app.passages = {
      ...test.app.passages,
      setAttributes: () => Promise.reject(new Error('the index is away')),
    };
    for (let times = 0; times < 3; times += 1)
      await expect(writeMetadata(registrar, caller, asset._id, { times })).rejects.toThrow('the index is away');
    expect((await registrar.present(organizationId, asset._id)).outbox.map((entry) => entry.id)).toEqual([
      'attributes:4',
    ]);
  });

  it('never shows a run that became ready as cancelled, whichever of two registrations writes last', async () => {
    const early = await registered('a');
    const late = await ready(early);
    const now = test.app.records.time();
    const started = await startRun(registrar, records.assets, records.archive, late, 'job-2', {}, now);
    expect(started?.run.jobId).toBe('job-2');
    expect(await startRun(registrar, records.assets, records.archive, early, 'job-3', {}, now)).toBeNull();
    expect((await records.archive.get(early.run.jobId))?.run.state).toBe('ready');
  });

  it('corrects the history where a registration crashed before its write', async () => {
    const early = await registered('a');
    const now = test.app.records.time();
    const late = await ready(early);
    expect(await startRun(registrar, records.assets, records.archive, early, 'job-3', {}, now)).toBeNull();
    expect((await records.archive.get(early.run.jobId))?.run.state).toBe('cancelled');
    expect(await startRun(registrar, records.assets, records.archive, late, 'job-2', {}, now)).not.toBeNull();
    expect((await records.archive.get(early.run.jobId))?.run.state).toBe('ready');
  });

  async function withOutbox(externalId: string, notBefore: number): Promise<Asset> {
    const asset = await registered(externalId);
    const changed = await records.assets.update(
      asset._id,
      {},
      {
        set: {
          outbox: [{ id: `${externalId}:usage`, kind: 'usage', notBefore, metric: 'source_bytes', quantity: 1, at: 1 }],
          outboxDue: notBefore,
        },
        increment: { version: 1 },
      },
    );
    if (changed === null) throw new Error('not changed');
    return changed;
  }

  it('removes no asset with undelivered usage', async () => {
    const asset = await withOutbox('a', test.app.records.time() + 60_000);
    await removeAsset(registrar, caller, asset._id);
    const removing = await records.assets.get(asset._id);
    if (removing === null) throw new Error('gone too early');
    await finishRemoval(registrar, removing);
    expect(recorded).toEqual([]);
    expect(await records.assets.get(asset._id)).not.toBeNull();
    test.ahead.records = 60_001;
    await finishRemoval(registrar, removing);
    expect(recorded).toEqual(['a:usage']);
    expect(await records.assets.get(asset._id)).toBeNull();
  });

  it('postpones a removal that fails, so that it does not block others', async () => {
    const asset = await registered('a');
    await removeAsset(registrar, caller, asset._id);
    const removing = await records.assets.get(asset._id);
    if (removing === null) throw new Error('gone too early');
    test.app.blobs = { ...test.app.blobs, remove: () => Promise.reject(new Error('the blobs are away')) };
    await finishRemoval(registrar, removing);
    const later = await records.assets.get(asset._id);
    expect(later?.run.phase).toBe('removing');
    expect(later?.run.dueAt).toBeGreaterThan(test.app.records.time() + 20_000);
  });

  it('delivers the other outboxes where one fails, and that one later', async () => {
    const poison = await withOutbox('poison', 1);
    await records.assets.update(
      poison._id,
      {},
      { push: { outbox: [{ id: 'attributes:1', kind: 'attributes', notBefore: 0 }] }, increment: { version: 1 } },
    );
    await withOutbox('b', 2);
    const { setAttributes } = test.app.passages;
    test.app.passages = {
      ...test.app.passages,
      setAttributes: () => Promise.reject(new Error('the index takes no such file')),
    };
    const sweeper = new Sweeper(test.app, indexing(test.app, recordUsage));
    expect(await sweeper.drainOutboxes()).toBe(1);
    expect(recorded).toEqual(['poison:usage', 'b:usage']);
    expect(await sweeper.drainOutboxes()).toBe(0);
    test.app.passages = { ...test.app.passages, setAttributes };
    test.ahead.records = 31_000;
    expect(await sweeper.drainOutboxes()).toBe(1);
    expect((await registrar.present(organizationId, poison._id)).outbox).toEqual([]);
  });

  it('loses no usage while the ledger is unavailable', async () => {
    const asset = await withOutbox('a', 1);
    isLedgerAway = true;
    const sweeper = new Sweeper(test.app, indexing(test.app, recordUsage));
    expect(await sweeper.drainOutboxes()).toBe(0);
    isLedgerAway = false;
    test.ahead.records = 31_000;
    expect(await sweeper.drainOutboxes()).toBe(1);
    expect(recorded).toEqual(['a:usage']);
    expect(
      await drainOutbox(
        test.app,
        indexing(test.app, recordUsage),
        records.assets,
        await registrar.present(organizationId, asset._id),
      ),
    ).toBe(true);
  });
});
