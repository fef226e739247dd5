import { randomBytes } from 'node:crypto';
import { addBucket, storeFile } from '../../bench/delivery/bucket.ts';
import type { HttpClients } from '../../bench/http-clients.ts';

/** The files of each bucket that the script `delivery` reads, by key, with their bytes. */
const files = { '1k': 1024, '100k': 100 * 1024, '1m': 2 ** 20 };

/** Where an installation delivers files, and a client with its admin key, which may create buckets. */
export interface Edge {
  url: string;
  administrator: () => HttpClients;
}

/**
 * Creates a public and a private bucket with the same files. Returns the parameters of the script `delivery`
 * (load-tests/common/ply.js).
 */
export async function storeFiles({ url, administrator }: Edge): Promise<Record<string, string>> {
  const client = administrator();
  try {
    const [open, restricted] = [await addBucket(client, 'public'), await addBucket(client, 'private')];
    for (const { id } of [open, restricted])
      for (const [key, size] of Object.entries(files)) await storeFile(client, id, key, randomBytes(size));
    return { DELIVERY_URL: url, PUBLIC_BUCKET_ID: open.id, PRIVATE_BUCKET_ID: restricted.id };
  } finally {
    await client.close();
  }
}
