import type { DoorWrite } from '../../../mixins/actions/doors.ts';
import { timeOrderedUuid } from '../../../models/runtime.ts';
import { Refusal, refusalOf } from '../../../models/errors.ts';
import type { doorMade, DoorObject, DoorPart, SeenVersion } from '../../../models/schemas/doors.ts';
import type { Infer } from '../../../models/schemas/schema.ts';
import { listKeyOf } from '../../../models/storage-key.ts';
import type { ObjectChecksum, PartSizes, StoredObject } from '../../../models/storage-object.ts';
import { maxParts, partId, type PartsUpload, type Upload } from '../../../models/upload.ts';
import { settleObject } from '../objects/settle.ts';
import { objectsOf, objectWithKey } from '../objects/tools.ts';
import type { Storage } from '../tools.ts';
import { giveBack, requireClaim } from '../uploads/complete.ts';
import { endUpload } from '../uploads/end.ts';
import { fenceOff } from '../uploads/fence.ts';
import { recordPart as writePart } from '../uploads/receive-part.ts';
import { insertUpload } from '../uploads/start.ts';
import { beingEnded, claimUpload, findUpload, partsOf, requireOpen } from '../uploads/tools.ts';
import { admitObject, requireHonestContent, writeSeen } from './objects.ts';

/**
 * Starts an upload in parts of any size.
 * @throws Refusal of `admitObject`; `plan_limit_reached`
 */
export async function startParts(
  storage: Storage,
  {
    organizationId,
    bucketId,
    key,
    contentType,
    metadata,
    headers,
    tags,
    checksum,
  }: Omit<DoorObject, 'size' | 'etag' | 'content' | 'createdVia' | 'partSizes'>,
): Promise<{ uploadId: string; contentId: string }> {
  const bucket = await admitObject(storage, { organizationId, bucketId, key, size: 0, contentType });
  const _id = timeOrderedUuid(storage.app.runtime);
  const { contentId } = await insertUpload(storage, bucket, {
    _id,
    key,
    contentType,
    size: 0,
    sha256: null,
    partSize: 0,
    partCount: maxParts,
    parts: {
      metadata,
      ...(headers === undefined ? {} : { headers }),
      ...(tags === undefined ? {} : { tags }),
      ...(checksum === undefined ? {} : { checksum }),
    },
    partsKey: `${listKeyOf(key)}\u0000${_id}`,
  });
  return { uploadId: _id, contentId };
}

/** An upload in parts, in any state. @throws Refusal `upload_not_found` */
async function findParts(
  { app }: Storage,
  organizationId: string,
  uploadId: string,
): Promise<Upload & { parts: PartsUpload }> {
  const upload = await findUpload(app, organizationId, uploadId);
  if (upload.parts === undefined) throw new Refusal('upload_not_found');
  return { ...upload, parts: upload.parts };
}

/** Makes a part that a door has stored the one that counts. @throws Refusal `upload_not_found`, `upload_not_open` */
export async function recordPart(
  storage: Storage,
  { organizationId, uploadId, part }: { organizationId: string; uploadId: string; part: DoorPart },
): Promise<null> {
  const upload = await findParts(storage, organizationId, uploadId);
  requireOpen(storage.app, upload);
  await writePart(storage.app, upload, { ...part, at: storage.app.runtime.now() });
  return null;
}

/** What completes an upload in parts. */
interface Completion {
  organizationId: string;
  uploadId: string;
  parts: DoorPart[];
  etag: string;
  checksum?: ObjectChecksum;
  partSizes?: PartSizes;
  /** What the object is to have; of the upload where it is absent. */
  made?: Infer<typeof doorMade>;
  seen?: SeenVersion;
}

/**
 * Makes an object of parts of an upload, in the order in which they are given. Repeated, it answers the object.
 * @throws Refusal of `admitObject`; `upload_not_found`, `upload_not_open`, `upload_expired`, `upload_incomplete` where a
 *   part is no longer as it was read, `object_busy`
 */
