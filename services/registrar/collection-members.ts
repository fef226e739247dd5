import { setImmediate as turn } from 'node:timers/promises';
import { withAttributesEntry } from '../../mixins/indexing/runs.ts';
import type { Caller } from '../../models/api.ts';
import { maxCollectionsOfAsset, type Asset } from '../../models/asset.ts';
import { invalid, Refusal, refusalOf } from '../../models/errors.ts';
import { withMembership, type CreatedCollectionView, type LibraryCollection } from '../../models/library-collection.ts';
import { collectionView, countMembers, insertCollection, presentCollection } from './collections.ts';
import type { Registrar } from './registrar.ts';

/** Assets of one request that are changed concurrently: the store commits them together. */
const concurrency = 32;

/** The next state of an asset that joins or leaves a collection, with its outbox. Deleted collections are dropped. */
function changed(asset: Asset, collectionId: string, joins: boolean, known: ReadonlySet<string>, now: number): Asset {
  const others = asset.collections.filter((id) => id !== collectionId && known.has(id));
  const collections = joins ? [...others, collectionId] : others;
  const attributesVersion = asset.attributesVersion + 1;
  const outbox = withMembership(
    withAttributesEntry(asset.outbox, attributesVersion),
    asset.collections,
    collections,
    attributesVersion,
  );
  return { ...asset, collections, attributesVersion, updatedAt: now, outbox };
}

/**
 * Makes one asset join or leave: one write of its document with the outbox entries for the index and the count of
 * members, and then their delivery. The outbox repairs a crash in between. A deleted asset needs nothing.
 * @returns false if the asset belongs to `maxCollectionsOfAsset` others, so that it cannot join
 */
async function changeOne(
  registrar: Registrar,
  { _id, organizationId }: LibraryCollection,
  assetId: string,
  joins: boolean,
): Promise<boolean> {
  const { collections } = registrar.groups(organizationId);
  const { assets } = registrar.of(organizationId);
  try {
    for (;;) {
      const asset = await registrar.present(organizationId, assetId);
      if (asset.collections.includes(_id) === joins) {
        // Another request wrote it and may not have updated the index yet: the caller is answered after that.
        await registrar.drain(asset);
        return true;
      }
      const known = new Set(
        (await collections.getMany(asset.collections))
          .filter(({ externalKey }) => externalKey !== undefined)
          .map((collection) => collection._id),
      );
      if (joins && known.size >= maxCollectionsOfAsset) return false;
      const written = await registrar.replace(
        assets,
        asset,
        changed(asset, _id, joins, known, registrar.app.runtime.now()),
      );
      if (written === null) continue;
      await registrar.drain(written);
      return true;
    }
  } catch (error) {
    if (refusalOf(error)?.type !== 'asset_not_found') throw error;
    return true;
  }
}

/** Makes assets join or leave. Returns those that cannot join, because they belong to too many collections. */
async function changeMembers(
  registrar: Registrar,
  collection: LibraryCollection,
  changes: readonly { assetId: string; joins: boolean }[],
): Promise<Set<string>> {
  const full = new Set<string>();
  const waiting = changes.values();
  const work = async (): Promise<void> => {
    for (const { assetId, joins } of waiting)
      if (!(await changeOne(registrar, collection, assetId, joins))) full.add(assetId);
  };
  // Where one fails the others still complete: no work continues after the answer.
  const ended = await Promise.allSettled(Array.from({ length: concurrency }, work));
  for (const one of ended) if (one.status === 'rejected') throw one.reason;
  return full;
}

/** Those of these assets that exist. */
async function present(
  registrar: Registrar,
  organizationId: string,
  assetIds: readonly string[],
): Promise<Set<string>> {
  const { assets } = registrar.of(organizationId);
  const existing = new Set<string>();
  for (let start = 0; start < assetIds.length; start += concurrency) {
    if (start > 0) await turn();
    for (const { _id, deletedAt } of await assets.getMany(assetIds.slice(start, start + concurrency)))
      if (deletedAt === null) existing.add(_id);
  }
  return existing;
}

/** Creates a collection of these files. The answer lists those that do not exist or cannot join. */
export async function createCollection(
  registrar: Registrar,
  caller: Caller,
  name: string,
  documents: readonly string[],
): Promise<CreatedCollectionView> {
  const { runtime } = registrar.app;
  const assetIds = [...new Set(documents)];
  const existing = await present(registrar, caller.organizationId, assetIds);
  const collection = await insertCollection(registrar, caller.organizationId, {
    _id: runtime.uuid(),
    externalId: runtime.uuid(),
    name,
    metadata: {},
  });
  if (collection === null) throw new Error('a new id is already in use');
  const full = await changeMembers(
    registrar,
    collection,
    assetIds.filter((assetId) => existing.has(assetId)).map((assetId) => ({ assetId, joins: true })),
  );
  const still = await present(registrar, caller.organizationId, assetIds);
  const unavailable = assetIds
    .filter((assetId) => !still.has(assetId) || full.has(assetId))
    .map((assetId) => ({ assetId, code: still.has(assetId) ? 'validation_error' : 'asset_not_found' }));
  return { ...(await collectionView(registrar, collection)), unavailable };
}

/**
 * Adds files to a collection and removes others; who is in both lists is not in it afterwards. Unknown files to remove
 * are ignored. The change applies to every search that starts after the answer; repeating it has no effect.
 * @throws Refusal collection_not_found; asset_not_found where a file to add does not exist, and then nothing was
 * changed; validation_error where a file to add belongs to too many collections, and then all others were changed
 */
export async function changeCollectionAssets(
  registrar: Registrar,
  caller: Caller,
  externalId: string,
  add: readonly string[],
  remove: readonly string[],
): Promise<{ externalId: string; assetCount: number }> {
  const collection = await presentCollection(registrar, caller.organizationId, externalId);
  const existing = await present(registrar, caller.organizationId, [...new Set([...add, ...remove])]);
  const missing = add.find((assetId) => !existing.has(assetId));
  if (missing !== undefined)
    throw new Refusal('asset_not_found', { detail: `There is no asset ${missing}; nothing was changed.` });
  const leaving = new Set(remove);
  const joining = [...new Set(add)].filter((assetId) => !leaving.has(assetId));
  const full = await changeMembers(registrar, collection, [
    ...joining.map((assetId) => ({ assetId, joins: true })),
    ...[...leaving].filter((assetId) => existing.has(assetId)).map((assetId) => ({ assetId, joins: false })),
  ]);
  const [first] = full;
  if (first !== undefined)
    throw invalid(
      ['body', 'add', add.indexOf(first)],
      `The asset ${first} belongs to ${maxCollectionsOfAsset} collections, which is the most; the other files were changed.`,
    );
  return { externalId, assetCount: await countMembers(registrar, collection) };
}
