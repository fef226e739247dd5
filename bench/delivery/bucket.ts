import { randomUUID } from 'node:crypto';
import { Agent, request } from 'node:http';
import type { BucketView } from '../../models/bucket.ts';
import type { ObjectView } from '../../models/storage-object.ts';
import type { FreshUploadView } from '../../models/upload.ts';
import type { HttpClients } from '../http-clients.ts';

/** Where the operations lie. */
export const base = '/api/content/v1';

async function ask<T>(clients: HttpClients, method: 'GET' | 'POST', path: string, body?: object): Promise<T> {
  const headers = { 'idempotency-key': randomUUID() };
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  return JSON.parse(await clients.ask({ method, path: `${base}${path}`, headers, ...sent })) as T;
}

/** Creates a bucket, and waits until it is active. @param name differs from that of every other bucket of the program */
export async function addBucket(
  admin: HttpClients,
  visibility: 'public' | 'private',
  name = `bench-${visibility}`,
): Promise<BucketView> {
  const fields = { name, region: 'in-west', visibility };
  let bucket = await ask<BucketView>(admin, 'POST', '/buckets', fields);
  while (bucket.state !== 'active') bucket = await ask(admin, 'GET', `/buckets/${bucket.id}`);
  return bucket;
}

/**
 * Stores a file as clients of the API do: begins an upload, sends its parts, completes it.
 * @returns its object. @throws if it is refused
 */
export async function storeFile(
  clients: HttpClients,
  bucketId: string,
  key: string,
  bytes: Buffer,
): Promise<ObjectView> {
  const upload = await ask<FreshUploadView>(clients, 'POST', `/buckets/${bucketId}/uploads`, {
    key,
    size: bytes.length,
    contentType: 'application/octet-stream',
  });
  for (const { number, url, size } of upload.parts) {
    const from = (number - 1) * upload.partSize;
    await sendPart(url, bytes.subarray(from, from + size));
  }
  return ask(clients, 'POST', `/uploads/${upload.id}/complete`);
}

const agent = new Agent({ keepAlive: true });

/** Sends a part over a kept connection, as the other servers are sent their files. @throws if it is refused */
function sendPart(url: string, bytes: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'PUT', agent, headers: { 'Content-Length': bytes.length } }, (answer) => {
      answer.resume();
      answer.once('error', reject);
      answer.once('end', () => {
        if (answer.statusCode === 200) resolve();
        else reject(new Error(`a part was answered ${answer.statusCode}`));
      });
    });
    sent.once('error', reject);
    sent.end(bytes);
  });
}
