import { pendUsage } from '../../../mixins/accounts/pending-usage.ts';
import { recordAudit } from '../../../mixins/storage/audit.ts';
import { drainOutbox } from '../../../mixins/work/outbox.ts';
import { buckets } from '../../../models/bucket.ts';
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
import { objectsOf } from './tools.ts';

type Records = Pick<StorageContext, 'records'>;

/** How long the sweeper leaves an outbox to the request that wrote it, in milliseconds. */
export const outboxDelayMs = 5000;

/** What follows from changes of objects, as their outboxes say. Idempotent. */
export function objectOutbox(storage: Pick<Storage, 'app' | 'wakeUp'>): {
  deliver(object: StoredObject, items: ObjectEntry[]): Promise<void>;
} {
  const { app } = storage;
  return {
    deliver: async (object, items) => {
      const of = <K extends ObjectEntry['kind']>(kind: K): Extract<ObjectEntry, { kind: K }>[] =>
        items.filter((item): item is Extract<ObjectEntry, { kind: K }> => item.kind === kind);
      const rows = of('audit').map(({ row }) => row);
      const released = of('release').map(({ content }) => content);
      const deltas = of('count').map(({ delta }) => delta);
      const checks = of('verify').map(({ check }) => check);
      const changes = of('edge').map(({ change }) => change);
      const writes: Promise<unknown>[] = of('upload').map(({ uploadId }) => markCompleted(app, object, uploadId));
      const written = of('written');
      if (written.length > 0) writes.push(countUploads(app, object, written));
      if (changes.length > 0) writes.push(app.edgeChanges.append(changes));
      if (rows.length > 0) writes.push(recordAudit(app, rows));
      if (released.length > 0) writes.push(app.records.collection(releasedContents, systemScope).insertNew(released));
      if (deltas.length > 0) writes.push(app.records.collection(bucketDeltas, systemScope).insertNew(deltas));
      if (checks.length > 0) writes.push(app.records.collection(checksumChecks, systemScope).insertNew(checks));
      await Promise.all(writes);
      for (const arrived of of('video')) await receiveSource(storage, object, arrived);
      for (const checked of of('checked')) await sourceChecked(storage, object, checked);
      if (checks.length > 0) storage.wakeUp(object.organizationId, ['verifying']);
    },
  };
}

/** Hands the use of bytes that clients wrote to the ledger. */
async function countUploads(
  { records }: Records,
  { organizationId, bucketId }: StoredObject,
  written: readonly Extract<ObjectEntry, { kind: 'written' }>[],
): Promise<void> {
  const bucket = await records.collection(buckets, scopeOf(organizationId)).get(bucketId);
  if (bucket === null) return;
  await pendUsage(
    { records },
    written.map(({ contentId, bytes, at }) => ({
      _id: `${contentId}:upload_gb`,
      accountId: bucket.accountId,
      organizationId,
      assetId: null,
      resourceId: bucketId,
      metric: 'upload_gb',
      dimension: bucket.region,
      quantity: bytes,
      at,
    })),
  );
}

/** Delivers what follows from a change that was just written; what fails is left to the sweeper. Returns the object. */
export async function settleObject(
  storage: Pick<Storage, 'app' | 'wakeUp'>,
  written: StoredObject,
): Promise<StoredObject> {
  const { app } = storage;
  try {
    await drainOutbox(app, objectOutbox(storage), objectsOf(app, written.organizationId), written);
  } catch (error) {
    app.log.warn({ err: error, objectId: written._id }, 'the outbox of an object could not be delivered, will retry');
  }
  return written;
}

/** The same, for requests that nothing of it is waited for by: it goes on when they are answered. Returns the object. */
export async function settleInBackground(
  storage: Pick<Storage, 'app' | 'wakeUp' | 'background'>,
  written: StoredObject,
): Promise<StoredObject> {
  if (storage.background === undefined) return settleObject(storage, written);
  await storage.background.run(() => settleObject(storage, written));
  return written;
}
