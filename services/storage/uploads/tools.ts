import type { Collection } from '../../../adapters/records/port.ts';
import { drainOutbox } from '../../../mixins/work/outbox.ts';
import type { Bucket } from '../../../models/bucket.ts';
import { Refusal } from '../../../models/errors.ts';
import { scopeOf, systemScope } from '../../../models/scope.ts';
import { releasedContents, type StoredObject } from '../../../models/storage-object.ts';
import {
  partId,
  uploadParts,
  uploads,
  type Upload,
  type UploadEntry,
  type UploadPart,
} from '../../../models/upload.ts';
import type { Storage, StorageContext } from '../tools.ts';
import { writersOf } from './fence.ts';
import { abandonVideo } from '../videos/source.ts';

type Records = Pick<StorageContext, 'records'>;
type Claims = Pick<StorageContext, 'records' | 'configuration' | 'nodeId'>;

/** The uploads of one organization. */
export function uploadsOf({ records }: Records, organizationId: string): Collection<Upload> {
  return records.collection(uploads, scopeOf(organizationId));
}

/** The uploads of all organizations, for background work and for requests that a ticket authenticates. */
export function allUploads({ records }: Records): Collection<Upload> {
  return records.collection(uploads, systemScope);
}

/** The received parts of one organization's uploads. */
export function partsOf({ records }: Records, organizationId: string): Collection<UploadPart> {
  return records.collection(uploadParts, scopeOf(organizationId));
}

/** Parts that are read by their ids: faster than a query where they are few. */
const fewParts = 100;

/** All received parts of an upload, by number. */
export async function receivedParts(
  app: Records,
  { _id, organizationId, partCount, parts }: Upload,
): Promise<readonly Readonly<UploadPart>[]> {
  // Those of S3 and Blob clients have numbers with gaps.
  if (parts === undefined && partCount <= fewParts) {
    const ids = Array.from({ length: partCount }, (_, index) => partId(_id, index + 1));
    return partsOf(app, organizationId).getMany(ids);
  }
  return partsOf(app, organizationId).find({
    filter: { uploadId: _id },
    sort: [['number', 1]],
    limit: partCount,
  });
}

/** An upload of the organization, of any kind and in any state. @throws Refusal `upload_not_found` */
export async function findUpload(app: Records, organizationId: string, uploadId: string): Promise<Upload> {
  const upload = await uploadsOf(app, organizationId).get(uploadId);
  if (upload === null) throw new Refusal('upload_not_found');
  return upload;
}

/** An upload of the API, in any state. @throws Refusal `upload_not_found` */
export async function findSession(app: Records, organizationId: string, uploadId: string): Promise<Upload> {
  const upload = await findUpload(app, organizationId, uploadId);
  if (upload.parts !== undefined) throw new Refusal('upload_not_found');
  return upload;
}

/** Whether a request completes an upload at present. */
export function isCompleting(
  { records, configuration, nodeId }: Claims,
  { state, completion }: Pick<Upload, 'state' | 'completion'>,
): boolean {
  if (state !== 'open' || completion === null) return false;
  // No other process uses embedded records: one with another id has ended.
  const isOver = configuration.PLY_MONGO_URL === null && completion.by !== nodeId;
  return !isOver && completion.until > records.time();
}

/** @throws Refusal `upload_expired`, `upload_not_open` */
export function requireOpen(
  app: Claims & Pick<StorageContext, 'runtime'>,
  upload: Pick<Upload, 'state' | 'completion' | 'expiresAt'>,
): void {
  const isOver = upload.state === 'open' && upload.expiresAt <= app.runtime.now() && !isCompleting(app, upload);
  if (upload.state === 'expired' || isOver) throw new Refusal('upload_expired');
  if (upload.state !== 'open') throw new Refusal('upload_not_open', { detail: `The upload is ${upload.state}.` });
  if (isCompleting(app, upload)) throw beingEnded();
}

/** How long a request may take to end an upload before another takes over, in milliseconds. */
const claimMs = 60_000;

/**
 * Takes the right to end an upload: from then on no other request passes the check of its claim. Null if another request
 * has it, or the upload has ended.
 * @param writer id that this request would give the object; null if it writes none
 */
export function claimUpload(app: Claims, upload: Upload, writer: string | null): Promise<Upload | null> {
  const { _id, organizationId, token } = upload;
  const completion = { token: token + 1, until: app.records.time() + claimMs, by: app.nodeId };
  return uploadsOf(app, organizationId).update(
    _id,
    { state: 'open', token },
    {
      set: {
        completion,
        token: completion.token,
        ...(writer === null ? {} : { writers: [...writersOf(upload), writer] }),
      },
      increment: { version: 1 },
    },
  );
}

/** The refusal while another request completes or aborts the upload. */
export function beingEnded(): Refusal {
  return new Refusal('upload_not_open', {
    detail: 'Another request completes or aborts the upload.',
    retryable: true,
    retryAfter: 1,
  });
}

/** @throws Refusal `bucket_suspended` */
export function requireNotSuspended({ suspendedAt }: Pick<Bucket, 'suspendedAt'>): void {
  if (suspendedAt !== null) throw new Refusal('bucket_suspended');
}

/** Marks the upload of an object's content as completed. Idempotent. */
export async function markCompleted(
  app: Pick<StorageContext, 'records' | 'runtime'>,
  { _id, organizationId }: Pick<StoredObject, '_id' | 'organizationId'>,
  uploadId: string,
): Promise<void> {
  await uploadsOf(app, organizationId).update(
    uploadId,
    { state: { $ne: 'completed' } },
    {
      set: { state: 'completed', objectId: _id, completion: null, endedAt: app.runtime.now() },
      unset: ['openUntil', 'partsKey', 'blocksKey'],
      increment: { version: 1 },
    },
  );
}

/** What follows from the end of uploads. Idempotent. */
export function uploadOutbox(app: StorageContext): { deliver(upload: Upload, items: UploadEntry[]): Promise<void> } {
  return {
    deliver: async (upload, items) => {
      const released = items.flatMap((item) => (item.kind === 'release' ? [item.content] : []));
      await app.records.collection(releasedContents, systemScope).insertNew(released);
      for (const item of items) if (item.kind === 'abandon') await abandonVideo(app, upload, item.videoId);
    },
  };
}

/** Delivers what follows from the end of an upload; what fails is left to the sweeper. Returns the upload. */
export async function settleUpload({ app }: Pick<Storage, 'app'>, written: Upload): Promise<Upload> {
  try {
    await drainOutbox(app, uploadOutbox(app), uploadsOf(app, written.organizationId), written);
  } catch (error) {
    app.log.warn({ err: error, uploadId: written._id }, 'the outbox of an upload could not be delivered, will retry');
  }
  return written;
}
