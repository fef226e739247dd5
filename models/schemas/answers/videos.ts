import type { VideoMetadata } from '../../video.ts';
import { answer, boolean, count, described, id, listOf, literals, orNull, seconds, text, time } from './answer.ts';
import { bucketFields } from './buckets.ts';
import { freshUploadFields } from './objects.ts';

const heights = listOf(described<number>({ type: 'integer', minimum: 1 }));
const origin = literals('library', 'organization', 'parent', 'default');
const origins = answer('ProcessingOrigins', {
  ladder: origin,
  keepOriginal: origin,
  download: origin,
  thumbnails: origin,
});
const processing = { ladder: heights, keepOriginal: boolean, download: boolean, thumbnails: boolean };

/** A library: a bucket of kind `video`. */
export const libraryAnswer = answer('Library', {
  ...bucketFields,
  processing: answer('LibraryProcessing', processing),
  processingOrigins: origins,
  usesOrganizationProcessing: boolean,
  videoCount: count,
});

/** All libraries of an organization. */
export const librariesAnswer = answer('Libraries', { items: listOf(libraryAnswer) });

const side = orNull(described<number>({ type: 'integer', minimum: 1 }));

const videoFields = {
  id,
  libraryId: id,
  title: text,
  status: literals('uploading', 'queued', 'encoding', 'playable', 'ready', 'failed'),
  errorCode: orNull(
    literals(
      'video_unreadable',
      'video_no_video_stream',
      'video_too_long',
      'video_resolution_unsupported',
      'video_source_missing',
      'upload_abandoned',
      'encoding_failed',
    ),
  ),
  durationSeconds: orNull(seconds),
  width: side,
  height: side,
  hasAudio: orNull(boolean),
  renditions: listOf(answer('VideoRendition', { height: count, width: count, bandwidth: count })),
  captions: listOf(described<never>({ type: 'object' })),
  poster: boolean,
  thumbnails: boolean,
  download: boolean,
  encoding: orNull(answer('VideoEncoding', { ...processing, origins })),
  sourceKey: text,
  originalKept: boolean,
  storedBytes: count,
  encodingMinutes: orNull(seconds),
  disabled: boolean,
  metadata: described<VideoMetadata>({ type: 'object', description: 'Texts, numbers and booleans, by key.' }),
  uploadId: id,
  createdAt: time,
  updatedAt: time,
  playableAt: orNull(time),
  readyAt: orNull(time),
};

/** A video. */
export const videoAnswer = answer('Video', videoFields);

/** A new video, with the upload that its source is sent with. */
export const newVideoAnswer = answer('NewVideo', {
  ...videoFields,
  upload: answer('VideoUpload', { ...freshUploadFields, videoId: id }),
});

/** A page of videos. */
export const videosAnswer = answer('Videos', { items: listOf(videoAnswer), nextCursor: orNull(text) });

/** A video that was deleted. */
export const removedVideoAnswer = answer('RemovedVideo', { id, status: literals('deleted') });
