import type { VideoFailure } from '../../models/video.ts';

/** A video that cannot be encoded, with the code that the API shows. `message` is only logged. */
export class VideoFailed extends Error {
  readonly code: VideoFailure;

  constructor(code: VideoFailure, message: string) {
    super(message);
    this.name = 'VideoFailed';
    this.code = code;
  }
}
