import {
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
} from '@aws-sdk/client-s3';
import { Readable } from 'node:stream';
import { checkKey, checkPrefix, pieces } from '../keys.ts';
import { BlobNotFound, type Blobs } from '../port.ts';
import { parseS3Address } from '../../s3/address.ts';
import { openBucket, statusOf } from '../../s3/bucket.ts';
import { upload } from './upload.ts';

/** Options of blobs in a bucket. */
export interface S3BlobsOptions {
  /** See `parseS3Address`. */
  url: string;
  /** Names listed or removed by one request; S3 allows at most 1,000. */
  pageNames?: number;
}

/**
 * Blobs in a bucket of any S3-compatible store, with path-style addresses. The bucket is created if it does not exist
 * and the key has the permission. Incomplete uploads after a crash are invisible; a lifecycle rule of the bucket
 * (AbortIncompleteMultipartUpload) removes them.
 */
export async function openS3Blobs(options: S3BlobsOptions): Promise<Blobs> {
  const { pageNames = 1000 } = options;
  const address = parseS3Address(options.url, 'blobs');
  const { bucket, prefix } = address;
  const client = await openBucket(address, {
    connectionTimeout: 5000,
    requestTimeout: 60_000,
    throwOnRequestTimeout: true,
  });

  async function* list(from: string): AsyncGenerator<{ key: string; bytes: number }, void, undefined> {
    let token: string | undefined;
    do {
      const page = await client.send(
        new ListObjectsV2Command({
          Bucket: bucket,
          Prefix: prefix + from,
          MaxKeys: pageNames,
          ...(token === undefined ? {} : { ContinuationToken: token }),
        }),
      );
      for (const { Key, Size } of page.Contents ?? []) {
        if (Key !== undefined) yield { key: Key.slice(prefix.length), bytes: Size ?? 0 };
      }
      token = page.IsTruncated === true ? page.NextContinuationToken : undefined;
    } while (token !== undefined);
  }

  async function removeAll(keys: readonly string[]): Promise<void> {
    const answer = await client.send(
      new DeleteObjectsCommand({
        Bucket: bucket,
        Delete: { Objects: keys.map((key) => ({ Key: prefix + key })), Quiet: true },
      }),
    );
    const failed = answer.Errors?.[0];
    if (failed !== undefined) throw new Error(`S3 did not remove ${answer.Errors?.length} blobs: ${failed.Code}`);
  }

  return {
    write: async (key, body) => upload(client, bucket, prefix + checkKey(key), pieces(body)),
    async *read(key) {
      const answer = await client
        .send(new GetObjectCommand({ Bucket: bucket, Key: prefix + checkKey(key) }))
        .catch((error: unknown) => {
          if (statusOf(error) === 404) throw new BlobNotFound(key);
          throw error;
        });
      if (!(answer.Body instanceof Readable)) throw new Error('S3 answered without a body');
      const body: AsyncIterable<Uint8Array> = answer.Body;
      yield* body;
    },
    async exists(key) {
      try {
        await client.send(new HeadObjectCommand({ Bucket: bucket, Key: prefix + checkKey(key) }));
        return true;
      } catch (error) {
        if (statusOf(error) === 404) return false;
        throw error;
      }
    },
    async remove(prefixOrKey) {
      checkKey(prefixOrKey.endsWith('/') ? prefixOrKey.slice(0, -1) : prefixOrKey);
      if (!prefixOrKey.endsWith('/')) {
        await client.send(new DeleteObjectCommand({ Bucket: bucket, Key: prefix + prefixOrKey }));
        return;
      }
      let batch: string[] = [];
      for await (const { key } of list(prefixOrKey)) {
        if (batch.push(key) < pageNames) continue;
        await removeAll(batch);
        batch = [];
      }
      if (batch.length > 0) await removeAll(batch);
    },
    list(from) {
      checkPrefix(from);
      return list(from);
    },
    async ping() {
      await client.send(new HeadBucketCommand({ Bucket: bucket }), { requestTimeout: 3000 });
    },
    async close() {
      client.destroy();
    },
  };
}
