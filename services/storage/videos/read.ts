import type { Caller } from '../../../models/api.ts';
import { Refusal } from '../../../models/errors.ts';
import type { VideoChange, VideosQuery } from '../../../models/schemas/videos.ts';
import type { VideoView } from '../../../models/video.ts';
import { findLibrary } from '../libraries/view.ts';
import { readTimeCursor, timePage } from '../time-cursor.ts';
import { tooBusy, writeAttempts, type Storage } from '../tools.ts';
import { findVideo, videosOf } from './tools.ts';
import { videoView } from './view.ts';

/** One video, taken down or not. @throws Refusal `video_not_found` */
export async function readVideo({ app }: Storage, { organizationId }: Caller, videoId: string): Promise<VideoView> {
  return videoView(await findVideo(app, organizationId, videoId));
}

/**
 * A page of a library's videos, newest first; a deleted library has none until it is restored.
 * @throws Refusal `library_not_found`, `validation_error` for a bad cursor
 */
export async function listVideos(
  { app }: Storage,
  { organizationId }: Caller,
  libraryId: string,
  { status, cursor, limit }: VideosQuery,
): Promise<{ items: VideoView[]; nextCursor: string | null }> {
  const after = cursor === null ? null : readTimeCursor(cursor);
  const { state } = await findLibrary(app, organizationId, libraryId);
  if (state === 'deleting' || state === 'deleted') return { items: [], nextCursor: null };
  const found = await videosOf(app, organizationId).find({
    filter: { libraryId, ...(status === null ? {} : { status }), listedAt: { $exists: true } },
    sort: [
      ['listedAt', -1],
      ['_id', -1],
    ],
    limit: limit + 1,
    ...(after === null ? {} : { after }),
  });
  return timePage(found, limit, videoView);
}

/** Changes title and metadata of a video that is not taken down. @throws Refusal `video_not_found` */
export async function changeVideo(
  { app }: Storage,
  { organizationId }: Caller,
  videoId: string,
  { title, metadata }: VideoChange,
): Promise<VideoView> {
  for (let attempt = 0; attempt < writeAttempts; attempt += 1) {
    const video = await findVideo(app, organizationId, videoId);
    if (video.disabledAt !== null) throw new Refusal('video_not_found');
    if (title === undefined && metadata === undefined) return videoView(video);
    const written = await videosOf(app, organizationId).update(
      videoId,
      { version: video.version },
      {
        set: {
          ...(title === undefined ? {} : { title }),
          ...(metadata === undefined ? {} : { metadata }),
          updatedAt: Math.max(app.runtime.now(), video.updatedAt),
        },
        increment: { version: 1 },
      },
    );
    if (written !== null) return videoView(written);
  }
  throw tooBusy();
}
