import { createHash } from 'node:crypto';
import { beginPieces } from '../../../mixins/http/begun-pieces.ts';
import type { ByteRange } from '../../../mixins/http/api/conditions.ts';
import type { DoorReply } from '../../../mixins/storage/door-http.ts';
import type { StoredObject } from '../../../models/storage-object.ts';
import { requireContainer } from '../auth/authorize.ts';
import { presentBlob, type BlobExchange, type Door } from '../door.ts';
import { checkRead } from '../protocol/conditions.ts';
import { PassingCrc64 } from '../protocol/crc64.ts';
import { badHeader, Fault } from '../protocol/faults.ts';
import { blobHeaders, md5Of, metadataHeaders, versionHeaders } from '../protocol/properties.ts';
import { readRange } from '../protocol/range.ts';

/** Longest range whose checksum is computed. */
const maxHashedBytes = 4 * 2 ** 20;

/** The blob that a read names, with its conditions checked. @throws Fault */
async function readable(door: Door, exchange: BlobExchange): Promise<StoredObject> {
  const { address } = exchange;
  const bucket = requireContainer(exchange, 'read');
  const object = await presentBlob(door, bucket, address.blob ?? '');
  checkRead(exchange.request, object);
  return object;
}

/** Reads a blob, or a part of it. @throws Fault */
export async function getBlob(door: Door, exchange: BlobExchange): Promise<DoorReply> {
  for (let attempt = 0; ; attempt += 1) {
    const object = await readable(door, exchange);
    try {
      return await bodyOf(door, exchange, object);
    } catch (error) {
      // The blob was replaced or deleted since, and its bytes are gone.
      if (!(error instanceof Error && error.name === 'ContentNotFound') || attempt > 0) throw error;
    }
  }
}

async function bodyOf(
  { app }: Door,
  { request, address, access }: BlobExchange,
  object: StoredObject,
): Promise<DoorReply> {
  const { size, content } = object;
  const range = readRange(request, size);
  const { from, to } = range ?? { from: 0, to: size - 1 };
  const headers = {
    ...blobHeaders(object),
    'Content-Type': object.contentType,
    ...hashHeaders(object, range),
    ...wholeHash(object),
  };
  Object.assign(headers, await rangeChecksum(app, request, object, range));
  if (range !== null) Object.assign(headers, { 'Content-Range': `bytes ${from}-${to}/${size}` });
  if (access.sas !== null) Object.assign(headers, overrides(address.query));
  if (size === 0) return { status: 200, headers };
  const pieces = await beginPieces((buffer) => app.objects.read(content, { from, to }, buffer));
  return { status: range === null ? 200 : 206, headers, body: { bytes: to - from + 1, pieces } };
}

/**
 * The checksum of a range that a client asks for: its MD5 or its CRC64.
 * @throws Fault `InvalidHeaderValue` without a range, or for both; `OutOfRangeInput`
 */
async function rangeChecksum(
  { objects }: Pick<Door['app'], 'objects'>,
  { headers }: Pick<BlobExchange['request'], 'headers'>,
  { content }: StoredObject,
  range: ByteRange | null,
): Promise<{ [name: string]: string }> {
  const [md5Header, crc64Header] = ['x-ms-range-get-content-md5', 'x-ms-range-get-content-crc64'] as const;
  const [wantsMd5, wantsCrc64] = [headers[md5Header] === 'true', headers[crc64Header] === 'true'];
  if (!wantsMd5 && !wantsCrc64) return {};
  if (range === null || (wantsMd5 && wantsCrc64)) throw badHeader(wantsCrc64 ? crc64Header : md5Header, 'true');
  if (range.to - range.from + 1 > maxHashedBytes) throw new Fault('OutOfRangeInput');
  const [md5, crc64] = [createHash('md5'), new PassingCrc64()];
  for await (const piece of await beginPieces((buffer) => objects.read(content, range, buffer))) {
    if (wantsMd5) md5.update(piece);
    else crc64.update(piece);
  }
  return wantsMd5 ? { 'Content-MD5': md5.digest('base64') } : { 'x-ms-content-crc64': crc64.value() };
}

/** The MD5 of an answer: that of a range is computed where a client asks for it. */
function hashHeaders(object: StoredObject, range: ByteRange | null): { [name: string]: string } {
  const md5 = range === null ? md5Of(object) : null;
  return md5 === null ? {} : { 'Content-MD5': md5 };
}

/** The MD5 of the blob, whatever is read of it. */
function wholeHash(object: StoredObject): { [name: string]: string } {
  const md5 = md5Of(object);
  return md5 === null ? {} : { 'x-ms-blob-content-md5': md5 };
}

/** Headers that a signature replaces. */
function overrides(query: BlobExchange['address']['query']): { [name: string]: string } {
  const names: [string, string][] = [
    ['rscc', 'Cache-Control'],
    ['rscd', 'Content-Disposition'],
    ['rsce', 'Content-Encoding'],
    ['rscl', 'Content-Language'],
    ['rsct', 'Content-Type'],
  ];
  return Object.fromEntries(
    names.flatMap(([parameter, header]) => {
      const value = query.get(parameter);
      if (value === null || !/^[^\x00-\x1f\x7f]+$/.test(value)) return [];
      // Names of files in any script leave in UTF-8.
      return [[header, Buffer.from(value).toString('latin1')]];
    }),
  );
}

/** Answers what is known of a blob, without its bytes. Ranges are ignored. @throws Fault */
export async function getBlobProperties(door: Door, exchange: BlobExchange): Promise<DoorReply> {
  const object = await readable(door, exchange);
  return {
    status: 200,
    headers: {
      ...blobHeaders(object),
      ...hashHeaders(object, null),
      'Content-Type': object.contentType,
      'Content-Length': String(object.size),
      'x-ms-access-tier': 'Hot',
      'x-ms-access-tier-inferred': 'true',
      ...(exchange.access.sas === null ? {} : overrides(exchange.address.query)),
    },
  };
}

/** Answers the metadata of a blob. @throws Fault */
export async function getBlobMetadata(door: Door, exchange: BlobExchange): Promise<DoorReply> {
  const object = await readable(door, exchange);
  return { status: 200, headers: { ...versionHeaders(object), ...metadataHeaders(object) } };
}
