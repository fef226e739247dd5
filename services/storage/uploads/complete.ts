import { createHash } from 'node:crypto';
import type { Caller } from '../../../models/api.ts';
import type { Bucket } from '../../../models/bucket.ts';
import { Refusal, refusalOf } from '../../../models/errors.ts';
import { isMislabelledMarkup, markupHeaderBytes } from '../../../models/markup.ts';
import type { CompletedView, StoredObject } from '../../../models/storage-object.ts';
import type { Upload, UploadPart } from '../../../models/upload.ts';
import { settleObject } from '../objects/settle.ts';
import { findObject, objectWithKey } from '../objects/tools.ts';
import { objectView } from '../objects/view.ts';
import { writeObject } from '../objects/write.ts';
import { findBucket, requireActive, type Storage } from '../tools.ts';
import { requireType } from './start.ts';
import { fenceOff } from './fence.ts';
import {
  beingEnded,
  claimUpload,
  findSession,
  findUpload,
  receivedParts,
  requireNotSuspended,
  requireOpen,
  uploadsOf,
} from './tools.ts';

/**
 * Completes an upload: its parts become the content of the object with its key. Repeated, it answers the object.
 * @throws Refusal `upload_not_found`, `upload_not_open`, `upload_expired`, `bucket_not_active`, `bucket_suspended`,
 *   `upload_incomplete`, `size_mismatch`, `file_type_not_allowed`, `object_exists`, `object_busy`, `object_not_found`
 */
export async function completeUpload(storage: Storage, caller: Caller, uploadId: string): Promise<CompletedView> {
  const { app } = storage;
  const { organizationId } = caller;
  const upload = await findSession(app, organizationId, uploadId);
  if (upload.state === 'completed') return completedObject(storage, upload);
  const bucket = await findBucket(app, organizationId, upload.bucketId);
  // First, because uploads of a deleted bucket are aborted in the background.
  requireActive(bucket);
  requireOpen(app, upload);
  requireNotSuspended(bucket);
  const objectId = app.runtime.uuid();
  const claimed = await claimUpload(app, upload, objectId);
  if (claimed === null) {
    const now = await findUpload(app, organizationId, uploadId);
    if (now.state === 'completed') return completedObject(storage, now);
    requireOpen(app, now);
    throw beingEnded();
  }
  try {
    return completedView(app, bucket, await complete(storage, bucket, claimed, objectId));
  } catch (error) {
    await giveBack(storage, claimed, refusalOf(error) === null ? null : objectId);
    throw error;
  }
}

/** The object of a completed upload. @throws Refusal `object_not_found` */
async function completedObject({ app }: Storage, { organizationId, objectId }: Upload): Promise<CompletedView> {
  const object = await findObject(app, organizationId, objectId ?? '');
  return completedView(app, await findBucket(app, organizationId, object.bucketId), object);
}

function completedView(app: Storage['app'], bucket: Bucket, object: StoredObject): CompletedView {
  const { videoId } = object;
  return { ...objectView(app, bucket, object), ...(videoId === undefined ? {} : { videoId }) };
}

/**
 * Lets others complete or abort an upload whose completion failed.
 * @param writer id of the object, where it is certain that this request no longer writes it
 */
export async function giveBack(
  { app }: Storage,
  { _id, organizationId, token, writers = [] }: Upload,
  writer: string | null,
): Promise<void> {
  try {
    await uploadsOf(app, organizationId).update(
      _id,
      { state: 'open', token },
      {
        set: { completion: null, writers: writers.filter((id) => id !== writer) },
        increment: { version: 1 },
      },
    );
  } catch (error) {
    app.log.warn({ err: error, uploadId: _id }, 'the completion of an upload could not be given back, it will expire');
  }
}

async function complete(storage: Storage, bucket: Bucket, upload: Upload, objectId: string): Promise<StoredObject> {
  const { app } = storage;
  // A request that died may have written the object, and one that was paused may be about to.
  await fenceOff(app, upload, objectId);
  const present = await objectWithKey(app, upload);
  if (present?.contentId === upload.contentId) return settleObject(storage, present);
  const parts = await receivedParts(app, upload);
  requireWhole(upload, parts);
  await requireHonestType(storage, bucket, upload, parts);
  const { allowOverwrite } = bucket.settings.uploadRules;
  if (present !== null && !allowOverwrite) throw new Refusal('object_exists');
  const content = await app.objects.join(
    upload.contentId,
    parts.map(({ name, bytes }) => ({ name, bytes })),
  );
  const { organizationId, bucketId, key, size, contentType, sha256, videoId } = upload;
  return writeObject(
    storage,
    {
      organizationId,
      bucketId,
      key,
      size,
      contentType,
      sha256,
      etag: etagOf(parts),
      metadata: {},
      content,
      createdVia: 'plycdn',
      ...(videoId === undefined ? {} : { videoId }),
    },
    {
      allowOverwrite,
      objectId,
      uploadId: upload._id,
      ...(videoId === undefined ? {} : { isNewVideo: upload.isOfVideo !== true }),
      guard: () => requireClaim(storage, upload),
    },
  );
}

/** @throws Refusal `upload_not_open` if another request has taken over */
export async function requireClaim({ app }: Storage, { _id, organizationId, token }: Upload): Promise<void> {
  const { state, completion } = await findUpload(app, organizationId, _id);
  if (state !== 'open' || completion?.token !== token || completion.until <= app.records.time()) throw beingEnded();
}

/** @throws Refusal `upload_incomplete`, `size_mismatch` */
function requireWhole({ partCount, size }: Upload, parts: readonly UploadPart[]): void {
  const missing = parts.length === partCount ? -1 : parts.findIndex(({ number }, index) => number !== index + 1);
  if (parts.length !== partCount)
    throw new Refusal('upload_incomplete', {
      detail: `${partCount - parts.length} of ${partCount} parts are missing, the first is part ${(missing < 0 ? parts.length : missing) + 1}.`,
    });
  const bytes = parts.reduce((sum, part) => sum + part.bytes, 0);
  if (bytes !== size)
    throw new Refusal('size_mismatch', { detail: `The parts have ${bytes} bytes, and ${size} were declared.` });
}

/** @throws Refusal `file_type_not_allowed` */
async function requireHonestType(
  { app }: Storage,
  bucket: Bucket,
  { contentId, contentType }: Upload,
  [first]: readonly UploadPart[],
): Promise<void> {
  requireType(bucket, contentType);
  const { allowedTypes } = bucket.settings.uploadRules;
  if (allowedTypes.length === 0 || first === undefined) return;
  const header = await app.objects.head(contentId, first.name, markupHeaderBytes);
  if (isMislabelledMarkup(header, contentType, allowedTypes))
    throw new Refusal('file_type_not_allowed', { detail: 'The file is markup, and was declared as another type.' });
}

/** The quoted MD5 of one part; of several the MD5 of their MD5s, with their number. */
export function etagOf(parts: readonly Pick<UploadPart, 'md5'>[]): string {
  const [first] = parts;
  if (parts.length === 1 && first !== undefined) return `"${first.md5}"`;
  const hash = createHash('md5');
  for (const { md5 } of parts) hash.update(md5, 'hex');
  return `"${hash.digest('hex')}-${parts.length}"`;
}
