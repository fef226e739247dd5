import type { Collection } from '../../adapters/records/port.ts';
import { derivedFolder } from '../blobs/derived.ts';
import type { House } from '../house.ts';
import type { Asset, OutboxEntry } from '../../models/asset.ts';
import { collectionMembers, type MembershipEntry } from '../../models/library-collection.ts';
import type { FileAttributes } from '../../models/passage.ts';
import { scopeOf } from '../../models/scope.ts';
import type { UsageEvent } from '../../models/usage-event.ts';

/** Hands usage events to the ledger; repeating is harmless because their ids are fixed. */
export type RecordUsage = (events: Omit<UsageEvent, 'receivedAt'>[]) => Promise<unknown>;

/** What the passage index has to know of an asset. */
export function attributesOf(asset: Asset): FileAttributes {
  return {
    assetId: asset._id,
    attributesVersion: asset.attributesVersion,
    aclMode: asset.aclMode,
    principals: asset.aclMode === 'restricted' ? asset.principals : [],
    kind: asset.kind,
    externalId: asset.externalId,
    metadata: asset.metadata,
    collections: asset.collections,
    createdAt: asset.createdAt,
    present: asset.sourceMissingSince === null,
  };
}

/** Writes down who belongs to which collections, unless something later is written there. Repeating it changes nothing. */
async function tellCollections(house: House, asset: Asset, { attributesVersion, joined, left }: MembershipEntry): Promise<void> {
  const members = house.records.collection(collectionMembers, scopeOf(asset.organizationId));
  const told = [...joined.map((id) => ({ id, isMember: true })), ...left.map((id) => ({ id, isMember: false }))].map(({ id, isMember }) => ({
    _id: `${id}/${asset._id}`, organizationId: asset.organizationId, collectionId: id, assetId: asset._id, isMember, attributesVersion,
  }));
  const inserted = new Set(await members.insertNew(told));
  await Promise.all(told.filter(({ _id }) => !inserted.has(_id)).map(({ _id, isMember }) => members.update(_id, { attributesVersion: { $lt: attributesVersion } }, { set: { isMember, attributesVersion } })));
}

async function carryOut(house: House, recordUsage: RecordUsage, asset: Asset, entries: readonly OutboxEntry[]): Promise<void> {
  const scope = scopeOf(asset.organizationId);
  const usage = entries.filter((entry) => entry.kind === 'usage');
  if (usage.length > 0) {
    await recordUsage(usage.map((entry) => ({
      _id: entry.id, accountId: asset.accountId, organizationId: asset.organizationId, assetId: asset._id, metric: entry.metric, quantity: entry.quantity, at: entry.at,
    })));
  }
  if (entries.some((entry) => entry.kind === 'attributes')) await house.passages.setAttributes(scope, attributesOf(asset));
  for (const entry of entries) if (entry.kind === 'membership') await tellCollections(house, asset, entry);
  for (const entry of entries) {
    if (entry.kind !== 'discard') continue;
    await house.passages.discard(scope, asset._id, entry.revision);
    await house.blobs.remove(derivedFolder(asset.organizationId, asset._id, entry.revision));
  }
  for (const entry of entries) house.metrics.outboxEntries.inc({ kind: entry.kind });
}

/**
 * Carries out what is due in an asset's outbox and removes it from there. Each entry is idempotent, so a crash
 * anywhere in between only means that it is done again. Answers whether nothing is left.
 */
export async function drainOutbox(house: House, assets: Collection<Asset>, recordUsage: RecordUsage, given: Asset): Promise<boolean> {
  let asset: Asset | null = given;
  while (asset !== null) {
    const now = house.records.time();
    const due = asset.outbox.filter((entry) => entry.notBefore <= now);
    await carryOut(house, recordUsage, asset, due);
    const done = new Set(due.map((entry) => entry.id));
    const later = asset.outbox.filter((entry) => !done.has(entry.id));
    if (due.length === 0 && asset.outboxDue !== undefined && later.length > 0 && asset.outboxDue > now) return false;
    const changed = await assets.update(asset._id, { version: asset.version }, {
      increment: { version: 1 },
      pullById: { outbox: [...done] },
      ...(later.length > 0 ? { set: { outboxDue: Math.min(...later.map((entry) => entry.notBefore)) } } : { unset: ['outboxDue'] }),
    });
    if (changed !== null) return later.length === 0;
    asset = await assets.get(asset._id);
  }
  return true;
}
