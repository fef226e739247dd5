import type { Video, VideoEntry, VideoEventType, VideoFailure, VideoStatus } from '../../models/video.ts';
import type { AppContext } from '../app-context.ts';

const typeOf = {
  playable: 'video.playable',
  ready: 'video.ready',
  failed: 'video.failed',
} as const satisfies { [S in VideoStatus]?: VideoEventType };

/** The fields of a video that reaches a status which is announced, and the outbox entry that announces it. */
export function announced(
  { runtime }: Pick<AppContext, 'runtime'>,
  video: Pick<Video, '_id' | 'organizationId' | 'libraryId' | 'eventCount' | 'updatedAt'>,
  status: keyof typeof typeOf,
  errorCode: VideoFailure | null = null,
): {
  fields: Pick<Video, 'status' | 'errorCode' | 'eventCount' | 'updatedAt'>;
  entry: VideoEntry;
} {
  const at = runtime.now();
  const sequence = video.eventCount + 1;
  const { _id: videoId, organizationId, libraryId } = video;
  const id = runtime.uuid();
  return {
    fields: { status, errorCode, eventCount: sequence, updatedAt: Math.max(at, video.updatedAt) },
    entry: {
      id: `event:${sequence}`,
      kind: 'event',
      notBefore: 0,
      event: { id, type: typeOf[status], at, organizationId, videoId, libraryId, status, errorCode, sequence },
    },
  };
}
