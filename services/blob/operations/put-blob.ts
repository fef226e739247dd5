import { call } from '../../../mixins/actions/call.ts';
import { readPacedBody } from '../../../mixins/http/paced-body.ts';
import { discardContent, storeContent } from '../../../mixins/storage/door-writes.ts';
import type { StoredObject } from '../../../models/storage-object.ts';
import type { DoorReply } from '../../../mixins/storage/door-http.ts';
import type { BlobExchange, Door } from '../door.ts';
import { PassingCrc64 } from '../protocol/crc64.ts';
import { badHeader, Fault, notOffered } from '../protocol/faults.ts';
import { md5Of, versionHeaders } from '../protocol/properties.ts';
import { sentCrc64, sentHeaders, sentLength, sentMd5, sentMetadata, sentType } from '../protocol/sent.ts';
import { dropBlocks, openTarget, pace, writeJudged, type Details, type Target } from './write.ts';

const MiB = 2 ** 20;
/** Largest body of Put Blob, in bytes. */
const maxBlobBytes = 5000 * MiB;

/** Writes a blob in one request. @throws Fault */
export async function putBlob(door: Door, exchange: BlobExchange): Promise<DoorReply> {
  const { request, response } = exchange;
  const { headers } = request;
  requireBlockBlob(headers['x-ms-blob-type']);
  const size = sentLength(request, maxBlobBytes);
  const md5 = sentMd5(headers, 'content-md5');
  const blobMd5 = sentMd5(headers, 'x-ms-blob-content-md5');
  const details = putDetails(exchange);
  const target = await openTarget(door, exchange);
  await call(door.actions, 'storage.admitObject', { ...target.at, size, contentType: details.contentType });
  const crc64 = sentCrc64(headers, 'body');
  const raw = readPacedBody(request, response, pace);
  const body = crc64 === null ? raw : new PassingCrc64().pass(raw, crc64);
  // What the blob is to have goes before what its way here is checked by.
  const object = await storeBlob(door, exchange, target, { details, size, body, md5: blobMd5 ?? md5 });
  return {
    status: 201,
    headers: { ...writtenHeaders(object), ...(crc64 === null ? {} : { 'x-ms-content-crc64': crc64 }) },
  };
}

/** @throws Fault for page and append blobs, and for no type */
export function requireBlockBlob(type: string | string[] | undefined): void {
  if (type === undefined) throw new Fault('MissingRequiredHeader', { elements: { HeaderName: 'x-ms-blob-type' } });
  if (type === 'PageBlob' || type === 'AppendBlob') throw notOffered(`${type.slice(0, -4)} blobs`);
  if (type !== 'BlockBlob') throw badHeader('x-ms-blob-type', String(type));
}

/** What a whole write of a blob stores besides its bytes. @throws Fault */
export function putDetails({ request: { headers } }: BlobExchange): Details {
  const kept = sentHeaders(headers, true);
  return {
    contentType: sentType(headers, 'x-ms-blob-content-type', 'content-type'),
    metadata: sentMetadata(headers),
    ...(kept === undefined ? {} : { headers: kept }),
  };
}

/** Headers of the answer to a write. */
export function writtenHeaders(object: StoredObject): { [name: string]: string } {
  const md5 = md5Of(object);
  return {
    ...versionHeaders(object),
    ...(md5 === null ? {} : { 'Content-MD5': md5 }),
    'x-ms-request-server-encrypted': 'false',
  };
}

/** What a blob is made of. */
export interface NewBlob {
  details: Details;
  size: number;
  body: AsyncIterable<Uint8Array>;
  /** The MD5 that the bytes must have, base64; null for any. */
  md5: string | null;
}

/** Stores bytes, and makes a blob of them. @throws Fault */
export async function storeBlob(
  door: Door,
  exchange: BlobExchange,
  target: Target,
  { details, size, body, md5: expected }: NewBlob,
): Promise<StoredObject> {
  const { content, md5 } = await storeContent(door.app, size, body);
  if (expected !== null && Buffer.from(md5, 'hex').toString('base64') !== expected) {
    discardContent(door.app, content.id);
    throw new Fault('Md5Mismatch');
  }
  let object: StoredObject;
  try {
    object = await writeJudged(door, exchange, target, (seen) =>
      call(door.actions, 'storage.storeObject', {
        object: {
          ...target.at,
          ...details,
          size,
          etag: `"${md5}"`,
          content,
          createdVia: 'azure',
        },
        seen,
      }),
    );
  } catch (error) {
    // What was refused was not written; of other failures that is not certain.
    if (error instanceof Fault) discardContent(door.app, content.id);
    throw error;
  }
  await dropBlocks(door, target.at);
  return object;
}
