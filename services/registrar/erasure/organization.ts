import { setImmediate as turn } from 'node:timers/promises';
import { ownedCollections } from '../../../models/owned-collections.ts';
import { assets as assetsDefinition } from '../../../models/asset.ts';
import { connectors } from '../../../models/connector.ts';
import { refusalOf } from '../../../models/errors.ts';
import { scopeOf } from '../../../models/scope.ts';
import type { Registrar } from '../registrar.ts';
import { finishRemoval, removeAsset } from '../remove.ts';

/** Files that are taken away, or whose removal is ended, in one round. */
const filesAtOnce = 200;
/** Of these, at a time. */
const together = 8;
/** Documents of a collection that one statement removes. */
const documentsAtOnce = 500;

/** Everything of an organization that is not the account's: each of these collections is emptied in the organization's scope. */
const others = ownedCollections.filter(({ name }) => name !== assetsDefinition.name);

/** Does the work for each, some at a time. */
async function forEach<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const waiting = [...items];
  await Promise.all(Array.from({ length: together }, async () => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await work(item);
  }));
}

/** Takes files away as their owner would: from then on they are unknown, and their removal comes when no worker can still be writing. */
async function takeFilesAway(registrar: Registrar, organizationId: string): Promise<number> {
  const { assets } = registrar.of(organizationId);
  const standing = await assets.find({ filter: { deletedAt: null }, limit: filesAtOnce });
  await forEach(standing, async ({ _id }) => {
    try {
      await removeAsset(registrar, { organizationId }, _id);
    } catch (error) {
      // Somebody else removed it just now.
      if (refusalOf(error)?.type !== 'asset_not_found') throw error;
    }
  });
  return standing.length;
}

/**
 * Does a part of an organization's erasure: its connectors first, so that no file comes any more, then its files with all
 * that was made of them, then everything else. Each step may be repeated, also by several processes at once.
 * @returns whether something of it was there
 * @throws StoreUnavailable, and what the index or the blobs throw
 */
export async function eraseFromOrganization(registrar: Registrar, organizationId: string, isStopping: () => boolean): Promise<boolean> {
  const { records, passages, blobs } = registrar.house;
  const scope = scopeOf(organizationId);
  let found = (await records.collection(connectors, scope).removeMany({}, documentsAtOnce)) > 0;
  if ((await takeFilesAway(registrar, organizationId)) > 0) found = true;
  const { assets } = registrar.of(organizationId);
  const due = await assets.find({ filter: { 'run.phase': 'removing', 'run.dueAt': { $lte: records.time() } }, limit: filesAtOnce });
  await forEach(due, (asset) => finishRemoval(registrar, asset));
  if ((await assets.find({ filter: {}, limit: 1 })).length > 0) return true;
  for (const definition of others) {
    const collection = records.collection(definition, scope);
    for (let removed = documentsAtOnce; removed === documentsAtOnce; ) {
      if (isStopping()) return true;
      removed = await collection.removeMany({}, documentsAtOnce);
      if (removed > 0) found = true;
      await turn();
    }
  }
  // Also what no document names: a crash may have left it.
  await blobs.remove(`derived/${organizationId}/`);
  if (found) return true;
  await passages.removeOrganization(scope);
  return false;
}
