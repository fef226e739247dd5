import { auditRow } from '../../../mixins/storage/audit.ts';
import { Refusal } from '../../../models/errors.ts';
import { encodeKey } from '../../../models/storage-key.ts';
import { videoFolder, type VideoEntry } from '../../../models/video.ts';
import { tooBusy, writeAttempts, type Storage } from '../tools.ts';
import { allVideos, settleVideo } from './tools.ts';

/**
 * Takes a video down or ends that, for the operator: while it is disabled it is listed, and nothing of it is delivered.
 * Repeating it changes nothing.
 * @throws Refusal `video_not_found`
 */
export async function takeDownVideo(
  storage: Storage,
  videoId: string,
  isDown: boolean,
): Promise<{ videoId: string; title: string; disabled: boolean }> {
  const { app } = storage;
  for (let attempt = 0; attempt < writeAttempts; attempt += 1) {
    const video = await allVideos(app).get(videoId);
    if (video?.listedAt === undefined) throw new Refusal('video_not_found');
    const { title, organizationId, libraryId: bucketId, sourceKey } = video;
    if ((video.disabledAt !== null) === isDown) return { videoId, title, disabled: isDown };
    const action = isDown ? 'video.disabled' : 'video.reinstated';
    const row = auditRow(app, organizationId, null, action, { kind: 'video', id: videoId });
    const purge = (name: string, scope: 'urls' | 'prefixes', target: string): VideoEntry => ({
      id: `${name}:${row._id}`,
      kind: 'edge',
      notBefore: 0,
      change: { kind: 'purge', bucketId, scope, targets: [target] },
    });
    const written = await allVideos(app).update(
      videoId,
      { version: video.version },
      {
        set: { disabledAt: isDown ? app.runtime.now() : null, outboxDue: app.records.time() },
        increment: { version: 1 },
        push: {
          outbox: [
            { id: `audit:${row._id}`, kind: 'audit', notBefore: 0, row },
            purge('files', 'prefixes', videoFolder(videoId)),
            purge('source', 'urls', encodeKey(sourceKey)),
          ],
        },
      },
    );
    if (written === null) continue;
    await settleVideo(storage, written);
    return { videoId, title, disabled: isDown };
  }
  throw tooBusy();
}
