import { CreateBucketCommand, HeadBucketCommand, S3Client, type S3ClientConfig } from '@aws-sdk/client-s3';
import type { S3Address } from './address.ts';

/** HTTP status of an S3 error; null for other failures. */
export function statusOf(error: unknown): number | null {
  if (typeof error !== 'object' || error === null || !('$metadata' in error)) return null;
  const metadata = error.$metadata;
  return typeof metadata === 'object' &&
    metadata !== null &&
    'httpStatusCode' in metadata &&
    typeof metadata.httpStatusCode === 'number'
    ? metadata.httpStatusCode
    : null;
}

const nothing = (): void => undefined;

/**
 * Connects to a bucket, which is created if it does not exist and the key has the permission.
 * @throws Error if the bucket does not answer, without the secret
 */
export async function openBucket(
  { bucket, endpoint, region, accessKeyId, secretAccessKey }: S3Address,
  requestHandler: NonNullable<S3ClientConfig['requestHandler']>,
): Promise<S3Client> {
  const client = new S3Client({
    endpoint,
    region,
    credentials: { accessKeyId, secretAccessKey },
    forcePathStyle: true,
    maxAttempts: 3,
    // Many compatible stores do not support the newer checksums.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler,
    // Whoever calls it logs failures; the client would write to the console.
    logger: { debug: nothing, info: nothing, warn: nothing, error: nothing },
  });
  try {
    await client.send(new HeadBucketCommand({ Bucket: bucket }));
  } catch (error) {
    if (statusOf(error) !== 404) {
      client.destroy();
      throw new Error(`the bucket ${bucket} at ${endpoint} does not answer`, { cause: error });
    }
    try {
      await client.send(new CreateBucketCommand({ Bucket: bucket }));
    } catch (refused) {
      // Another process that starts at the same time may have created it; otherwise the first failure has the cause.
      await client.send(new HeadBucketCommand({ Bucket: bucket })).catch(() => {
        client.destroy();
        throw refused;
      });
    }
  }
  return client;
}
