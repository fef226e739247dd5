import { isDuplicate } from '../../../adapters/records/port.ts';
import { Refusal } from '../../../models/errors.ts';
import type { DoorObject } from '../../../models/schemas/doors.ts';
import { blocksKeyOf } from '../../../models/upload.ts';
import { settleObject } from '../objects/settle.ts';
import { objectWithKey } from '../objects/tools.ts';
import { findBucket, requireActive, tooBusy, writeAttempts, type Storage } from '../tools.ts';
import { endUpload } from '../uploads/end.ts';
import { insertUpload } from '../uploads/start.ts';
import { isCompleting, requireNotSuspended, uploadsOf } from '../uploads/tools.ts';

/** Most blocks of a blob. */
const maxBlocks = 50_000;

/**
 * The upload that the blocks of a blob are recorded in, until they are made an object of, or are a week old. A blob has
 * one at a time, whoever sends blocks.
 * @throws Refusal `bucket_not_found`, `bucket_not_active`, `bucket_suspended`, `plan_limit_reached`, `object_busy` while it
 *   is being completed
 */
export async function stageBlocks(
  storage: Storage,
  { organizationId, bucketId, key }: Pick<DoorObject, 'organizationId' | 'bucketId' | 'key'>,
): Promise<{ uploadId: string; contentId: string }> {
  const { app } = storage;
  const bucket = await findBucket(app, organizationId, bucketId);
  requireActive(bucket);
  requireNotSuspended(bucket);
  const blocksKey = blocksKeyOf(bucketId, key);
  for (let attempt = 0; attempt < writeAttempts; attempt += 1) {
    const [open] = await uploadsOf(app, organizationId).find({ filter: { blocksKey }, limit: 1 });
    if (open !== undefined && isCompleting(app, open))
      throw new Refusal('object_busy', { retryable: true, retryAfter: 1 });
    const present = open === undefined ? null : await objectWithKey(app, { organizationId, bucketId, key });
    if (open !== undefined && present?.contentId === open.contentId) {
      // A request that died has made them an object of, and the upload does not know yet.
      await settleObject(storage, present);
      continue;
    }
    if (open !== undefined && open.expiresAt > app.runtime.now())
      return { uploadId: open._id, contentId: open.contentId };
    if (open !== undefined) {
      await endUpload(storage, organizationId, open._id, 'expired');
      continue;
    }
    try {
      const { _id, contentId } = await insertUpload(storage, bucket, {
        key,
        contentType: 'application/octet-stream',
        size: 0,
        sha256: null,
        partSize: 0,
        partCount: maxBlocks,
        parts: { metadata: {} },
        blocksKey,
      });
      return { uploadId: _id, contentId };
    } catch (error) {
      // Another block of the blob was first.
      if (!isDuplicate(error, 'blocks')) throw error;
    }
  }
  throw tooBusy();
}
