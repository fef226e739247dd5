import { PlyError } from './errors.ts';
import { sendWithRetries, type RetryRules } from './retry.ts';
import { sha256Of } from './sha256.ts';
import type { Output } from './types.ts';
import type { Ply } from './client.ts';

/** Settings of an upload. */
export interface UploadOptions {
  /** Media type of the object; that of the blob, or `application/octet-stream`, if it is left out. */
  contentType?: string;
  /** Id of an upload of the same blob that was interrupted: parts that have arrived are not sent again. */
  resume?: string;
  /** Told the upload's id before any part is sent, so that it can be kept for `resume`. */
  onStart?: (uploadId: string) => void;
  /** Told how many bytes have arrived. */
  onProgress?: (sent: number, total: number) => void;
  /** False: the SHA-256 is neither computed nor checked by the program. */
  sha256?: boolean;
  /** Parts that are sent at once; 3 by default. */
  parallel?: number;
  signal?: AbortSignal;
}

/** A part and where it is sent to. */
export type UploadPart = Output<'startUpload'>['parts'][number];

/** Settings of the sending of parts. */
export interface PartOptions extends RetryRules {
  /** Numbers of parts that have arrived. */
  received?: ReadonlySet<number>;
  onProgress?: (sent: number, total: number) => void;
  parallel?: number;
  signal?: AbortSignal;
}

/** Milliseconds for one part. */
const partTimeoutMs = 1_800_000;

/**
 * Uploads a blob to a bucket in parts and completes the upload. @returns the object
 * @throws PlyError, PlyConnectionError, and the reason of the signal
 */
export async function upload(
  ply: Ply,
  bucketId: string,
  key: string,
  blob: Blob,
  options: UploadOptions = {},
): Promise<Output<'completeUpload'>> {
  const { signal, resume } = options;
  const call = signal === undefined ? {} : { signal };
  const { id, partSize, parts, received } =
    resume === undefined ? await started(ply, bucketId, key, blob, options) : await resumed(ply, resume, blob, call);
  options.onStart?.(id);
  const sending = { ...ply.retryRules, ...options, received };
  try {
    await sendParts(parts, partSize, blob, sending);
  } catch (error) {
    // The addresses of parts are valid for a day: an upload that took longer goes on with new ones.
    if (!(error instanceof PlyError) || error.code !== 'ticket_expired') throw error;
    const renewed = await resumed(ply, id, blob, call);
    await sendParts(renewed.parts, partSize, blob, { ...sending, received: renewed.received });
  }
  return ply.call('completeUpload', { path: { uploadId: id } }, call);
}

interface Session {
  id: string;
  partSize: number;
  parts: readonly UploadPart[];
  received: ReadonlySet<number>;
}

async function started(
  ply: Ply,
  bucketId: string,
  key: string,
  blob: Blob,
  { contentType, sha256 = true, signal }: UploadOptions,
): Promise<Session> {
  const body = {
    key,
    size: blob.size,
    contentType: contentType ?? (blob.type === '' ? 'application/octet-stream' : blob.type),
    ...(sha256 ? { sha256: await sha256Of(blob, signal) } : {}),
  };
  const session = await ply.call('startUpload', { path: { bucketId }, body }, signal === undefined ? {} : { signal });
  return { ...session, received: new Set() };
}

async function resumed(ply: Ply, uploadId: string, blob: Blob, call: { signal?: AbortSignal }): Promise<Session> {
  const path = { uploadId };
  const { state, size, received } = await ply.call('readUpload', { path }, call);
  if (size !== blob.size) throw new RangeError(`The upload is of ${size} bytes, and the blob has ${blob.size}.`);
  const numbers = new Set(received.map(({ number }) => number));
  // A completed upload only has to be completed again, which answers its object.
  if (state === 'completed') return { id: uploadId, partSize: size, parts: [], received: numbers };
  return { ...(await ply.call('renewUpload', { path }, call)), received: numbers };
}

/**
 * Sends the parts of an upload that was started elsewhere: a page sends the bytes, and needs no key, because the
 * addresses of the parts are what lets it.
 * @throws PlyError, PlyConnectionError, and the reason of the signal
 */
export async function sendParts(
  parts: readonly UploadPart[],
  partSize: number,
  blob: Blob,
  { received = new Set(), parallel = 3, onProgress, signal, ...rules }: PartOptions = {},
): Promise<void> {
  const missing = parts.filter(({ number }) => !received.has(number));
  let sent = blob.size - missing.reduce((sum, { size }) => sum + size, 0);
  onProgress?.(sent, blob.size);
  const stopped = new AbortController();
  const ended = signal === undefined ? stopped.signal : AbortSignal.any([signal, stopped.signal]);
  const next = missing.values();
  const lane = async (): Promise<void> => {
    for (const { number, size, url } of next) {
      const from = (number - 1) * partSize;
      const body = blob.slice(from, from + size);
      const send = (aborted: AbortSignal): Promise<Response> => fetch(url, { method: 'PUT', body, signal: aborted });
      const response = await sendWithRetries({
        ...rules,
        url,
        send,
        mayRepeat: true,
        signal: ended,
        timeoutMs: partTimeoutMs,
      });
      await response.arrayBuffer();
      sent += size;
      onProgress?.(sent, blob.size);
    }
  };
  try {
    await Promise.all(Array.from({ length: Math.max(1, parallel) }, lane));
  } catch (error) {
    stopped.abort();
    throw error;
  }
}
