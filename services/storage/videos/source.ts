import { announced } from '../../../mixins/storage/video-events.ts';
import type { StoredObject, ObjectEntry } from '../../../models/storage-object.ts';
import type { Upload } from '../../../models/upload.ts';
import { sourcesFolder, titleOf, type Video, type VideoFailure } from '../../../models/video.ts';
import { newRun } from '../buckets/run.ts';
import { bucketsOf, type Storage, type StorageContext } from '../tools.ts';
import { newVideoDocument } from './document.ts';
import { videosOf } from './tools.ts';

type Entry<K extends ObjectEntry['kind']> = Extract<ObjectEntry, { kind: K }>;

/**
 * The source of a video has arrived: the video waits for its turn to be encoded. A file that was uploaded without a
 * video makes one, which is named after the file. A declared SHA-256 is checked first. Idempotent.
 */
export async function receiveSource(
  storage: Pick<Storage, 'app' | 'wakeUp'>,
  object: StoredObject,
  { videoId, uploadId, isNew }: Entry<'video'>,
): Promise<void> {
  const { app } = storage;
  const { organizationId } = object;
  if (isNew) await insertVideo(app, object, { id: videoId, uploadId });
  const isChecked = object.checksumState !== 'unverified';
  const queued = await videosOf(app, organizationId).update(
    videoId,
    { status: 'uploading', uploadId, listedAt: { $exists: true } },
    {
      set: {
        status: 'queued',
        source: { objectId: object._id, contentId: object.content.id, size: object.size },
        storedBytes: object.size,
        updatedAt: app.runtime.now(),
        run: { ...newRun(app, 'encoding_first'), phase: isChecked ? 'waiting' : 'paused' },
      },
      increment: { version: 1 },
    },
  );
  if (queued !== null && isChecked) storage.wakeUp(organizationId, ['encoding_first']);
}

async function insertVideo(
  app: Pick<StorageContext, 'runtime' | 'records'>,
  { organizationId, bucketId, key }: StoredObject,
  { id, uploadId }: { id: string; uploadId: string },
): Promise<void> {
  const library = await bucketsOf(app, organizationId).get(bucketId);
  if (library === null) return;
  const video = newVideoDocument(app, library, { id, uploadId, key });
  const title = titleOf(key.slice(sourcesFolder.length)) ?? id;
  await videosOf(app, organizationId).insertNew([{ ...video, title }]);
}

/** The declared SHA-256 of a source was checked: the video goes on, or fails. Idempotent. */
export async function sourceChecked(
  storage: Pick<Storage, 'app' | 'wakeUp'>,
  { organizationId }: StoredObject,
  { videoId, contentId, isSame }: Entry<'checked'>,
): Promise<void> {
  const { app } = storage;
  if (!isSame) {
    await failVideo(app, organizationId, videoId, 'video_source_missing', ({ source, run }) => {
      return source?.contentId === contentId && run.phase === 'paused';
    });
    return;
  }
  const waiting = await videosOf(app, organizationId).update(
    videoId,
    { status: 'queued', 'source.contentId': contentId, 'run.phase': 'paused', listedAt: { $exists: true } },
    { set: { 'run.phase': 'waiting', 'run.queuedAt': app.records.time() }, increment: { version: 1 } },
  );
  if (waiting !== null) storage.wakeUp(organizationId, ['encoding_first']);
}

/** The upload of a video's source has ended without it: the video fails. Idempotent. */
export async function abandonVideo(
  app: StorageContext,
  { _id: uploadId, organizationId }: Pick<Upload, '_id' | 'organizationId'>,
  videoId: string,
): Promise<void> {
  await failVideo(app, organizationId, videoId, 'upload_abandoned', (video) => {
    return video.status === 'uploading' && video.uploadId === uploadId;
  });
}

/** Fails a video that nobody works on, while a condition holds, and says so. */
async function failVideo(
  app: StorageContext,
  organizationId: string,
  videoId: string,
  code: VideoFailure,
  holds: (video: Video) => boolean,
): Promise<void> {
  for (;;) {
    const video = await videosOf(app, organizationId).get(videoId);
    if (video?.listedAt === undefined || !holds(video)) return;
    const { fields, entry } = announced(app, video, 'failed', code);
    const written = await videosOf(app, organizationId).update(
      videoId,
      { version: video.version },
      {
        set: {
          ...fields,
          'run.phase': 'ended',
          'run.state': 'failed',
          'run.errorCode': code,
          outboxDue: app.records.time(),
        },
        increment: { version: 1 },
        push: { outbox: [entry] },
      },
    );
    // The event leaves through the sweeper.
    if (written !== null) return;
  }
}
