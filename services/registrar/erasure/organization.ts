import { setImmediate as turn } from 'node:timers/promises';
import { ownedCollections } from '../../../models/owned-collections.ts';
import { assets as assetsDefinition } from '../../../models/asset.ts';
import { connectors } from '../../../models/connector.ts';
import { refusalOf } from '../../../models/errors.ts';
import { scopeOf } from '../../../models/scope.ts';
import type { Registrar } from '../registrar.ts';
import { finishRemoval, removeAsset } from '../remove.ts';

/** Files whose removal is started, or finished, in one round. */
const filesAtOnce = 200;
/** Files of a round that are removed concurrently. */
const concurrency = 8;
/** Documents of a collection that one statement removes. */
const documentsAtOnce = 500;

/** The collections with an organization's data, except its assets: each is emptied in the organization's scope. */
const others = ownedCollections.filter(({ name }) => name !== assetsDefinition.name);

/** Does the work for each item, with bounded concurrency. */
async function forEach<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const waiting = [...items];
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await work(item);
    }),
  );
}

/**
 * Deletes files like the API does: they are unknown at once, and their removal is finished when no worker can write any
 * more.
 */
async function deleteFiles(registrar: Registrar, organizationId: string): Promise<number> {
  const { assets } = registrar.of(organizationId);
  const existing = await assets.find({ filter: { deletedAt: null }, limit: filesAtOnce });
  await forEach(existing, async ({ _id }) => {
    try {
      await removeAsset(registrar, { organizationId }, _id);
    } catch (error) {
      // Another process removed it in the meantime.
      if (refusalOf(error)?.type !== 'asset_not_found') throw error;
    }
  });
  return existing.length;
}

/**
 * Does a part of an organization's erasure: its connectors first, so that no file is added any more, then its files
 * with everything derived from them, then all other documents. Each step may be repeated, also by several processes at
 * once.
 * @returns whether there was something to erase
 * @throws StoreUnavailable, and what the index or the blobs throw
 */
export async function eraseFromOrganization(
  registrar: Registrar,
  organizationId: string,
  isStopping: () => boolean,
): Promise<boolean> {
  const { records, passages, blobs } = registrar.app;
  const scope = scopeOf(organizationId);
  let found = (await records.collection(connectors, scope).removeMany({}, documentsAtOnce)) > 0;
  if ((await deleteFiles(registrar, organizationId)) > 0) found = true;
  const { assets } = registrar.of(organizationId);
  const due = await assets.find({
    filter: { 'run.phase': 'removing', 'run.dueAt': { $lte: records.time() } },
    limit: filesAtOnce,
  });
  await forEach(due, (asset) => finishRemoval(registrar, asset));
  if ((await assets.find({ filter: {}, limit: 1 })).length > 0) return true;
  for (const definition of others) {
    const collection = records.collection(definition, scope);
    for (let removed = documentsAtOnce; removed === documentsAtOnce;) {
      if (isStopping()) return true;
      removed = await collection.removeMany({}, documentsAtOnce);
      if (removed > 0) found = true;
      await turn();
    }
  }
  // This includes blobs that no document refers to: a crash may have left them.
  await blobs.remove(`derived/${organizationId}/`);
  if (found) return true;
  await passages.removeOrganization(scope);
  return false;
}
