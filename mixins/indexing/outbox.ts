import { derivedFolder } from '../blobs/derived.ts';
import type { AppContext } from '../app-context.ts';
import type { Asset, OutboxEntry } from '../../models/asset.ts';
import { collectionMembers, type MembershipEntry } from '../../models/library-collection.ts';
import type { FileAttributes } from '../../models/passage.ts';
import { scopeOf } from '../../models/scope.ts';
import type { NewUsageEvent } from '../../models/usage-event.ts';

/** Hands usage events to the ledger. Their ids are fixed, so repeating it changes nothing. */
export type RecordUsage = (events: NewUsageEvent[]) => Promise<unknown>;

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

/** Records who belongs to which collections, unless a later version is recorded. Repeating it changes nothing. */
async function recordMembership(
  app: AppContext,
  asset: Asset,
  { attributesVersion, joined, left }: MembershipEntry,
): Promise<void> {
  const members = app.records.collection(collectionMembers, scopeOf(asset.organizationId));
  const rows = [...joined.map((id) => ({ id, isMember: true })), ...left.map((id) => ({ id, isMember: false }))].map(
    ({ id, isMember }) => ({
      _id: `${id}/${asset._id}`,
      organizationId: asset.organizationId,
      collectionId: id,
      assetId: asset._id,
      isMember,
      attributesVersion,
    }),
  );
  const inserted = new Set(await members.insertNew(rows));
  await Promise.all(
    rows
      .filter(({ _id }) => !inserted.has(_id))
      .map(({ _id, isMember }) =>
        members.update(
          _id,
          { attributesVersion: { $lt: attributesVersion } },
          { set: { isMember, attributesVersion } },
        ),
      ),
  );
}

/** Delivers entries of an asset's outbox. Repeating it changes nothing. */
export async function deliver(
  app: AppContext,
  recordUsage: RecordUsage,
  asset: Asset,
  entries: readonly OutboxEntry[],
): Promise<void> {
  const scope = scopeOf(asset.organizationId);
  const usage = entries.filter((entry) => entry.kind === 'usage');
  if (usage.length > 0) {
    await recordUsage(
      usage.map((entry) => ({
        _id: entry.id,
        accountId: asset.accountId,
        organizationId: asset.organizationId,
        assetId: asset._id,
        metric: entry.metric,
        ...(entry.dimension === undefined ? {} : { dimension: entry.dimension }),
        quantity: entry.quantity,
        ...(entry.duplicateOf === undefined ? {} : { duplicateOf: entry.duplicateOf }),
        at: entry.at,
      })),
    );
  }
  if (entries.some((entry) => entry.kind === 'attributes'))
    await app.passages.setAttributes(scope, attributesOf(asset));
  for (const entry of entries) if (entry.kind === 'membership') await recordMembership(app, asset, entry);
  for (const entry of entries) {
    if (entry.kind !== 'discard') continue;
    await app.passages.discard(scope, asset._id, entry.revision);
    await app.blobs.remove(derivedFolder(asset.organizationId, asset._id, entry.revision));
  }
}
