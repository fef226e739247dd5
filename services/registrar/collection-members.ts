import { setImmediate as turn } from 'node:timers/promises';
import { withAttributesEntry } from '../../mixins/runs/transitions.ts';
import type { Caller } from '../../models/api.ts';
import type { Asset } from '../../models/asset.ts';
import { Refusal, refusalOf } from '../../models/errors.ts';
import { withMembership, type CreatedCollectionView, type LibraryCollection } from '../../models/library-collection.ts';
import { collectionView, countMembers, insertCollection, presentCollection } from './collections.ts';
import type { Registrar } from './registrar.ts';

/** Assets of one request that are changed at a time: the store commits them together, and others' writes have their turn. */
const atOnce = 32;

/** An asset that joins or leaves a collection, with what it owes. What it holds of deleted collections goes as well. */
function changed(asset: Asset, collectionId: string, joins: boolean, known: ReadonlySet<string>, now: number): Asset {
  const others = asset.collections.filter((id) => id !== collectionId && known.has(id));
  const collections = joins ? [...others, collectionId] : others;
  const attributesVersion = asset.attributesVersion + 1;
  const outbox = withMembership(withAttributesEntry(asset.outbox, attributesVersion), asset.collections, collections, attributesVersion);
  return { ...asset, collections, attributesVersion, updatedAt: now, outbox };
}

/**
 * Has one asset join or leave: one write of its document, which says what the index and the count of members are owed,
 * and then both. A crash in between is made good from the outbox. An asset that was deleted meanwhile needs nothing.
 */
async function changeOne(registrar: Registrar, { _id, organizationId }: LibraryCollection, assetId: string, joins: boolean): Promise<void> {
  const { collections } = registrar.groups(organizationId);
  const { assets } = registrar.of(organizationId);
  try {
    for (;;) {
      const asset = await registrar.present(organizationId, assetId);
      if (asset.collections.includes(_id) === joins) {
        // Whoever wrote it may not have told the index yet, and this caller is answered when it knows.
        await registrar.drain(asset);
        return;
      }
      const known = new Set((await collections.getMany(asset.collections)).filter(({ externalKey }) => externalKey !== undefined).map((collection) => collection._id));
      const written = await registrar.replace(assets, asset, changed(asset, _id, joins, known, registrar.house.ambient.now()));
      if (written === null) continue;
      await registrar.drain(written);
      return;
    }
  } catch (error) {
    if (refusalOf(error)?.type !== 'asset_not_found') throw error;
  }
}

async function changeMembers(registrar: Registrar, collection: LibraryCollection, changes: readonly { assetId: string; joins: boolean }[]): Promise<void> {
  const waiting = changes.values();
  const work = async (): Promise<void> => {
    for (const { assetId, joins } of waiting) await changeOne(registrar, collection, assetId, joins);
  };
  // Where one fails the others still come to their end: nothing goes on behind the answer.
  const ended = await Promise.allSettled(Array.from({ length: atOnce }, work));
  for (const one of ended) if (one.status === 'rejected') throw one.reason;
}

/** Those of these assets that exist. */
async function present(registrar: Registrar, organizationId: string, assetIds: readonly string[]): Promise<Set<string>> {
  const { assets } = registrar.of(organizationId);
  const existing = new Set<string>();
  for (let start = 0; start < assetIds.length; start += atOnce) {
    if (start > 0) await turn();
    for (const { _id, deletedAt } of await assets.getMany(assetIds.slice(start, start + atOnce))) if (deletedAt === null) existing.add(_id);
  }
  return existing;
}

/** Makes a collection of these files. Its answer lists those that do not exist. */
export async function createCollection(registrar: Registrar, caller: Caller, name: string, documents: readonly string[]): Promise<CreatedCollectionView> {
  const { ambient } = registrar.house;
  const assetIds = [...new Set(documents)];
  const existing = await present(registrar, caller.organizationId, assetIds);
  const collection = await insertCollection(registrar, caller.organizationId, { _id: ambient.uuid(), externalId: ambient.uuid(), name, metadata: {} });
  if (collection === null) throw new Error('a new id is taken');
  await changeMembers(registrar, collection, assetIds.filter((assetId) => existing.has(assetId)).map((assetId) => ({ assetId, joins: true })));
  const still = await present(registrar, caller.organizationId, assetIds);
  const unavailable = assetIds.filter((assetId) => !still.has(assetId)).map((assetId) => ({ assetId, code: 'asset_not_found' }));
  return { ...(await collectionView(registrar, collection)), unavailable };
}

/**
 * Adds files to a collection and removes others; who is in both lists is not in it afterwards. Unknown files to remove are
 * passed over. It holds for every search that starts after the answer; repeating it changes nothing.
 * @throws Refusal collection_not_found; asset_not_found where a file to add does not exist, and then nothing was changed
 */
export async function changeCollectionAssets(registrar: Registrar, caller: Caller, externalId: string, add: readonly string[], remove: readonly string[]): Promise<{ externalId: string; assetCount: number }> {
  const collection = await presentCollection(registrar, caller.organizationId, externalId);
  const existing = await present(registrar, caller.organizationId, [...new Set([...add, ...remove])]);
  const missing = add.find((assetId) => !existing.has(assetId));
  if (missing !== undefined) throw new Refusal('asset_not_found', { detail: `There is no asset ${missing}; nothing was changed.` });
  const leaving = new Set(remove);
  const joining = [...new Set(add)].filter((assetId) => !leaving.has(assetId));
  await changeMembers(registrar, collection, [
    ...joining.map((assetId) => ({ assetId, joins: true })),
    ...[...leaving].filter((assetId) => existing.has(assetId)).map((assetId) => ({ assetId, joins: false })),
  ]);
  return { externalId, assetCount: await countMembers(registrar, collection) };
}
