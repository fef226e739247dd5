import type { Caller } from '../../../models/api.ts';
import type { Bucket } from '../../../models/bucket.ts';
import { invalid, Refusal } from '../../../models/errors.ts';
import { isAdmitted } from '../../../models/media-type.ts';
import { timeOrderedUuid } from '../../../models/runtime.ts';
import type { newUpload } from '../../../models/schemas/objects.ts';
import type { Infer } from '../../../models/schemas/schema.ts';
import { partCountOf, partSizeOf, type FreshUploadView, type Upload } from '../../../models/upload.ts';
import { isSourceKey, sourcesFolder } from '../../../models/video.ts';
import { objectWithKey } from '../objects/tools.ts';
import { ceilingsOf } from '../plan.ts';
import { findBucket, requireActive, uploadUrlOf, type Storage } from '../tools.ts';
import { ticketTtlMs } from './tickets.ts';
import { beingEnded, findSession, findUpload, requireNotSuspended, requireOpen, uploadsOf } from './tools.ts';
import { freshUploadView } from './view.ts';

/** How long an upload stays open, in milliseconds. */
const sessionMs = 7 * 24 * 3_600_000;
/** Open uploads of an organization. */
const maxOpen = 1000;

/**
 * Starts an upload. Its parts are sent to the upload listener with the tickets in the answer.
 * @throws Refusal `bucket_not_found`, `bucket_not_active`, `bucket_suspended`, `validation_error` (size),
 *   `file_type_not_allowed`, `object_exists`, `plan_limit_reached`
 */
export async function startUpload(
  storage: Storage,
  caller: Caller,
  bucketId: string,
  input: Infer<typeof newUpload>,
): Promise<FreshUploadView> {
  const { app } = storage;
  const { organizationId } = caller;
  const bucket = await findBucket(app, organizationId, bucketId);
  requireActive(bucket);
  requireNotSuspended(bucket);
  if (bucket.kind === 'video' && !isSourceKey(input.key))
    throw invalid(['body', 'key'], `body.key must lie directly under ${sourcesFolder} in a video library.`);
  await requireSize(storage, bucket, input.size);
  requireType(bucket, input.contentType);
  if (!bucket.settings.uploadRules.allowOverwrite && (await objectWithKey(app, { organizationId, bucketId, ...input })))
    throw new Refusal('object_exists');
  const upload = await insertUpload(storage, bucket, {
    ...input,
    ...(bucket.kind === 'video' ? { videoId: app.runtime.uuid() } : {}),
  });
  return freshUploadView(app, upload, { base: uploadUrlOf(storage, bucket.region), now: upload.createdAt });
}

/** What an upload brings. */
type UploadFields = Pick<Upload, 'key' | 'contentType' | 'size' | 'sha256' | 'videoId' | 'isOfVideo'> &
  // Of uploads in parts of any size.
  Partial<Pick<Upload, '_id' | 'partSize' | 'partCount' | 'parts' | 'partsKey' | 'blocksKey'>>;

/** Opens an upload. @throws Refusal `plan_limit_reached` */
export async function insertUpload(
  storage: Storage,
  { _id: bucketId, organizationId }: Pick<Bucket, '_id' | 'organizationId'>,
  input: UploadFields,
): Promise<Upload> {
  const { app } = storage;
  const now = app.runtime.now();
  const upload: Upload = {
    _id: timeOrderedUuid(app.runtime),
    organizationId,
    bucketId,
    partSize: partSizeOf(input.size),
    partCount: partCountOf(input.size),
    ...input,
    state: 'open',
    contentId: app.runtime.uuid(),
    completion: null,
    token: 0,
    writers: [],
    objectId: null,
    createdAt: now,
    expiresAt: now + sessionMs,
    ticketExpiresAt: now + ticketTtlMs,
    openUntil: now + sessionMs,
    version: 1,
    outbox: [],
  };
  const uploads = uploadsOf(app, organizationId);
  await uploads.insert(upload);
  try {
    await requireRoom(storage, organizationId);
  } catch (error) {
    await uploads.remove(upload._id);
    throw error;
  }
  return upload;
}

/** @throws Refusal `validation_error` */
export async function requireSize({ app }: Storage, { accountId, settings }: Bucket, size: number): Promise<void> {
  const { maxObjectBytes } = settings.uploadRules;
  if (maxObjectBytes !== null && size > maxObjectBytes)
    throw invalid(['body', 'size'], `body.size is larger than the ${maxObjectBytes} bytes that the bucket takes.`);
  const { objectBytes } = await ceilingsOf(app, accountId);
  if (objectBytes !== null && size > objectBytes)
    throw invalid(['body', 'size'], `body.size is larger than the ${objectBytes} bytes that the plan includes.`);
}

/** @throws Refusal `file_type_not_allowed` */
export function requireType({ settings }: Pick<Bucket, 'settings'>, contentType: string): void {
  if (!isAdmitted(contentType, settings.uploadRules.allowedTypes))
    throw new Refusal('file_type_not_allowed', { detail: 'The type is not one that the bucket allows.' });
}

/** Counts with the new upload there, so that of many at once none too many stay. @throws Refusal `plan_limit_reached` */
async function requireRoom({ app }: Storage, organizationId: string): Promise<void> {
  const open = await uploadsOf(app, organizationId).count({ openUntil: { $gt: app.runtime.now() } });
  if (open > maxOpen)
    throw new Refusal('plan_limit_reached', { detail: `An organization has at most ${maxOpen} open uploads.` });
}

/**
 * New tickets for an open upload; older ones go on.
 * @throws Refusal `upload_not_found`, `upload_not_open`, `upload_expired`, `bucket_not_active`, `bucket_suspended`
 */
export async function renewUpload(storage: Storage, caller: Caller, uploadId: string): Promise<FreshUploadView> {
  const { app } = storage;
  const { organizationId } = caller;
  const upload = await findSession(app, organizationId, uploadId);
  const bucket = await findBucket(app, organizationId, upload.bucketId);
  // First, because uploads of a deleted bucket are aborted in the background.
  requireActive(bucket);
  requireOpen(app, upload);
  requireNotSuspended(bucket);
  const now = app.runtime.now();
  const renewed = await uploadsOf(app, organizationId).update(
    uploadId,
    { state: 'open', token: upload.token },
    { set: { ticketExpiresAt: Math.min(now + ticketTtlMs, upload.expiresAt) }, increment: { version: 1 } },
  );
  if (renewed === null) {
    requireOpen(app, await findUpload(app, organizationId, uploadId));
    throw beingEnded();
  }
  return freshUploadView(app, renewed, { base: uploadUrlOf(storage, bucket.region), now });
}
