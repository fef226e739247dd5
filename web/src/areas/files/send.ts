import { allowReading } from '../../api/bucket-reading.ts';
import { answered, api } from '../../api/client.ts';
import { ApiFailure } from '../../api/failure.ts';
import type { components } from '../../api/schema.d.ts';

type Bucket = components['schemas']['Bucket'];

/** Bytes up to which a file's digest is computed here, so that the store checks what arrived. */
const digestLimit = 64 * 2 ** 20;
const partAttempts = 4;
/** The bucket that files go into where there is none yet. */
const bucketName = 'library';

/** A file and its path in the folder it was dropped with. */
export interface Chosen {
  file: File;
  path: string;
}

/** Names an upload that is under way, so that the same file goes on after the tab was closed. */
function noteKey(bucketId: string, { file, path }: Chosen): string {
  return `ply.upload ${bucketId} ${path} ${file.size} ${file.lastModified}`;
}

/** The buckets that take files of this page, oldest first. */
export function takingBuckets(items: readonly Bucket[]): readonly Bucket[] {
  return items.filter(({ kind, state, suspended }) => kind === 'files' && state === 'active' && !suspended);
}

/**
 * The bucket for files of this page: the chosen one while it takes files, else the oldest, or a new one, which admins
 * may make.
 */
export async function uploadBucket(chosenId: string | null): Promise<Bucket> {
  const { items } = await answered(api.GET('/api/content/v1/buckets'));
  const taking = takingBuckets(items);
  const found = taking.find(({ id }) => id === chosenId) ?? taking[0];
  if (found !== undefined) return found;
  const regions = await answered(api.GET('/api/content/v1/regions'));
  const region = regions.items[0]?.code ?? '';
  let bucket = await answered(
    api.POST('/api/content/v1/buckets', {
      params: { header: { 'Idempotency-Key': crypto.randomUUID() } },
      body: {
        name: `${bucketName}-${crypto.randomUUID().slice(0, 8)}`,
        region,
        visibility: 'private',
        strictResidency: false,
      },
    }),
  );
  for (let look = 0; bucket.state === 'creating' && look < 60; look += 1) {
    await new Promise((resolve) => setTimeout(resolve, 500));
    bucket = await answered(
      api.GET('/api/content/v1/buckets/{bucketId}', { params: { path: { bucketId: bucket.id } } }),
    );
  }
  // Its documents are shown in this page.
  if (bucket.state === 'active') await allowReading(bucket.id);
  return bucket;
}

async function digestOf(file: File): Promise<string | null> {
  // Browsers compute digests on pages of https and of the own machine alone.
  if (!globalThis.isSecureContext || file.size > digestLimit) return null;
  const digest = await crypto.subtle.digest('SHA-256', await file.arrayBuffer());
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Sends the parts of a file that have not arrived, and completes it. @returns the stored object's id */
export async function sendFile(bucketId: string, chosen: Chosen, onProgress: (share: number) => void): Promise<string> {
  const { file, path } = chosen;
  const note = noteKey(bucketId, chosen);
  const resumed = await resumeNoted(note);
  const upload =
    resumed?.upload ??
    (await answered(
      api.POST('/api/content/v1/buckets/{bucketId}/uploads', {
        params: { path: { bucketId } },
        body: {
          key: path,
          contentType: (file.type || 'application/octet-stream').toLowerCase(),
          size: file.size,
          sha256: await digestOf(file),
        },
      }),
    ));
  localStorage.setItem(note, upload.id);
  await sendParts(upload, file, resumed?.received ?? new Set(), onProgress);
  const done = await answered(
    api.POST('/api/content/v1/uploads/{uploadId}/complete', { params: { path: { uploadId: upload.id } } }),
  );
  localStorage.removeItem(note);
  return done.id;
}

/** Sends the parts of an upload that have not arrived. */
export async function sendParts(
  { parts, partSize }: Pick<components['schemas']['FreshUpload'], 'parts' | 'partSize'>,
  file: File,
  received: ReadonlySet<number>,
  onProgress: (share: number) => void,
): Promise<void> {
  for (const { number, size, url } of parts) {
    if (!received.has(number)) {
      const start = (number - 1) * partSize;
      await sendPart(url, file.slice(start, start + size));
    }
    onProgress(number / parts.length);
  }
}

/** An upload that goes on, and the numbers of the parts that have arrived. */
interface Resumed {
  upload: components['schemas']['FreshUpload'];
  received: Set<number>;
}

/** The upload that a note of this browser names; null where there is none, or none that can go on. */
export async function resumeNoted(note: string): Promise<Resumed | null> {
  const known = localStorage.getItem(note);
  // An upload that cannot be resumed, for example as it has expired, is begun again.
  return known === null ? null : resume(known).catch(() => null);
}

async function resume(uploadId: string): Promise<Resumed | null> {
  const params = { path: { uploadId } };
  const { state, received } = await answered(api.GET('/api/content/v1/uploads/{uploadId}', { params }));
  if (state !== 'open') return null;
  const upload = await answered(api.POST('/api/content/v1/uploads/{uploadId}/renew', { params }));
  return { upload, received: new Set(received.map(({ number }) => number)) };
}

async function sendPart(url: string, bytes: Blob): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    // A lost connection is tried again, as a busy server is.
    const response = await fetch(url, { method: 'PUT', body: bytes }).catch(() => null);
    if (response?.ok === true) return;
    const isFinal = response !== null && response.status < 500 && response.status !== 408 && response.status !== 429;
    if (isFinal || attempt === partAttempts)
      throw new ApiFailure(response?.status ?? 0, { requestId: response?.headers.get('x-request-id') ?? '' });
    await new Promise((resolve) => setTimeout(resolve, 500 * 2 ** attempt));
  }
}
