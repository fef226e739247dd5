import type { AssetCreate, Caller } from '../../models/api.ts';
import { maxOutboxEntries, type Asset } from '../../models/asset.ts';
import { maxRecentVersions, versionDigest } from '../../models/registered-version.ts';
import { testApp, type TestApp } from '../../test/support/app.ts';
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

let test: TestApp;
let registrar: Registrar;
let records: OrganizationRecords;
beforeEach(async () => {
  test = await testApp();
  registrar = new Registrar(
    test.app,
    async () => undefined,
    () => undefined,
  );
  records = registrar.of(organizationId);
});
afterEach(() => test.close());

const send = (input: AssetCreate, key?: string) => register(registrar, caller, input, registrationIds(registrar, key));
const present = (assetId: string): Promise<Asset> => registrar.present(organizationId, assetId);

describe('source versions of an asset', () => {
  const taken = { type: 'source_version_already_registered' };

  it('are refused a second time, however many followed, while the document contains only the latest', async () => {
    const { assetId } = await send(file('a', 'v0'));
    const count = maxRecentVersions + 10;
    for (let at = 1; at < count; at += 1) await send(file('a', `v${at}`));
    const asset = await present(assetId);
    expect(asset.registeredVersions).toHaveLength(maxRecentVersions);
    expect(asset.registeredVersions.at(-1)).toBe(versionDigest(`v${count - 1}`));
    for (let at = 0; at < count; at += 1) await expect(send(file('a', `v${at}`))).rejects.toMatchObject(taken);
    expect((await send(file('a', 'new'))).assetId).toBe(assetId);
    // Every version but the current one.
    expect(await records.versions.count({ assetId })).toBe(count);
  });

  it('that an earlier release stored in the document are moved out of it by the next registration', async () => {
    const { assetId } = await send(file('a', 'last'));
    const left = Array.from({ length: 1234 }, (_, at) => `old ${at}`);
    await records.assets.update(
      assetId,
      {},
      { set: { registeredVersions: [...left, 'last'].map(versionDigest) }, increment: { version: 1 } },
    );
    for (const version of ['old 0', 'old 1233', 'last'])
      await expect(send(file('a', version))).rejects.toMatchObject(taken);
    await send(file('a', 'next'));
    expect((await present(assetId)).registeredVersions).toHaveLength(maxRecentVersions);
    for (const version of ['old 0', 'old 1233', 'last', 'next'])
      await expect(send(file('a', version))).rejects.toMatchObject(taken);
  });

  it('are registered by one of many concurrent requests, and can be sent again where a process crashed between its writes', async () => {
    const { assetId } = await send(file('a', 'v1'));
    const crowd = await Promise.allSettled(Array.from({ length: 8 }, () => send(file('a', 'v2'))));
    expect(crowd.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const one of crowd) if (one.status === 'rejected') expect(one.reason).toMatchObject(taken);
    const { assets } = records;
    const dying = { ...assets, update: () => Promise.reject(new Error('the process died')) };
    const before = await present(assetId);
    await expect(
      startRun(registrar, dying, records.archive, before, 'job', { sourceVersion: 'v3' }, 1),
    ).rejects.toThrow('died');
    expect((await present(assetId)).sourceVersion).toBe('v2');
    await expect(send(file('a', 'v2'))).rejects.toMatchObject(taken);
    expect(await send(file('a', 'v3'))).toMatchObject({ assetId, revision: 3 });
    await expect(send(file('a', 'v3'))).rejects.toMatchObject(taken);
  });

  it('are removed with the asset', async () => {
    const { assetId } = await send(file('a', 'v1'));
    await send(file('a', 'v2'));
    await removeAsset(registrar, caller, assetId);
    test.ahead.records = 120_000;
    const removing = await records.assets.get(assetId);
    if (removing === null) throw new Error('gone too early');
    await finishRemoval(registrar, removing);
    expect([await records.assets.get(assetId), await records.versions.count({})]).toEqual([null, 0]);
    expect((await send(file('a', 'v1'))).assetId).not.toBe(assetId);
  });
});

describe('a repeated Idempotency-Key, of a request whose process crashed before it answered,', () => {
  const conflict = { type: 'idempotency_conflict' };
  const move = (assetId: string, externalId: string): Promise<Asset> =>
    registrar.modify(organizationId, assetId, (asset) => ({ ...asset, externalId, externalKey: externalId }));

  it('is answered with what was registered', async () => {
    const first = await send(file('a'), 'key');
    expect(await send(file('a'), 'key')).toEqual(first);
    const next = await send(file('a', 'v2'), 'other key');
    expect(await send(file('a', 'v2'), 'other key')).toEqual(next);
    await send(file('a', 'v3'));
    expect([await send(file('a'), 'key'), await send(file('a', 'v2'), 'other key')]).toEqual([first, next]);
    await removeAsset(registrar, caller, first.assetId);
    expect(await send(file('a'), 'key')).toEqual(first);
  });

  it('is a conflict where a connector has moved the asset that it created', async () => {
    const { assetId } = await send(file('a'), 'key');
    await move(assetId, 'b');
    await expect(send(file('a'), 'key')).rejects.toMatchObject({
      ...conflict,
      message: expect.stringMatching(/externalId is "b" by now/),
    });
    await send(file('b', 'v2'));
    await expect(send(file('a'), 'key')).rejects.toMatchObject(conflict);
    expect((await send(file('a'))).assetId).not.toBe(assetId);
  }, 10_000);

  it('is a conflict where a connector has moved the asset that it gave a new version', async () => {
    const { assetId } = await send(file('a'));
    await send(file('a', 'v2'), 'key');
    await move(assetId, 'b');
    await expect(send(file('a', 'v2'), 'key')).rejects.toMatchObject(conflict);
    const other = await send(file('a'));
    await expect(send(file('a', 'v2'), 'key')).rejects.toMatchObject(conflict);
    expect((await present(other.assetId)).sourceVersion).toBe('"1"');
  }, 10_000);
});

it('starts no new run while the outbox of an asset is full, so that its document stays bounded', async () => {
  const { assetId, jobId } = await send(file('a'));
  const entry = (at: number): Asset['outbox'][number] => ({
    id: `discard:${at}`,
    kind: 'discard',
    revision: at,
    notBefore: Number.MAX_SAFE_INTEGER,
  });
  const outbox = Array.from({ length: maxOutboxEntries }, (_, at) => entry(at));
  await records.assets.update(assetId, {}, { set: { outbox }, increment: { version: 1 } });
  const full = { type: 'content_service_unavailable', retryable: true };
  await expect(send(file('a', 'v2'))).rejects.toMatchObject(full);
  expect(await present(assetId)).toMatchObject({ sourceVersion: '"1"', run: { jobId } });
  await records.assets.update(assetId, {}, { set: { outbox: [] }, increment: { version: 1 } });
  expect((await send(file('a', 'v2'))).revision).toBe(2);
});
