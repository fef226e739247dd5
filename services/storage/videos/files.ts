import { isDuplicate } from '../../../adapters/records/port.ts';
import { Refusal, refusalOf } from '../../../models/errors.ts';
import { scopeOf } from '../../../models/scope.ts';
import type { VideoFile } from '../../../models/schemas/videos.ts';
import { releasedContents } from '../../../models/storage-object.ts';
import { encodingFolder, videoFolder, type Video } from '../../../models/video.ts';
import { removeStored } from '../objects/change.ts';
import { objectsUnder, objectWithKey } from '../objects/tools.ts';
import { writeObject } from '../objects/write.ts';
import { findBucket, requireActive, type Storage } from '../tools.ts';
import { videosOf } from './tools.ts';

/** A video, and the token of the lease that its encoder holds. */
interface LeasedVideo {
  organizationId: string;
  videoId: string;
  token: number;
}

/** Objects that are removed in one go. */
const pageSize = 200;
/** Milliseconds for which files of a refused call are kept: the same call may still run in another process. */
const refusedMs = 60_000;

/**
 * The video, while an encoder holds the lease with this token: one that was paused for longer than its lease changes
 * nothing when it goes on.
 * @throws Refusal `video_not_found`, `bucket_not_active`
 */
async function leasedVideo({ app }: Storage, { organizationId, videoId, token }: LeasedVideo): Promise<Video> {
  const video = await videosOf(app, organizationId).get(videoId);
  if (video?.listedAt === undefined || video.run.phase !== 'working' || video.run.token !== token)
    throw new Refusal('video_not_found');
  requireActive(await findBucket(app, organizationId, video.libraryId));
  return video;
}

/**
 * Makes objects of files that an encoder has stored. A file that is there already with the same bytes stays, so that
 * repeating it changes nothing. Files of a refused call are released: an encoder that goes on stores them anew.
 * @throws Refusal `video_not_found`, `bucket_not_active`, `object_busy`
 */
export async function writeVideoFiles(storage: Storage, given: LeasedVideo & { files: VideoFile[] }): Promise<null> {
  try {
    return await writeFiles(storage, given);
  } catch (error) {
    // Contents that an object has by then are not removed.
    if (refusalOf(error) !== null)
      for (const { content } of given.files) await release(storage, given.organizationId, content.id, refusedMs);
    throw error;
  }
}

async function writeFiles(storage: Storage, { files, ...leased }: LeasedVideo & { files: VideoFile[] }): Promise<null> {
  const { app } = storage;
  const { organizationId, libraryId: bucketId } = await leasedVideo(storage, leased);
  const { videoId } = leased;
  for (const { name, metadata, ...file } of files) {
    const key = `${videoFolder(videoId)}${name}`;
    const present = await objectWithKey(app, { organizationId, bucketId, key });
    if (present !== null && present.etag === file.etag && present.size === file.size) {
      if (present.contentId !== file.content.id) await release(storage, organizationId, file.content.id, 0);
      continue;
    }
    await writeObject(
      storage,
      {
        ...file,
        organizationId,
        bucketId,
        key,
        sha256: null,
        createdVia: 'plycdn',
        videoId,
        metadata: plain(metadata),
      },
      {
        allowOverwrite: true,
        guard: async () => {
          await leasedVideo(storage, leased);
        },
      },
    );
  }
  return null;
}

function plain({ seconds, last }: VideoFile['metadata']): { [name: string]: number | boolean } {
  return { ...(seconds === undefined ? {} : { seconds }), ...(last === undefined ? {} : { last }) };
}

/** @param afterMs milliseconds until the bytes are removed */
async function release({ app }: Storage, organizationId: string, _id: string, afterMs: number): Promise<void> {
  const released = app.records.collection(releasedContents, scopeOf(organizationId));
  try {
    await released.insert({ _id, organizationId, dueAt: app.records.time() + afterMs });
  } catch (error) {
    if (!isDuplicate(error)) throw error;
  }
}

/** Removes the source of a video that does not keep it. Idempotent. */
export async function removeVideoSource(
  storage: Storage,
  { organizationId, videoId }: { organizationId: string; videoId: string },
): Promise<null> {
  const { app } = storage;
  const video = await videosOf(app, organizationId).get(videoId);
  if (video === null || video.source !== null) return null;
  const place = { organizationId, bucketId: video.libraryId, key: video.sourceKey };
  const source = await objectWithKey(app, place);
  if (source?.videoId === videoId) await removeStored(storage, organizationId, source._id, null);
  return null;
}

/**
 * Removes what earlier encodings have made, a page at a time.
 * @param unmade files beside the encodings that this one has not written again
 * @throws Refusal `video_not_found`, `bucket_not_active`
 */
export async function removeFormerEncodings(
  storage: Storage,
  { generation, unmade = [], ...leased }: LeasedVideo & { generation: number; unmade?: readonly string[] | undefined },
): Promise<{ more: boolean }> {
  const { app } = storage;
  const { organizationId, libraryId: bucketId } = await leasedVideo(storage, leased);
  for (const name of unmade) {
    const key = `${videoFolder(leased.videoId)}${name}`;
    const file = await objectWithKey(app, { organizationId, bucketId, key });
    if (file !== null) await removeStored(storage, organizationId, file._id, null);
  }
  let removed = 0;
  for (let former = generation - 1; former > 0 && removed < pageSize; former -= 1) {
    const folder = encodingFolder(leased.videoId, former);
    const page = await objectsUnder(app, { organizationId, bucketId }, folder, pageSize - removed);
    for (const { _id } of page) await removeStored(storage, organizationId, _id, null);
    removed += page.length;
  }
  return { more: removed >= pageSize };
}
