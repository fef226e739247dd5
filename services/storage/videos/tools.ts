import type { Collection } from '../../../adapters/records/port.ts';
import { Refusal } from '../../../models/errors.ts';
import { videoWork } from '../../../mixins/storage/video-work.ts';
import { drainOutbox } from '../../../mixins/work/outbox.ts';
import { scopeOf, systemScope } from '../../../models/scope.ts';
import { videos, type Video } from '../../../models/video.ts';
import { bucketsOf, type Storage, type StorageContext } from '../tools.ts';

type Records = Pick<StorageContext, 'records'>;

/** The videos of one organization. */
export function videosOf({ records }: Records, organizationId: string): Collection<Video> {
  return records.collection(videos, scopeOf(organizationId));
}

/** The videos of all organizations, for background work. */
export function allVideos({ records }: Records): Collection<Video> {
  return records.collection(videos, systemScope);
}

/**
 * A video of the organization, in any status, taken down or not. Those of a deleted library are not there until it is
 * restored.
 * @throws Refusal `video_not_found`
 */
export async function findVideo(app: Records, organizationId: string, videoId: string): Promise<Video> {
  const video = await videosOf(app, organizationId).get(videoId);
  if (video?.listedAt === undefined) throw new Refusal('video_not_found');
  const library = await bucketsOf(app, organizationId).get(video.libraryId);
  if (library === null || library.state === 'deleting' || library.state === 'deleted')
    throw new Refusal('video_not_found');
  return video;
}

/** Delivers what follows from a change that was just written; what fails is left to the sweeper. Returns the video. */
export async function settleVideo(
  { app, actions, wakeUp }: Pick<Storage, 'app' | 'actions' | 'wakeUp'>,
  written: Video,
): Promise<Video> {
  try {
    await drainOutbox(app, videoWork(app, actions, wakeUp), videosOf(app, written.organizationId), written);
  } catch (error) {
    app.log.warn({ err: error, videoId: written._id }, 'the outbox of a video could not be delivered, will retry');
  }
  return written;
}
