import type { Bucket } from '../../../models/bucket.ts';
import type { Video } from '../../../models/video.ts';
import { newRun } from '../buckets/run.ts';
import type { StorageContext } from '../tools.ts';

/** A video whose source is not there yet. Its title is its id until it has one. */
export function newVideoDocument(
  app: Pick<StorageContext, 'runtime' | 'records'>,
  { _id: libraryId, organizationId, accountId }: Pick<Bucket, '_id' | 'organizationId' | 'accountId'>,
  { id, uploadId, key }: { id: string; uploadId: string; key: string },
): Video {
  const now = app.runtime.now();
  return {
    _id: id,
    organizationId,
    accountId,
    libraryId,
    title: id,
    metadata: {},
    status: 'uploading',
    errorCode: null,
    sourceKey: key,
    uploadId,
    source: null,
    durationSeconds: null,
    width: null,
    height: null,
    hasAudio: null,
    renditions: [],
    encoding: null,
    poster: false,
    thumbnails: false,
    download: false,
    plays: false,
    storedBytes: 0,
    encodingMinutes: null,
    generation: 0,
    eventCount: 0,
    disabledAt: null,
    createdAt: now,
    updatedAt: now,
    playableAt: null,
    readyAt: null,
    listedAt: now,
    version: 1,
    outbox: [],
    run: { ...newRun(app, 'encoding_first'), phase: 'paused' },
  };
}
