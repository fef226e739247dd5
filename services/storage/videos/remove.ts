import * as transitions from '../../../mixins/work/transitions.ts';
import type { StageResult, StageWork } from '../../../mixins/work/worker.ts';
import type { Caller } from '../../../models/api.ts';
import { refusalOf } from '../../../models/errors.ts';
import type { Video } from '../../../models/video.ts';
import { videoFolder } from '../../../models/video.ts';
import { newRun } from '../buckets/run.ts';
import { removeStored } from '../objects/change.ts';
import { objectsUnder, objectWithKey } from '../objects/tools.ts';
import { auditRow } from '../../../mixins/storage/audit.ts';
import { tooBusy, writeAttempts, type Storage } from '../tools.ts';
import { endUpload } from '../uploads/end.ts';
import { findVideo, settleVideo, videosOf } from './tools.ts';

/** Objects that are removed in one go. */
const pageSize = 200;

/**
 * Deletes a video, taken down or not: it is found nowhere from then on, and its files are removed one after another.
 * @throws Refusal `video_not_found`
 */
export async function removeVideo(
  storage: Storage,
  caller: Caller,
  videoId: string,
): Promise<{ id: string; status: 'deleted' }> {
  const { app } = storage;
  const { organizationId } = caller;
  for (let attempt = 0; attempt < writeAttempts; attempt += 1) {
    const video = await findVideo(app, organizationId, videoId);
    const row = auditRow(app, organizationId, caller, 'video.deleted', { kind: 'video', id: videoId });
    const now = app.records.time();
    const quietAt = transitions.workersStopped(video, now, app.configuration.PLY_LEASE_SECONDS * 1000);
    const written = await videosOf(app, organizationId).update(
      videoId,
      { version: video.version },
      {
        set: { quietAt, run: newRun(app, 'removing_video'), outboxDue: now },
        unset: ['listedAt'],
        increment: { version: 1 },
        push: {
          outbox: [
            { id: `audit:${row._id}`, kind: 'audit', notBefore: 0, row },
            {
              id: `files:${row._id}`,
              kind: 'edge',
              notBefore: 0,
              change: {
                kind: 'purge',
                bucketId: video.libraryId,
                scope: 'prefixes',
                targets: [videoFolder(videoId)],
              },
            },
          ],
        },
      },
    );
    if (written === null) continue;
    storage.wakeUp(organizationId, ['removing_video']);
    await settleVideo(storage, written);
    return { id: videoId, status: 'deleted' };
  }
  throw tooBusy();
}

/**
 * Removes everything of a deleted video: its upload, its source and its files. An encoder that lost the video to the
 * deletion may write a file until its lease would have ended: then it is looked once more.
 */
export async function removeVideoFiles(
  storage: Storage,
  { document: video, signal }: Pick<StageWork<Video>, 'document' | 'signal'>,
): Promise<StageResult<Video>> {
  const { app } = storage;
  const { organizationId, libraryId: bucketId, uploadId, sourceKey } = video;
  await abort(storage, organizationId, uploadId);
  const source = await objectWithKey(app, { organizationId, bucketId, key: sourceKey });
  if (source?.videoId === video._id) await removeStored(storage, organizationId, source._id, null);
  for (;;) {
    signal.throwIfAborted();
    const page = await objectsUnder(app, { organizationId, bucketId }, videoFolder(video._id), pageSize);
    for (const { _id } of page) await removeStored(storage, organizationId, _id, null);
    if (page.length < pageSize) break;
  }
  return (document, now) => {
    const wait = (document.quietAt ?? 0) - now;
    if (wait <= 0) return transitions.complete(document, 'deleted', now, { document: { goneAt: app.runtime.now() } });
    const again = transitions.advance(document, 'removing_video', now);
    const set = { ...again.change.set, 'run.phase': 'put_off', 'run.dueAt': now + wait };
    return { filter: again.filter, change: { ...again.change, set } };
  };
}

/** @throws Refusal `upload_not_open` while a request completes it */
async function abort(storage: Storage, organizationId: string, uploadId: string): Promise<void> {
  try {
    await endUpload(storage, organizationId, uploadId, 'aborted');
  } catch (error) {
    if (refusalOf(error)?.type !== 'upload_not_found') throw error;
  }
}
