import { pendUsage } from '../../../mixins/accounts/pending-usage.ts';
import { auditLog } from '../../../models/audit-log.ts';
import { buckets } from '../../../models/bucket.ts';
import type { CollectionDefinition, StoredRecord } from '../../../models/collection.ts';
import { scopeOf, systemScope } from '../../../models/scope.ts';
import {
  bucketDeltas,
  checksumChecks,
  releasedContents,
  type ObjectEntry,
  type StoredObject,
} from '../../../models/storage-object.ts';
import type { Storage, StorageContext } from '../tools.ts';
import { markCompleted } from '../uploads/tools.ts';
import { receiveSource, sourceChecked } from '../videos/source.ts';

type Records = Pick<StorageContext, 'records'>;

/** How long the sweeper leaves an outbox to the request that wrote it, in milliseconds. */
export const outboxDelayMs = 5000;

/** Entries of an object's outbox that are to be delivered. */
export interface Delivery {
  object: StoredObject;
  items: readonly ObjectEntry[];
}

/** What follows from changes of objects, as their outboxes say. Idempotent. */
export function objectOutbox(storage: Pick<Storage, 'app' | 'wakeUp'>): {
  deliver(object: StoredObject, items: ObjectEntry[]): Promise<void>;
} {
  return { deliver: (object, items) => deliverAll(storage, [{ object, items }]) };
}

/** Delivers entries of several objects, with one write for all of a kind that concern other collections. Idempotent. */
export async function deliverAll(
  storage: Pick<Storage, 'app' | 'wakeUp'>,
  deliveries: readonly Delivery[],
): Promise<void> {
  const { app } = storage;
  const { records } = app;
  const of = <K extends ObjectEntry['kind']>(kind: K): Delivered<K>[] =>
    deliveries.flatMap(({ object, items }) =>
      items.flatMap((item) => (isOfKind(item, kind) ? [{ object, item }] : [])),
    );
  const checks = of('verify');
  const changes = of('edge').map(({ item }) => item.change);
  const insertNew = async <T extends StoredRecord>(
    definition: CollectionDefinition<T>,
    documents: readonly T[],
  ): Promise<void> => {
    if (documents.length > 0) await records.collection(definition, systemScope).insertNew(documents);
  };
  await Promise.all([
    ...of('upload').map(({ object, item }) => markCompleted(app, object, item.uploadId)),
    countUploads(app, of('written')),
    changes.length > 0 ? app.edgeChanges.append(changes) : null,
    insertNew(
      auditLog,
      of('audit').map(({ item }) => item.row),
    ),
    insertNew(
      releasedContents,
      of('release').map(({ item }) => item.content),
    ),
    insertNew(
      bucketDeltas,
      of('count').map(({ item }) => item.delta),
    ),
    insertNew(
      checksumChecks,
      checks.map(({ item }) => item.check),
    ),
  ]);
  for (const { object, item } of of('video')) await receiveSource(storage, object, item);
  for (const { object, item } of of('checked')) await sourceChecked(storage, object, item);
  for (const organizationId of new Set(checks.map(({ object }) => object.organizationId)))
    storage.wakeUp(organizationId, ['verifying']);
}

/** An entry of one kind. */
interface Delivered<K extends ObjectEntry['kind']> {
  object: StoredObject;
  item: Extract<ObjectEntry, { kind: K }>;
}

function isOfKind<K extends ObjectEntry['kind']>(
  item: ObjectEntry,
  kind: K,
): item is Extract<ObjectEntry, { kind: K }> {
  return item.kind === kind;
}

/** Hands the use of bytes that clients wrote to the ledger. */
async function countUploads({ records }: Records, written: readonly Delivered<'written'>[]): Promise<void> {
  const events = await Promise.all(
    written.map(async ({ object: { organizationId, bucketId }, item: { contentId, bytes, at } }) => {
      const bucket = await records.collection(buckets, scopeOf(organizationId)).get(bucketId);
      if (bucket === null) return [];
      return [
        {
          _id: `${contentId}:upload_gb`,
          accountId: bucket.accountId,
          organizationId,
          assetId: null,
          resourceId: bucketId,
          metric: 'upload_gb' as const,
          dimension: bucket.region,
          quantity: bytes,
          at,
        },
      ];
    }),
  );
  await pendUsage({ records }, events.flat());
}
