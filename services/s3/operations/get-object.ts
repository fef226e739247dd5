import { beginPieces } from '../../../mixins/http/begun-pieces.ts';
import { requestedRange, type ByteRange } from '../../../mixins/http/api/conditions.ts';
import type { Bucket } from '../../../models/bucket.ts';
import type { PartSizes, StoredObject } from '../../../models/storage-object.ts';
import type { DoorReply } from '../../../mixins/storage/door-http.ts';
import { objectNamed } from '../../../mixins/storage/door-lookup.ts';
import { requireBucket, requireNotSuspended, type Door, type S3Exchange } from '../door.ts';
import { parameter } from '../protocol/address.ts';
import { conditionsOf, requireRead } from '../protocol/conditions.ts';
import { asHeader, detailHeaders, refuseCustomerKey } from '../protocol/details.ts';
import { algorithmNamed, checksumBytes } from '../payload/checksums.ts';
import { badArgument, Fault } from '../protocol/faults.ts';

/** Parameters of the query that replace headers of the answer. */
const overrides = [
  ['response-content-type', 'Content-Type'],
  ['response-content-language', 'Content-Language'],
  ['response-expires', 'Expires'],
  ['response-cache-control', 'Cache-Control'],
  ['response-content-disposition', 'Content-Disposition'],
  ['response-content-encoding', 'Content-Encoding'],
] as const;

/** There is one version of each object. @throws Fault `NoSuchVersion` */
export function requireNullVersion(versionId: string | null): void {
  if (versionId !== null && versionId !== 'null') throw new Fault('NoSuchVersion');
}

/** The object that a request names, in a bucket where the credential has a permission. @throws Fault */
export async function named(
  door: Door,
  exchange: S3Exchange,
  need: 'read' | 'write',
): Promise<{ bucket: Bucket; object: StoredObject }> {
  const { address } = exchange;
  const bucket = await requireBucket(door, exchange, address.bucket, need);
  requireNotSuspended(bucket);
  requireNullVersion(parameter(address, 'versionId'));
  const object = await objectNamed(door.app, bucket, address.key ?? '');
  if (object === null) throw new Fault('NoSuchKey', { elements: { Key: address.key ?? '' } });
  return { bucket, object };
}

/** The object that a read names, in a bucket that may be read. @throws Fault */
export function readable(door: Door, exchange: S3Exchange): Promise<{ bucket: Bucket; object: StoredObject }> {
  return named(door, exchange, 'read');
}

/** Headers that identify the version of an object. */
export function versionHeaders({ etag, updatedAt }: Pick<StoredObject, 'etag' | 'updatedAt'>): {
  [name: string]: string;
} {
  return { ETag: etag, 'Last-Modified': new Date(updatedAt).toUTCString() };
}

/** Headers of the checksum of an object. */
export function checksumHeaders({ checksum }: Pick<StoredObject, 'checksum'>): { [name: string]: string } {
  if (checksum === undefined) return {};
  return {
    [`x-amz-checksum-${checksum.algorithm.toLowerCase()}`]: checksum.value,
    'x-amz-checksum-type': checksum.type,
  };
}

/** The checksum of a part; null where it is not known. @param number from 1 */
export function partChecksum({ checksum }: Pick<StoredObject, 'checksum'>, number: number): string | null {
  const algorithm = checksum === undefined ? null : algorithmNamed(checksum.algorithm);
  if (checksum?.parts === undefined || algorithm === null) return null;
  const bytes = checksumBytes[algorithm];
  const value = Buffer.from(checksum.parts, 'base64').subarray((number - 1) * bytes, number * bytes);
  return value.length === bytes ? value.toString('base64') : null;
}

/** Headers of the checksum of what a read answers. @param part number of the part that it asks for; null for none */
function checksumOfRead(object: StoredObject, part: string | null, isWhole: boolean): { [name: string]: string } {
  const { checksum } = object;
  if (part !== null && object.partSizes !== undefined && checksum !== undefined) {
    const value = partChecksum(object, Number(part));
    return value === null ? {} : checksumHeaders({ checksum: { ...checksum, value } });
  }
  // The client would compare the checksum of the whole with the range that it gets.
  return isWhole ? checksumHeaders(object) : {};
}

/** Number of parts. */
export function countOf(sizes: PartSizes): number {
  return sizes.reduce((sum, [count]) => sum + count, 0);
}

/** The bytes of a part of an object; null for all. @throws Fault `InvalidPart` */
function rangeOfPart({ partSizes, size }: StoredObject, sent: string): ByteRange | null {
  // An empty object is its first part, of no range.
  if (size === 0 && Number(sent) === 1) return null;
  let left = Number(sent);
  let from = 0;
  for (const [count, bytes] of partSizes ?? [[1, size]]) {
    if (left <= count) return { from: from + (left - 1) * bytes, to: from + left * bytes - 1 };
    left -= count;
    from += count * bytes;
  }
  throw new Fault('InvalidPart', { message: 'The requested partnumber is not satisfiable' });
}

