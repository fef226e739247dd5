import { isoTime } from '../../../models/runtime.ts';
import {
  bytesOfPart,
  type FreshUploadView,
  type Upload,
  type UploadPart,
  type UploadView,
} from '../../../models/upload.ts';
import type { StorageContext } from '../tools.ts';
import { makeTicket } from './tickets.ts';

/** The video of an upload; null before there is one. */
function videoIdOf({ videoId, isOfVideo, state }: Upload): string | null {
  return videoId !== undefined && (isOfVideo === true || state === 'completed') ? videoId : null;
}

function common(upload: Upload): Omit<UploadView, 'received' | 'object'> {
  return {
    id: upload._id,
    bucketId: upload.bucketId,
    key: upload.key,
    size: upload.size,
    contentType: upload.contentType,
    partSize: upload.partSize,
    partCount: upload.partCount,
    state: upload.state,
    expiresAt: isoTime(upload.expiresAt),
    ticketExpiresAt: isoTime(upload.ticketExpiresAt),
    objectId: upload.objectId,
    ...(upload.videoId === undefined ? {} : { videoId: videoIdOf(upload) }),
  };
}

/** An upload with the parts that have arrived. */
export function uploadView(upload: Upload, received: readonly UploadPart[]): UploadView {
  return {
    ...common(upload),
    received: received.map(({ number, bytes, md5 }) => ({ number, size: bytes, etag: `"${md5}"` })),
  };
}

/**
 * An upload with an address for each part.
 * @param base of the upload host, without a slash at its end; `now` is when the tickets are made
 */
export function freshUploadView(
  { sealer }: Pick<StorageContext, 'sealer'>,
  upload: Upload,
  { base, now }: { base: string; now: number },
): FreshUploadView {
  const ticket = makeTicket(sealer, { uploadId: upload._id, expiresAt: upload.ticketExpiresAt });
  return {
    ...common(upload),
    ticketTtlSeconds: Math.max(0, Math.floor((upload.ticketExpiresAt - now) / 1000)),
    parts: Array.from({ length: upload.partCount }, (_, index) => ({
      number: index + 1,
      size: bytesOfPart(upload, index + 1),
      url: `${base}/v1/${ticket}/${index + 1}`,
    })),
  };
}
