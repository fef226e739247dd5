import { isIPv4 } from 'node:net';
import type { ByteRange } from '../../../mixins/http/api/conditions.ts';
import { call } from '../../../mixins/actions/call.ts';
import { storeContent } from '../../../mixins/storage/door-writes.ts';
import type { Bucket } from '../../../models/bucket.ts';
import type { StoredObject } from '../../../models/storage-object.ts';
import { xmlReply, type DoorReply } from '../../../mixins/storage/door-http.ts';
import { objectNamed } from '../../../mixins/storage/door-lookup.ts';
import { requireBucket, requireNotSuspended, requireOwner, type Door, type S3Exchange } from '../door.ts';
import { measured } from '../payload/body.ts';
import { newChecksum, requireAlgorithm, type ChecksumAlgorithm } from '../payload/checksums.ts';
import { conditionsOf, requireRead } from '../protocol/conditions.ts';
import { versionOf } from '../protocol/conditions.ts';
import { readDetails, readTags, refuseUnoffered, requireKey, sentHeaders } from '../protocol/details.ts';
import { badArgument, Fault } from '../protocol/faults.ts';
import { element } from '../../../mixins/storage/door-xml.ts';
import { xmlDocument } from '../protocol/xml.ts';
import { requireNullVersion } from './get-object.ts';
import { commit, writeIf } from './put-object.ts';

/** Largest object that is copied in one piece. */
const maxCopyBytes = 5 * 2 ** 30;

/** Names that buckets may have in the protocol: what is none of them is no source. */
const bucketForm = /^[a-z0-9](?:[a-z0-9.-]{0,61}[a-z0-9])?$/;

function isKey(key: string): boolean {
  return !key.split('/').some((segment) => segment === '.' || segment === '..');
}

/** Where a copy reads. */
interface CopySource {
  bucketName: string;
  key: string;
  /** Null where none is named. */
  versionId: string | null;
}

