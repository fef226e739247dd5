import { auditRow } from '../../../mixins/storage/audit.ts';
import type { Caller } from '../../../models/api.ts';
import { Refusal } from '../../../models/errors.ts';
import type { VideoView } from '../../../models/video.ts';
import { newRun } from '../buckets/run.ts';
import { findBucket, requireActive, tooBusy, writeAttempts, type Storage } from '../tools.ts';
import { findVideo, settleVideo, videosOf } from './tools.ts';
import { videoView } from './view.ts';

/**
 * Encodes a ready video again, with the settings as they are now. It plays as it is until its first new quality is made.
 * @throws Refusal `video_not_found`, `bucket_not_active`, `video_not_ready`, `original_not_kept`
 */
export async function reencodeVideo(storage: Storage, caller: Caller, videoId: string): Promise<VideoView> {
  const { app } = storage;
  const { organizationId } = caller;
  for (let attempt = 0; attempt < writeAttempts; attempt += 1) {
    const video = await findVideo(app, organizationId, videoId);
    if (video.disabledAt !== null) throw new Refusal('video_not_found');
    requireActive(await findBucket(app, organizationId, video.libraryId));
    if (video.status !== 'ready') throw new Refusal('video_not_ready');
    if (video.source === null) throw new Refusal('original_not_kept');
    const row = auditRow(app, organizationId, caller, 'video.reencoded', { kind: 'video', id: videoId });
    const written = await videosOf(app, organizationId).update(
      videoId,
      { version: video.version },
      {
        set: {
          status: 'queued',
          errorCode: null,
          plan: null,
          updatedAt: Math.max(app.runtime.now(), video.updatedAt),
          run: newRun(app, 'encoding_first'),
          outboxDue: app.records.time(),
        },
        increment: { version: 1 },
        push: { outbox: [{ id: `audit:${row._id}`, kind: 'audit', notBefore: 0, row }] },
      },
    );
    if (written === null) continue;
    storage.wakeUp(organizationId, ['encoding_first']);
    return videoView(await settleVideo(storage, written));
  }
  throw tooBusy();
}
