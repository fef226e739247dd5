import { createHash, randomUUID } from 'node:crypto';
import type { BucketView } from '../../../models/bucket.ts';
import type { ObjectView } from '../../../models/storage-object.ts';
import type { FreshUploadView } from '../../../models/upload.ts';
import type { LibraryView, NewVideoView } from '../../../models/video.ts';
import { content, until, type Client } from './client.ts';

/** Creates a bucket and waits until it is active. `settings` are what PATCH takes. */
export async function createBucket(client: Client, fields: object = {}, settings?: object): Promise<BucketView> {
  const { id } = await client.get<BucketView>(202, 'POST', `${content}/buckets`, {
    body: { name: `b-${randomUUID()}`, region: 'in-west', ...fields },
    headers: { 'Idempotency-Key': randomUUID() },
  });
  const active = await until(
    () => client.get<BucketView>(200, 'GET', `${content}/buckets/${id}`),
    ({ state }) => state === 'active',
  );
  if (settings === undefined) return active;
  return client.get(200, 'PATCH', `${content}/buckets/${id}`, { body: settings });
}

/** Creates a video library and waits until it is active. */
export async function createLibrary(client: Client, fields: object = {}): Promise<LibraryView> {
  const { id } = await client.get<LibraryView>(202, 'POST', `${content}/libraries`, {
    body: { name: `l-${randomUUID()}`, region: 'in-west', ...fields },
    headers: { 'Idempotency-Key': randomUUID() },
  });
  return until(
    () => client.get<LibraryView>(200, 'GET', `${content}/libraries/${id}`),
    ({ state }) => state === 'active',
  );
}

/** Creates a video, whose source is yet to be sent. */
export function createVideo(client: Client, libraryId: string, fields: object = {}): Promise<NewVideoView> {
  return client.get(201, 'POST', `${content}/libraries/${libraryId}/videos`, {
    body: { size: 1, contentType: 'video/mp4', ...fields },
    headers: { 'Idempotency-Key': randomUUID() },
  });
}

/** Starts an upload. */
export function startUpload(client: Client, bucketId: string, fields: object): Promise<FreshUploadView> {
  return client.get(201, 'POST', `${content}/buckets/${bucketId}/uploads`, {
    body: { contentType: 'application/octet-stream', ...fields },
  });
}

/** The answer to a part. */
export interface SentPart {
  status: number;
  headers: Headers;
  body: { part?: number; etag?: string; code?: string; retryable?: boolean; requestId?: string; detail?: string };
}

/** Sends a part. */
export async function sendPart(
  url: string | undefined,
  bytes: Uint8Array<ArrayBuffer>,
  headers: Record<string, string> = {},
): Promise<SentPart> {
  const response = await fetch(url ?? '', { method: 'PUT', body: bytes, headers });
  const body: SentPart['body'] = JSON.parse(await response.text());
  return { status: response.status, headers: response.headers, body };
}

/** The quoted MD5 of bytes. */
export function etagOf(bytes: Uint8Array): string {
  return `"${createHash('md5').update(bytes).digest('hex')}"`;
}

/** Uploads an object, in as many parts as it takes. */
export async function putObject(
  client: Client,
  bucketId: string,
  key: string,
  bytes: Buffer<ArrayBuffer>,
  fields: object = {},
): Promise<ObjectView> {
  const upload = await startUpload(client, bucketId, { key, size: bytes.length, ...fields });
  for (const { number, url, size } of upload.parts) {
    const from = (number - 1) * upload.partSize;
    const sent = await sendPart(url, bytes.subarray(from, from + size));
    if (sent.status !== 200) throw new Error(`part ${number} was answered ${JSON.stringify(sent)}`);
  }
  return client.get(200, 'POST', `${content}/uploads/${upload.id}/complete`);
}
