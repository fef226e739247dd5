import { testHouse, type TestHouse } from '../../test/support/house.ts';
import { testAsset } from '../../test/support/asset.ts';
import { drainOutbox } from '../../mixins/runs/outbox.ts';
import type { Caller } from '../../models/api.ts';
import { changeCollectionAssets } from './collection-members.ts';
import { forgetDeletedCollections } from './collection-upkeep.ts';
import { listCollections, removeCollection, writeCollection } from './collections.ts';
import { Registrar } from './registrar.ts';
import { finishRemoval, removeAsset } from './remove.ts';

const organizationId = '6e3ad0c8-0000-4000-8000-00000000000a';
const caller: Caller = { accountId: 'account', organizationId, keyId: 'key', keyPrefix: 'ply_test', keyLabel: 'test', keyScope: 'standard', requestId: 'request' };

describe('members of a collection, when things go wrong between the steps', () => {
  let test: TestHouse;
  let registrar: Registrar;
  beforeEach(async () => {
    test = await testHouse();
    registrar = new Registrar(test.house, () => Promise.resolve(), () => undefined);
    await registrar.of(organizationId).assets.insert(testAsset({ _id: 'a', organizationId, externalId: 'a' }));
    await writeCollection(registrar, caller, 'c', { externalId: null, name: 'C', metadata: null });
  });
  afterEach(() => test.close());

  const counted = async (): Promise<number | undefined> => (await listCollections(registrar, caller, 10, 0)).items[0]?.assetCount;
  const change = (add: string[], remove: string[] = []) => changeCollectionAssets(registrar, caller, 'c', add, remove);

  it('are told to the index and to the count by the outbox where the call could not', async () => {
    const { setAttributes } = test.house.passages;
    test.house.passages.setAttributes = () => Promise.reject(new Error('the index is away'));
    await expect(change(['a'])).rejects.toThrow('away');
    expect(await counted()).toBe(0);
    test.house.passages.setAttributes = setAttributes;
    expect(await change(['a'])).toEqual({ externalId: 'c', assetCount: 1 });
    expect((await registrar.of(organizationId).assets.get('a'))?.outbox).toEqual([]);
  });

  it('that leave while an earlier telling is late are out', async () => {
    const { assets } = registrar.of(organizationId);
    const { setAttributes } = test.house.passages;
    test.house.passages.setAttributes = () => Promise.reject(new Error('the index is away'));
    await expect(change(['a'])).rejects.toThrow('away');
    const late = await assets.get('a');
    if (late === null) throw new Error('the asset is gone');
    test.house.passages.setAttributes = setAttributes;
    expect((await change([], ['a'])).assetCount).toBe(0);
    // Whoever read the document before the change tells what it read, and changes nothing.
    await drainOutbox(test.house, assets, () => Promise.resolve(), late);
    expect(await counted()).toBe(0);
  });

  it('go with their asset and with their collection', async () => {
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
