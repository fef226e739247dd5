import { queuedRun } from '../../models/work.ts';
import type { Video } from '../../models/video.ts';

/** A video that is ready, with a poster and thumbnails. */
export function testVideo(fields: Partial<Video> = {}): Video {
  return {
    _id: 'video',
    organizationId: 'organization',
    accountId: 'account',
    libraryId: 'bucket',
    title: 'film',
    metadata: {},
    status: 'ready',
    errorCode: null,
    sourceKey: 'sources/video.mp4',
    uploadId: 'upload',
    source: null,
    durationSeconds: 6,
    width: 640,
    height: 360,
    hasAudio: true,
    renditions: [{ height: 240, width: 426, bandwidth: 400_000 }],
    encoding: null,
    poster: true,
    thumbnails: true,
    download: false,
    plays: true,
    storedBytes: 1,
    encodingMinutes: 0.1,
    generation: 1,
    eventCount: 2,
    disabledAt: null,
    createdAt: 1,
    updatedAt: 1,
    playableAt: 1,
    readyAt: 1,
    listedAt: 1,
    version: 1,
    outbox: [],
    run: { ...queuedRun('job', 'encoding_rest', 1), phase: 'ended', state: 'ready' },
    ...fields,
  };
}
