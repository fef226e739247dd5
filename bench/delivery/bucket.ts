import { randomUUID } from 'node:crypto';
import type { BucketView } from '../../models/bucket.ts';
import type { FreshUploadView } from '../../models/upload.ts';
import type { HttpClients } from '../http-clients.ts';

/** Where the operations lie. */
export const base = '/api/content/v1';

async function ask<T>(clients: HttpClients, method: 'GET' | 'POST', path: string, body?: object): Promise<T> {
  const headers = { 'idempotency-key': randomUUID() };
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  return JSON.parse(await clients.ask({ method, path: `${base}${path}`, headers, ...sent })) as T;
}

/** Creates a bucket, and waits until it is active. */
export async function addBucket(admin: HttpClients, visibility: 'public' | 'private'): Promise<BucketView> {
  const fields = { name: `bench-${visibility}`, region: 'in-west', visibility };
  let bucket = await ask<BucketView>(admin, 'POST', '/buckets', fields);
  while (bucket.state !== 'active') bucket = await ask(admin, 'GET', `/buckets/${bucket.id}`);
  return bucket;
}

/** Stores a file as clients of the API do: begins an upload, sends its parts, completes it. @throws if it is refused */
export async function storeFile(clients: HttpClients, bucketId: string, key: string, bytes: Buffer): Promise<void> {
  const upload = await ask<FreshUploadView>(clients, 'POST', `/buckets/${bucketId}/uploads`, {
    key,
    size: bytes.length,
    contentType: 'application/octet-stream',
  });
  for (const { number, url, size } of upload.parts) {
    const from = (number - 1) * upload.partSize;
    const sent = await fetch(url, { method: 'PUT', body: bytes.subarray(from, from + size) });
    if (!sent.ok) throw new Error(`a part was answered ${sent.status}: ${await sent.text()}`);
    await sent.arrayBuffer();
  }
  await ask(clients, 'POST', `/uploads/${upload.id}/complete`);
}