export async function completeParts(storage: Storage, completion: Completion): Promise<DoorWrite> {
  const { app } = storage;
  const { organizationId, uploadId, parts } = completion;
  const upload = await findParts(storage, organizationId, uploadId);
  if (upload.state === 'completed') return completed(storage, upload, completion);
  requireOpen(app, upload);
  const size = parts.reduce((sum, { bytes }) => sum + bytes, 0);
  const { bucketId, key } = upload;
  const { contentType = upload.contentType } = completion.made ?? {};
  const bucket = await admitObject(storage, { organizationId, bucketId, key, size, contentType });
  const objectId = app.runtime.uuid();
  const claimed = await claimUpload(app, upload, objectId);
  if (claimed === null) {
    const now = await findParts(storage, organizationId, uploadId);
    if (now.state === 'completed') return completed(storage, now, completion);
    requireOpen(app, now);
    throw beingEnded();
  }
  try {
    // A request that died may have written the object, and one that was paused may be about to.
    await fenceOff(app, claimed, objectId);
    const present = await objectWithKey(app, upload);
    if (present?.contentId === upload.contentId) {
      if (completion.made !== undefined) await requireSameParts(app, present, upload.contentId, parts);
      return { outcome: 'stored', object: await settleObject(storage, present) };
    }
    await requireParts(storage, upload, parts);
    await requireClaim(storage, claimed);
    const content = await app.objects.join(
      upload.contentId,
      parts.map(({ name, bytes }) => ({ name, bytes })),
    );
    await requireHonestContent(storage, bucket, { content, contentType, size });
    const { metadata, headers, tags } = completion.made ?? upload.parts;
    const { etag, partSizes, made } = completion;
    const checksum = made === undefined ? completion.checksum : made.checksum;
    const written = await writeSeen(
      storage,
      bucket,
      {
        organizationId,
        bucketId,
        key,
        contentType,
        metadata,
        size,
        etag,
        content,
        createdVia: made?.createdVia ?? 's3',
        ...(partSizes === undefined ? {} : { partSizes }),
        ...(headers === undefined ? {} : { headers }),
        ...(tags === undefined ? {} : { tags }),
        ...(checksum === undefined ? {} : { checksum }),
      },
      completion.seen,
      { objectId, uploadId, guard: () => requireClaim(storage, claimed) },
    );
    if (written.outcome === 'changed') await giveBack(storage, claimed, objectId);
    return written;
  } catch (error) {
    await giveBack(storage, claimed, refusalOf(error) === null ? null : objectId);
    throw error;
  }
}

/** @throws Refusal `upload_incomplete` where a part is not the one that counts */
async function requireParts({ app }: Storage, { organizationId, _id }: Upload, parts: DoorPart[]): Promise<void> {
  const ids = [...new Set(parts.map(({ number }) => partId(_id, number)))];
  const received = await partsOf(app, organizationId).getMany(ids);
  const names = new Map(received.map(({ number, name }) => [number, name]));
  if (parts.some(({ number, name }) => names.get(number) !== name)) throw new Refusal('upload_incomplete');
}

/**
 * The object of an upload that was completed.
 * @throws Refusal `upload_not_found` where it is gone, `upload_incomplete` where other parts were made an object of
 */
async function completed(
  { app }: Storage,
  { organizationId, objectId, contentId }: Upload,
  { made, parts }: Completion,
): Promise<DoorWrite> {
  const object = await objectsOf(app, organizationId).get(objectId ?? '');
  if (object === null || object.liveKey === undefined) throw new Refusal('upload_not_found');
  // Blocks are shared by all who send them: another client may have completed them, in another order.
  if (made !== undefined) await requireSameParts(app, object, contentId, parts);
  return { outcome: 'stored', object };
}

/** @throws Refusal `upload_incomplete` where an object does not consist of these parts of a content */
async function requireSameParts(
  app: Storage['app'],
  { content }: Pick<StoredObject, 'content'>,
  contentId: string,
  parts: DoorPart[],
): Promise<void> {
  const names = content.id === contentId ? await app.objects.partsOf(content) : [];
  if (names.length !== parts.length || parts.some(({ name }, index) => names[index] !== name))
    throw new Refusal('upload_incomplete');
}

/** Ends an upload in parts without an object. @throws Refusal `upload_not_found`, `upload_not_open` */
export async function abortParts(
  storage: Storage,
  { organizationId, uploadId }: { organizationId: string; uploadId: string },
): Promise<null> {
  const upload = await findParts(storage, organizationId, uploadId);
  if (upload.state !== 'open') throw new Refusal('upload_not_found');
  await endUpload(storage, organizationId, uploadId, 'aborted');
  return null;
}
