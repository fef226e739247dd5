import type { Caller } from '../../../models/api.ts';
import { Refusal } from '../../../models/errors.ts';
import type { Upload, UploadEntry, UploadState, UploadView } from '../../../models/upload.ts';
import { settleObject } from '../objects/settle.ts';
import { objectsOf, objectWithKey } from '../objects/tools.ts';
import { objectView } from '../objects/view.ts';
import { findBucket, tooBusy, writeAttempts, type Storage } from '../tools.ts';
import { fenceOff, writersOf } from './fence.ts';
import {
  beingEnded,
  claimUpload,
  findSession,
  findUpload,
  isCompleting,
  receivedParts,
  settleUpload,
  uploadsOf,
} from './tools.ts';
import { uploadView } from './view.ts';

/** How long the bytes of an upload that ended are kept for parts that are being written, in milliseconds. */
const releaseDelayMs = 60_000;

/** An upload with its received parts. @throws Refusal `upload_not_found` */
export async function readUpload({ app }: Storage, { organizationId }: Caller, uploadId: string): Promise<UploadView> {
  const upload = await findSession(app, organizationId, uploadId);
  return uploadView(asOf(app.runtime.now(), upload), await receivedParts(app, upload));
}

/** An upload whose time has passed shows as expired before the sweeper says so. */
function asOf(now: number, upload: Upload): Upload {
  const isOver = upload.state === 'open' && upload.expiresAt <= now;
  return isOver ? { ...upload, state: 'expired' } : upload;
}

/**
 * Aborts an open upload. One that has ended is answered as it is, a completed one with its object.
 * @throws Refusal `upload_not_found`, `upload_not_open` while another request completes it
 */
export async function abortUpload(storage: Storage, { organizationId }: Caller, uploadId: string): Promise<UploadView> {
  const { app } = storage;
  await findSession(app, organizationId, uploadId);
  const ended = await endUpload(storage, organizationId, uploadId, 'aborted');
  const view = uploadView(ended, await receivedParts(app, ended));
  if (ended.state !== 'completed') return view;
  const object = await objectsOf(app, organizationId).get(ended.objectId ?? '');
  if (object === null || object.liveKey === undefined) return view;
  return { ...view, object: objectView(app, await findBucket(app, organizationId, object.bucketId), object) };
}

/**
 * Ends an open upload without an object, as one conditional write that also releases its bytes. One that has ended, or
 * whose object a request that died had written, stays as it is.
 * @throws Refusal `upload_not_found`, `upload_not_open` while another request completes it
 */
export async function endUpload(
  storage: Storage,
  organizationId: string,
  uploadId: string,
  state: Exclude<UploadState, 'open' | 'completed'>,
): Promise<Upload> {
  const { app } = storage;
  for (let attempt = 0; attempt < writeAttempts; attempt += 1) {
    const found = await findUpload(app, organizationId, uploadId);
    if (found.state !== 'open') return found;
    if (isCompleting(app, found)) throw beingEnded();
    let upload = found;
    if (writersOf(found).length > 0) {
      // A request that completes it may have died, or be paused just before it writes the object.
      const claimed = await claimUpload(app, found, null);
      if (claimed === null) continue;
      upload = claimed;
      await fenceOff(app, upload, null);
      const present = await objectWithKey(app, upload);
      if (present?.contentId === upload.contentId) {
        await settleObject(storage, present);
        const now = await findUpload(app, organizationId, uploadId);
        if (now.state === 'open') throw new Refusal('upload_not_open', { retryable: true, retryAfter: 1 });
        return now;
      }
    }
    const now = app.records.time();
    const content = { _id: upload.contentId, organizationId, dueAt: now + releaseDelayMs };
    const isOver = upload.expiresAt <= app.runtime.now();
    const written = await uploadsOf(app, organizationId).update(
      uploadId,
      { state: 'open', token: upload.token },
      {
        set: {
          state: isOver ? 'expired' : state,
          completion: null,
          // Of a request that completed it and lost its claim nothing is written any more.
          token: upload.token + 1,
          endedAt: app.runtime.now(),
          outboxDue: now,
        },
        unset: ['openUntil', 'partsKey', 'blocksKey'],
        increment: { version: 1 },
        push: { outbox: [{ id: 'release', kind: 'release', notBefore: 0, content }, ...abandonEntries(upload)] },
      },
    );
    if (written !== null) return settleUpload(storage, written);
  }
  throw tooBusy();
}

/** A video whose source does not arrive any more fails. */
function abandonEntries({ videoId, isOfVideo }: Upload): UploadEntry[] {
  return videoId !== undefined && isOfVideo === true ? [{ id: 'abandon', kind: 'abandon', notBefore: 0, videoId }] : [];
}