/** Reads what a copy is to read, of a bucket that there may be or not. @throws Fault `InvalidArgument` */
export function readSource({ request }: Pick<S3Exchange, 'request'>): CopySource {
  const sent = String(request.headers['x-amz-copy-source'] ?? '');
  const [path = '', search = ''] = sent.split('?', 2);
  let name: string;
  try {
    name = decodeURIComponent(path).replace(/^\//, '');
  } catch {
    throw badArgument('x-amz-copy-source', 'Invalid copy source encoding', sent);
  }
  const slash = name.indexOf('/');
  const key = slash < 0 ? '' : name.slice(slash + 1);
  const bucketName = slash < 0 ? name : name.slice(0, slash);
  if (!bucketForm.test(bucketName) || isIPv4(bucketName))
    throw badArgument('x-amz-copy-source', 'Invalid copy source bucket name', sent);
  if (key === '' || !isKey(key)) throw badArgument('x-amz-copy-source', 'Invalid copy source object key', key);
  return { bucketName, key, versionId: search === '' ? null : search.replace(/^versionId=/, '') };
}

/** The object that a copy reads, with its conditions checked. @throws Fault */
export async function sourceOf(
  door: Door,
  exchange: S3Exchange,
  { bucketName, key, versionId }: CopySource,
): Promise<{ bucket: Bucket; object: StoredObject }> {
  const { headers } = exchange.request;
  requireNullVersion(versionId);
  const bucket = await requireBucket(door, exchange, bucketName, 'read');
  requireOwner(exchange, 'x-amz-source-expected-bucket-owner');
  requireNotSuspended(bucket);
  const object = await objectNamed(door.app, bucket, key);
  if (object === null) throw new Fault('NoSuchKey', { elements: { Key: key } });
  try {
    requireRead(conditionsOf(headers, 'x-amz-copy-source-'), object);
  } catch (error) {
    // A copy whose source is not as asked for is refused, never "not modified".
    throw error instanceof Fault && error.code === 'NotModified' ? new Fault('PreconditionFailed') : error;
  }
  return { bucket, object };
}

/** The bytes of an object, or of a range of it. */
export function bytesOf(
  door: Door,
  { content, size }: StoredObject,
  range: ByteRange | null,
): AsyncIterable<Uint8Array> {
  const { from, to } = range ?? { from: 0, to: size - 1 };
  return to < from ? nothing() : door.app.objects.read(content, { from, to });
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

/** What becomes of the source's metadata, or of its tags. @throws Fault */
function directiveOf({ request }: S3Exchange, subject: 'metadata' | 'tagging'): 'COPY' | 'REPLACE' {
  const name = `x-amz-${subject}-directive`;
  const sent = String(request.headers[name] ?? 'COPY');
  if (sent !== 'COPY' && sent !== 'REPLACE') throw badArgument(name, `Unknown ${subject} directive.`, sent);
  return sent;
}

/** What a copy takes over of its source: a redirect is each object's own. */
function copiedDetails({
  contentType,
  metadata,
  headers,
}: StoredObject): Pick<StoredObject, 'contentType' | 'metadata' | 'headers'> {
  if (headers?.redirectLocation === undefined)
    return { contentType, metadata, ...(headers === undefined ? {} : { headers }) };
  const kept = { ...headers };
  delete kept.redirectLocation;
  return { contentType, metadata, ...(Object.keys(kept).length === 0 ? {} : { headers: kept }) };
}

/** CopyObject. @throws Fault, Refusal */
export async function copyObject(door: Door, exchange: S3Exchange): Promise<DoorReply> {
  const { request, address } = exchange;
  const target = await requireBucket(door, exchange, address.bucket, 'write');
  const key = requireKey(address.key ?? '');
  refuseUnoffered(request);
  const replacesMetadata = directiveOf(exchange, 'metadata') === 'REPLACE';
  const replacesTags = directiveOf(exchange, 'tagging') === 'REPLACE';
  const wanted = wantedAlgorithm(exchange);
  const { object: source } = await sourceOf(door, exchange, readSource(exchange));
  const sentDetails = replacesMetadata ? readDetails(sentHeaders(request)) : null;
  const { contentType, metadata, headers } = sentDetails ?? copiedDetails(source);
  const { tags } = replacesTags ? readTags(request.headers) : source;
  const details = {
    ...{ contentType, metadata },
    ...(headers === undefined ? {} : { headers }),
    ...(tags === undefined ? {} : { tags }),
  };
  const at = { organizationId: target.organizationId, bucketId: target._id, key };
  const isSame = source.bucketId === target._id && source.key === key;
  if (isSame && sentDetails === null && !replacesTags)
    throw new Fault('InvalidRequest', {
      message:
        "This copy request is illegal because it is trying to copy an object to itself without changing the object's metadata, storage class, website redirect location or encryption attributes.",
    });
  // A checksum that is not known needs the bytes.
  const needsBytes = wanted !== null && wanted !== source.checksum?.algorithm;
  const written =
    isSame && !needsBytes
      ? await writeIf(door, exchange, at, (seen) =>
          call(door.actions, 'storage.changeDetails', {
            ...at,
            ...details,
            ...(replacesTags ? { tags: tags ?? [] } : {}),
            createdVia: 's3',
            seen: seen ?? versionOf(source),
          }),
        )
      : await copyBytes(door, exchange, source, at, details, wanted);
  return xmlReply(
    xmlDocument(
      'CopyObjectResult',
      element('LastModified', new Date(written.updatedAt).toISOString()) +
        element('ETag', written.etag) +
        checksumElement(written),
    ),
  );
}

/** The checksum of an object as elements. */
export function checksumElement({ checksum }: Pick<StoredObject, 'checksum'>): string {
  if (checksum === undefined) return '';
  return element(`Checksum${checksum.algorithm}`, checksum.value) + element('ChecksumType', checksum.type);
}

/** The algorithm of the checksum that a copy is to have; null where the source's stays. @throws Fault `InvalidRequest` */
function wantedAlgorithm({ request }: S3Exchange): ChecksumAlgorithm | null {
  const sent = request.headers['x-amz-checksum-algorithm'];
  return typeof sent === 'string' ? requireAlgorithm(sent) : null;
}

async function copyBytes(
  door: Door,
  exchange: S3Exchange,
  source: StoredObject,
  at: { organizationId: string; bucketId: string; key: string },
  details: Pick<StoredObject, 'contentType' | 'metadata' | 'headers' | 'tags'>,
  wanted: ChecksumAlgorithm | null,
): Promise<StoredObject> {
  const { size, checksum } = source;
  if (size > maxCopyBytes)
    throw new Fault('InvalidRequest', { message: 'An object of more than 5 GiB is copied in parts.' });
  await call(door.actions, 'storage.admitObject', { ...at, size, contentType: details.contentType });
  const isKept = checksum?.type === 'FULL_OBJECT' && (wanted === null || wanted === checksum.algorithm);
  const running = wanted === null || isKept ? null : newChecksum(wanted);
  const pieces = bytesOf(door, source, null);
  const { content, md5 } = await storeContent(door.app, size, running === null ? pieces : measured(pieces, running));
  return commit(door, exchange, {
    ...at,
    ...details,
    ...(isKept ? { checksum: { algorithm: checksum.algorithm, type: checksum.type, value: checksum.value } } : {}),
    ...(running === null || wanted === null
      ? {}
      : { checksum: { algorithm: wanted, type: 'FULL_OBJECT' as const, value: running.digest().toString('base64') } }),
    size,
    etag: `"${md5}"`,
    content,
    createdVia: 's3',
  });
}
