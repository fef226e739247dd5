import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  PutObjectCommand,
  UploadPartCommand,
  type S3Client,
} from '@aws-sdk/client-s3';

/** Bytes of a part: 10,000 parts (the maximum of S3) are 80 GB. An upload uses the memory of two parts. */
const partBytes = 8 * 2 ** 20;

/** Joins chunks to parts of exactly `size` bytes; the last one may be smaller. An empty body has one empty part. */
export async function* inParts(
  body: AsyncIterable<Uint8Array>,
  size: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  let part = Buffer.allocUnsafe(size);
  let filled = 0;
  let count = 0;
  for await (const piece of body) {
    let taken = 0;
    while (taken < piece.byteLength) {
      const some = piece.subarray(taken, taken + size - filled);
      part.set(some, filled);
      filled += some.byteLength;
      taken += some.byteLength;
      if (filled < size) continue;
      yield part;
      count += 1;
      part = Buffer.allocUnsafe(size);
      filled = 0;
    }
  }
  if (filled > 0 || count === 0) yield part.subarray(0, filled);
}

/**
 * Stores a body of any length: as a single object if it fits one part, else as a multipart upload, which is invisible
 * until it is complete. A failed upload is aborted. Returns the number of bytes.
 */
export async function upload(
  client: S3Client,
  bucket: string,
  key: string,
  body: AsyncIterable<Uint8Array>,
): Promise<number> {
  const parts = inParts(body, partBytes);
  const first = await parts.next();
  const start = first.done === true ? new Uint8Array() : first.value;
  if (start.byteLength < partBytes) {
    await client.send(new PutObjectCommand({ Bucket: bucket, Key: key, Body: start, ContentLength: start.byteLength }));
    return start.byteLength;
  }
  const { UploadId } = await client.send(new CreateMultipartUploadCommand({ Bucket: bucket, Key: key }));
  if (UploadId === undefined) throw new Error('S3 began an upload without an id');
  try {
    const done: { PartNumber: number; ETag: string | undefined }[] = [];
    let bytes = 0;
    const send = async (part: Uint8Array) => {
      const PartNumber = done.length + 1;
      const { ETag } = await client.send(
        new UploadPartCommand({
          Bucket: bucket,
          Key: key,
          UploadId,
          PartNumber,
          Body: part,
          ContentLength: part.byteLength,
        }),
      );
      done.push({ PartNumber, ETag });
      bytes += part.byteLength;
    };
    await send(start);
    for await (const part of parts) await send(part);
    await client.send(
      new CompleteMultipartUploadCommand({ Bucket: bucket, Key: key, UploadId, MultipartUpload: { Parts: done } }),
    );
    return bytes;
  } catch (error) {
    // The first failure is the one to report; the bucket's lifecycle rule removes remaining parts.
    await client.send(new AbortMultipartUploadCommand({ Bucket: bucket, Key: key, UploadId })).catch(() => {});
    throw error;
  }
}
