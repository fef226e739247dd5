import type { Bucket } from '../../../models/bucket.ts';
import { refusalOf } from '../../../models/errors.ts';
import { scopeOf } from '../../../models/scope.ts';
import { bucketDeltas, bucketTotals, releasedContents } from '../../../models/storage-object.ts';
import type { BucketContent } from '../buckets/work.ts';
import { releaseDomains } from '../domains/change.ts';
import type { Storage } from '../tools.ts';
import { endUpload } from '../uploads/end.ts';
import { partsOf, uploadsOf } from '../uploads/tools.ts';
import { videosOf } from '../videos/tools.ts';
import { objectsOf } from './tools.ts';

/** Records that are read or removed at a time. */
const pageSize = 200;

/** What the work on a deleted bucket does with its content. */
export function bucketContent(storage: Storage): BucketContent {
  return {
    abortUploads: (bucket) => abortUploads(storage, bucket),
    removeAll: (bucket, signal) => removeAll(storage, bucket, signal),
  };
}

/** Aborts the uploads that are open. One that a request completes at present is refused there, or its object stays. */
async function abortUploads(storage: Storage, { _id: bucketId, organizationId }: Bucket): Promise<void> {
  for (let after: string[] | null = null; ;) {
    const page = await uploadsOf(storage.app, organizationId).find({
      filter: { bucketId },
      sort: [['_id', 1]],
      limit: pageSize,
      ...(after === null ? {} : { after }),
    });
    for (const { _id, state } of page) if (state === 'open') await abortUnlessCompleted(storage, organizationId, _id);
    const last = page.at(-1);
    if (last === undefined || page.length < pageSize) return;
    after = [last._id];
  }
}

async function abortUnlessCompleted(storage: Storage, organizationId: string, uploadId: string): Promise<void> {
  try {
    await endUpload(storage, organizationId, uploadId, 'aborted');
  } catch (error) {
    const code = refusalOf(error)?.type;
    if (code !== 'upload_not_open' && code !== 'upload_not_found') throw error;
  }
}

/**
 * Removes custom domains, objects, uploads, videos and totals. Each content is released before its record goes, so that after a crash nothing
 * is left over; the bytes follow when they are due.
 */
async function removeAll(storage: Storage, bucket: Bucket, signal: AbortSignal): Promise<void> {
  const { app } = storage;
  await releaseDomains(storage, bucket);
  const { _id: bucketId, organizationId } = bucket;
  const scope = scopeOf(organizationId);
  const released = app.records.collection(releasedContents, scope);
  const release = (contentIds: readonly string[]): Promise<unknown> => {
    const dueAt = app.records.time();
    return released.insertNew(contentIds.map((_id) => ({ _id, organizationId, dueAt })));
  };
  for (;;) {
    signal.throwIfAborted();
    const page = await uploadsOf(app, organizationId).find({
      filter: { bucketId },
      sort: [['_id', 1]],
      limit: pageSize,
    });
    if (page.length === 0) break;
    for (const { _id, contentId, state } of page) {
      if (state !== 'completed') await release([contentId]);
      while ((await partsOf(app, organizationId).removeMany({ uploadId: _id }, pageSize)) === pageSize);
      await uploadsOf(app, organizationId).remove(_id);
    }
  }
  for (;;) {
    signal.throwIfAborted();
    const page = await objectsOf(app, organizationId).find({
      filter: { bucketId, liveKey: { $exists: true } },
      sort: [['liveKey', 1]],
      limit: pageSize,
    });
    if (page.length === 0) break;
    await release(page.map(({ content }) => content.id));
    for (const { _id } of page) await objectsOf(app, organizationId).remove(_id);
  }
  while ((await videosOf(app, organizationId).removeMany({ libraryId: bucketId }, pageSize)) === pageSize);
  const deltas = app.records.collection(bucketDeltas, scope);
  while ((await deltas.removeMany({ bucketId }, pageSize)) === pageSize);
  await app.records.collection(bucketTotals, scope).remove(bucketId);
}
