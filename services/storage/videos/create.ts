import { isDuplicate } from '../../../adapters/records/port.ts';
import type { Caller } from '../../../models/api.ts';
import type { Bucket } from '../../../models/bucket.ts';
import { essenceOf } from '../../../models/media-type.ts';
import type { NewVideo } from '../../../models/schemas/videos.ts';
import type { Upload } from '../../../models/upload.ts';
import { sourceExtension, sourcesFolder, titleOf, type NewVideoView, type Video } from '../../../models/video.ts';
import { findLibrary } from '../libraries/view.ts';
import { requireActive, uploadUrlOf, type Storage } from '../tools.ts';
import { insertUpload, requireSize } from '../uploads/start.ts';
import { findUpload, requireNotSuspended } from '../uploads/tools.ts';
import { freshUploadView } from '../uploads/view.ts';
import { newVideoDocument } from './document.ts';
import { videosOf } from './tools.ts';
import { videoView } from './view.ts';

/**
 * Creates a video with the upload that its source is sent with.
 * @param id of the video, fixed by the Idempotency-Key: the same request after a crash finds what it had created
 * @throws Refusal `library_not_found`, `bucket_not_active`, `bucket_suspended`, `validation_error` (size),
 *   `plan_limit_reached`
 */
export async function createVideo(
  storage: Storage,
  caller: Caller,
  id: string,
  libraryId: string,
  input: NewVideo,
): Promise<NewVideoView> {
  const { app } = storage;
  const { organizationId } = caller;
  const library = await findLibrary(app, organizationId, libraryId);
  requireActive(library);
  requireNotSuspended(library);
  const made = await videosOf(app, organizationId).get(id);
  if (made !== null) return newVideoView(storage, library, made);
  await requireSize(storage, library, input.size);
  const { fileName, contentType, size, sha256, title, metadata = {} } = input;
  const key = `${sourcesFolder}${id}${sourceExtension(fileName, essenceOf(contentType))}`;
  // First the upload: one without a video expires.
  const upload = await insertUpload(storage, library, {
    key,
    contentType,
    size,
    sha256,
    videoId: id,
    isOfVideo: true,
  });
  const video = {
    ...newVideoDocument(app, library, { id, uploadId: upload._id, key }),
    title: title ?? titleOf(fileName) ?? id,
    metadata,
  };
  try {
    await videosOf(app, organizationId).insert(video);
  } catch (error) {
    if (!isDuplicate(error)) throw error;
  }
  return newVideoView(storage, library, video);
}

/** A new video with its upload; repeated, with new tickets. */
async function newVideoView(storage: Storage, library: Bucket, video: Video): Promise<NewVideoView> {
  const { app } = storage;
  const upload: Upload = await findUpload(app, video.organizationId, video.uploadId);
  const shown = { base: uploadUrlOf(storage, library.region), now: app.runtime.now() };
  return { ...videoView(video), upload: { ...freshUploadView(app, upload, shown), videoId: video._id } };
}
