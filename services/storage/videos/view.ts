import { isoTime } from '../../../models/runtime.ts';
import type { Video, VideoView } from '../../../models/video.ts';

/** A video as the API shows it. */
export function videoView(video: Video): VideoView {
  return {
    id: video._id,
    libraryId: video.libraryId,
    title: video.title,
    status: video.status,
    errorCode: video.errorCode,
    durationSeconds: video.durationSeconds,
    width: video.width,
    height: video.height,
    hasAudio: video.hasAudio,
    renditions: video.renditions.map(({ height, width, bandwidth }) => ({ height, width, bandwidth })),
    captions: [],
    poster: video.poster,
    thumbnails: video.thumbnails,
    download: video.download,
    encoding: video.encoding ?? video.plan?.settings ?? null,
    sourceKey: video.sourceKey,
    originalKept: video.source !== null,
    storedBytes: video.storedBytes,
    encodingMinutes: video.encodingMinutes,
    disabled: video.disabledAt !== null,
    metadata: video.metadata,
    uploadId: video.uploadId,
    createdAt: isoTime(video.createdAt),
    updatedAt: isoTime(video.updatedAt),
    playableAt: isoTime(video.playableAt),
    readyAt: isoTime(video.readyAt),
  };
}
