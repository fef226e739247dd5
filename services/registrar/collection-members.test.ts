import { testApp, type TestApp } from '../../test/support/app.ts';
import { testAsset } from '../../test/support/asset.ts';
import { indexing } from '../../mixins/indexing/kind.ts';
import { drainOutbox } from '../../mixins/work/outbox.ts';
import type { Caller } from '../../models/api.ts';
import { maxCollectionsOfAsset } from '../../models/asset.ts';
import { changeCollectionAssets, createCollection } from './collection-members.ts';
import { forgetDeletedCollections } from './collection-upkeep.ts';
import { listCollections, removeCollection, writeCollection } from './collections.ts';
import { Registrar } from './registrar.ts';
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

describe('members of a collection, on failures between steps', () => {
  let test: TestApp;
  let registrar: Registrar;
  beforeEach(async () => {
    test = await testApp();
    registrar = new Registrar(
      test.app,
      () => Promise.resolve(),
      () => undefined,
    );
    await registrar.of(organizationId).assets.insert(testAsset({ _id: 'a', organizationId, externalId: 'a' }));
    await writeCollection(registrar, caller, 'c', { externalId: null, name: 'C', metadata: null });
  });
  afterEach(() => test.close());

  const counted = async (): Promise<number | undefined> =>
    (await listCollections(registrar, caller, 10, 0)).items[0]?.assetCount;
  const change = (add: string[], remove: string[] = []) => changeCollectionAssets(registrar, caller, 'c', add, remove);

  it('are delivered to the index and the count by the outbox where the call failed', async () => {
    const { setAttributes } = test.app.passages;
    test.app.passages.setAttributes = () => Promise.reject(new Error('the index is away'));
    await expect(change(['a'])).rejects.toThrow('away');
    expect(await counted()).toBe(0);
    test.app.passages.setAttributes = setAttributes;
    expect(await change(['a'])).toEqual({ externalId: 'c', assetCount: 1 });
    expect((await registrar.of(organizationId).assets.get('a'))?.outbox).toEqual([]);
  });

  it('that leave during a late delivery stay out', async () => {
    const { assets } = registrar.of(organizationId);
    const { setAttributes } = test.app.passages;
    test.app.passages.setAttributes = () => Promise.reject(new Error('the index is away'));
    await expect(change(['a'])).rejects.toThrow('away');
    const late = await assets.get('a');
    if (late === null) throw new Error('the asset is gone');
    test.app.passages.setAttributes = setAttributes;
    expect((await change([], ['a'])).assetCount).toBe(0);
    // A delivery of the document before the change changes nothing.
    await drainOutbox(
      test.app,
      indexing(test.app, () => Promise.resolve()),
      assets,
      late,
    );
    expect(await counted()).toBe(0);
  });

  it('join no more collections than an asset may belong to, not counting deleted ones', async () => {
    const { collections } = registrar.groups(organizationId);
    const ids = Array.from({ length: maxCollectionsOfAsset }, (_, at) => `c${at}`);
    await collections.insertNew(
      ids.map((id) => ({
        _id: id,
        organizationId,
        externalId: id,
        externalKey: id,
        name: id,
        nameKey: id,
        metadata: {},
        createdAt: 0,
        updatedAt: 0,
      })),
    );
    const { assets } = registrar.of(organizationId);
    await assets.update('a', {}, { set: { collections: ids }, increment: { version: 1 } });
    await assets.insert(testAsset({ _id: 'b', organizationId, externalId: 'b' }));
    await expect(change(['b', 'a'])).rejects.toMatchObject({
      type: 'validation_error',
      data: { fields: ['body', 'add', 1] },
    });
    expect((await assets.get('a'))?.collections).toEqual(ids);
    expect((await assets.get('b'))?.collections).toHaveLength(1);
    expect(await createCollection(registrar, caller, 'new', ['a', 'b', 'none'])).toMatchObject({
      assetCount: 1,
      unavailable: [
        { assetId: 'a', code: 'validation_error' },
        { assetId: 'none', code: 'asset_not_found' },
      ],
    });
    await removeCollection(registrar, caller, 'c7');
    expect((await change(['a'])).assetCount).toBe(2);
    expect((await assets.get('a'))?.collections).toHaveLength(maxCollectionsOfAsset);
  });

  it('are removed with their asset and with their collection', async () => {
    await change(['a']);
    await removeCollection(registrar, caller, 'c');
    expect(await forgetDeletedCollections(registrar)).toBe(1);
    expect(await registrar.groups(organizationId).members.count({})).toBe(0);
    await writeCollection(registrar, caller, 'c', { externalId: null, name: 'C', metadata: null });
    expect((await change(['a'])).assetCount).toBe(1);
    expect((await registrar.of(organizationId).assets.get('a'))?.collections).toHaveLength(1);
    await removeAsset(registrar, caller, 'a');
    expect(await counted()).toBe(0);
    const removed = await registrar.of(organizationId).assets.get('a');
    if (removed === null) throw new Error('the removal was not begun');
    await finishRemoval(registrar, removed);
    expect(await registrar.groups(organizationId).members.count({ assetId: 'a' })).toBe(0);
  });
});