/** The bytes that a read asks for; null for all. @throws Fault `InvalidRange` */
function rangeOf({ request, address }: S3Exchange, object: StoredObject): ByteRange | null {
  const part = parameter(address, 'partNumber');
  if (part !== null) {
    if (request.headers.range !== undefined)
      throw new Fault('InvalidRequest', { message: 'Cannot specify both Range header and partNumber query parameter' });
    return rangeOfPart(object, part);
  }
  const { range: asked = '' } = request.headers;
  // Ranges with spaces are none to S3; the end of an empty object is all of it.
  if (/\s/.test(asked) || (object.size === 0 && /^bytes=-0*[1-9]\d*$/i.test(asked))) return null;
  const validators = { etag: object.etag, lastModified: object.updatedAt };
  const range = requestedRange({ method: 'GET', headers: request.headers }, validators, object.size);
  if (range === 'unsatisfiable')
    throw new Fault('InvalidRange', {
      elements: { RangeRequested: request.headers.range ?? '', ActualObjectSize: String(object.size) },
      headers: { 'Content-Range': `bytes */${object.size}` },
    });
  return range;
}

/** The head of the answer to a read. */
function headOf(
  exchange: S3Exchange,
  object: StoredObject,
): { status: number; headers: { [name: string]: string }; range: ByteRange; bytes: number } {
  const { request, address } = exchange;
  const version = versionHeaders(object);
  requireRead(conditionsOf(request.headers), object, version);
  const range = rangeOf(exchange, object);
  const isWhole = range === null;
  const { from, to } = range ?? { from: 0, to: object.size - 1 };
  const bytes = to - from + 1;
  const wantsChecksum = request.headers['x-amz-checksum-mode']?.toString().toUpperCase() === 'ENABLED';
  const headers = {
    ...version,
    ...detailHeaders(object),
    ...(object.tags === undefined ? {} : { 'x-amz-tagging-count': String(object.tags.length) }),
    'Accept-Ranges': 'bytes',
    'x-amz-storage-class': 'STANDARD',
    'Content-Length': String(bytes),
    ...(wantsChecksum ? checksumOfRead(object, parameter(address, 'partNumber'), isWhole) : {}),
    ...(isWhole ? {} : { 'Content-Range': `bytes ${from}-${to}/${object.size}` }),
    ...(parameter(address, 'partNumber') !== null && object.partSizes !== undefined
      ? { 'x-amz-mp-parts-count': String(countOf(object.partSizes)) }
      : {}),
  };
  for (const [name, header] of overrides) {
    const value = parameter(address, name);
    if (value === null) continue;
    if (!/^[\x20-\x7e\xa0-\xff]*$/.test(value))
      throw badArgument(name, 'Header value cannot be represented using ISO-8859-1.', value);
    Object.assign(headers, { [header]: asHeader(value) });
  }
  return { status: isWhole ? 200 : 206, headers, range: { from, to }, bytes };
}

/** @throws Fault `InvalidArgument` where the number of a part is none; `NotImplemented` */
function checkRead({ request, address }: S3Exchange): void {
  refuseCustomerKey(request);
  const sent = parameter(address, 'partNumber');
  if (sent !== null && (!/^\d{1,5}$/.test(sent) || Number(sent) < 1 || Number(sent) > 10_000))
    throw badArgument('partNumber', 'Part number must be an integer between 1 and 10000, inclusive.', sent);
}

/** HeadObject. @throws Fault */
export async function headObject(door: Door, exchange: S3Exchange): Promise<DoorReply> {
  checkRead(exchange);
  const { object } = await readable(door, exchange);
  const { status, headers } = headOf(exchange, object);
  return { status, headers };
}

/** GetObject. @throws Fault */
export async function getObject(door: Door, exchange: S3Exchange): Promise<DoorReply> {
  checkRead(exchange);
  for (let attempt = 0; ; attempt += 1) {
    const { object } = await readable(door, exchange);
    const { status, headers, range, bytes } = headOf(exchange, object);
    if (bytes === 0) return { status, headers };
    try {
      const pieces = await beginPieces((buffer) => door.app.objects.read(object.content, range, buffer));
      return { status, headers, body: { bytes, pieces } };
    } catch (error) {
      // The object was replaced or deleted since.
      if (!(error instanceof Error && error.name === 'ContentNotFound') || attempt > 0) throw error;
    }
  }
}
