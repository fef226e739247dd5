import { call } from '../../../mixins/actions/call.ts';
import { storePart } from '../../../mixins/storage/door-writes.ts';
import type { Bucket } from '../../../models/bucket.ts';
import { scopeOf } from '../../../models/scope.ts';
import type { ObjectChecksum } from '../../../models/storage-object.ts';
import { uploadParts, uploads, type PartsUpload, type Upload, type UploadPart } from '../../../models/upload.ts';
import { xmlReply, type DoorReply } from '../../../mixins/storage/door-http.ts';
import { requireBucket, type Door, type S3Exchange } from '../door.ts';
import { measured, openBody } from '../payload/body.ts';
import {
  algorithmNamed,
  isCombinable,
  newChecksum,
  requireAlgorithm,
  type ChecksumAlgorithm,
} from '../payload/checksums.ts';
import { parameter } from '../protocol/address.ts';
import { readDetails, readTags, refuseUnoffered, requireKey, sentHeaders } from '../protocol/details.ts';
import { badArgument, Fault } from '../protocol/faults.ts';
import { element } from '../../../mixins/storage/door-xml.ts';
import { xmlDocument } from '../protocol/xml.ts';
import { bytesOf, readSource, sourceOf } from './copy-object.ts';

/** Highest number of a part. */
export const maxPartNumber = 10_000;
const maxPartBytes = 5 * 2 ** 30;

/** An upload in parts that a request names. */
export type OpenParts = Upload & { parts: PartsUpload };

/** The upload that a request names, in any state. @throws Fault `NoSuchUpload` */
export async function namedUpload(
  door: Pick<Door, 'app'>,
  { address }: Pick<S3Exchange, 'address'>,
  { organizationId, _id: bucketId }: Bucket,
): Promise<OpenParts> {
  const upload = await door.app.records
    .collection(uploads, scopeOf(organizationId))
    .get(parameter(address, 'uploadId') ?? '');
  if (upload?.parts === undefined || upload.bucketId !== bucketId || upload.key !== address.key)
    throw new Fault('NoSuchUpload');
  return { ...upload, parts: upload.parts };
}

/** The same, while parts may be sent. @throws Fault `NoSuchUpload` */
async function openUpload(door: Pick<Door, 'app'>, exchange: S3Exchange, bucket: Bucket): Promise<OpenParts> {
  const upload = await namedUpload(door, exchange, bucket);
  if (upload.state !== 'open' || upload.expiresAt <= door.app.runtime.now()) throw new Fault('NoSuchUpload');
  return upload;
}

/** The parts of an upload that have arrived, by number. */
export function partsOf({ app }: Pick<Door, 'app'>, { organizationId, _id }: Upload): Promise<UploadPart[]> {
  return app.records
    .collection(uploadParts, scopeOf(organizationId))
    .find({ filter: { uploadId: _id }, sort: [['number', 1]], limit: maxPartNumber });
}

/** How the checksum of the whole is made where the client does not say. */
function defaultType(algorithm: ChecksumAlgorithm): ObjectChecksum['type'] {
  return algorithm === 'CRC64NVME' ? 'FULL_OBJECT' : 'COMPOSITE';
}

/** How the checksum of the whole is made, as a header says it. @throws Fault `InvalidRequest` */
export function readType(sent: string): ObjectChecksum['type'] {
  const type = sent.toUpperCase();
  if (type !== 'FULL_OBJECT' && type !== 'COMPOSITE')
    throw new Fault('InvalidRequest', { message: 'Value for x-amz-checksum-type header is invalid.' });
  return type;
}

/** The checksum that an upload is to have. @throws Fault `InvalidRequest` */
function wantedChecksum({ request: { headers } }: S3Exchange): ObjectChecksum | null {
  const sent = headers['x-amz-checksum-algorithm'];
  const type = headers['x-amz-checksum-type'];
  const chosenType = type === undefined ? null : readType(String(type));
  if (sent === undefined && chosenType === null) return null;
  if (sent === undefined)
    throw new Fault('InvalidRequest', {
      message: 'The x-amz-checksum-type header can only be used with the x-amz-checksum-algorithm header.',
    });
  const algorithm = requireAlgorithm(String(sent));
  const chosen = chosenType ?? defaultType(algorithm);
  const fits = chosen === 'FULL_OBJECT' ? isCombinable(algorithm) : chosen === 'COMPOSITE' && algorithm !== 'CRC64NVME';
  if (!fits)
    throw new Fault('InvalidRequest', {
      message: `The ${chosen} checksum type cannot be used with the ${algorithm.toLowerCase()} checksum algorithm.`,
    });
  return { algorithm, value: '', type: chosen };
}

/** CreateMultipartUpload. @throws Fault, Refusal */
export async function createMultipart(door: Door, exchange: S3Exchange): Promise<DoorReply> {
  const { request, address } = exchange;
  const bucket = await requireBucket(door, exchange, address.bucket, 'write');
  const key = requireKey(address.key ?? '');
  refuseUnoffered(request);
  const checksum = wantedChecksum(exchange);
  const { uploadId } = await call(door.actions, 'storage.startParts', {
    organizationId: bucket.organizationId,
    bucketId: bucket._id,
    key,
    ...readDetails(sentHeaders(request)),
    ...readTags(request.headers),
    ...(checksum === null ? {} : { checksum }),
  });
  return xmlReply(
    xmlDocument(
      'InitiateMultipartUploadResult',
      element('Bucket', address.bucket) + element('Key', key) + element('UploadId', uploadId),
    ),
    checksum === null ? {} : { 'x-amz-checksum-algorithm': checksum.algorithm, 'x-amz-checksum-type': checksum.type },
  );
}

function partNumber({ address }: S3Exchange): number {
  const sent = parameter(address, 'partNumber') ?? '';
  const number = /^\d{1,5}$/.test(sent) ? Number(sent) : 0;
  if (number < 1 || number > maxPartNumber)
    throw badArgument('partNumber', 'Part number must be an integer between 1 and 10000, inclusive.', sent);
  return number;
}

/** UploadPart. @throws Fault, Refusal */
export async function uploadPart(door: Door, exchange: S3Exchange): Promise<DoorReply> {
  const bucket = await requireBucket(door, exchange, exchange.address.bucket, 'write');
  const number = partNumber(exchange);
  const upload = await openUpload(door, exchange, bucket);
  const wanted = algorithmOf(upload);
  const body = openBody(exchange, wanted);
  if (body.bytes > maxPartBytes) throw new Fault('EntityTooLarge');
  // Of a whole checksum the service can compute those of the parts; a composite one is of what the client declares.
  const isMissing = body.declared === null && upload.parts.checksum?.type === 'COMPOSITE';
  if (wanted !== null && (isMissing || (body.declared ?? wanted) !== wanted))
    throw new Fault('InvalidRequest', {
      message: `Checksum Type mismatch occurred, expected checksum Type: ${wanted}, actual checksum Type: ${body.declared ?? 'null'}`,
    });
  const stored = await storePart(door.app, upload.contentId, { number, bytes: body.bytes }, body.pieces);
  const checksum = body.checksum();
  const { organizationId, _id: uploadId } = upload;
  await call(door.actions, 'storage.recordPart', {
    organizationId,
    uploadId,
    part: { number, ...stored, ...(checksum === null ? {} : { checksum: checksum.value }) },
  });
  return {
    status: 200,
    headers: {
      ETag: `"${stored.md5}"`,
      ...(checksum === null ? {} : { [`x-amz-checksum-${checksum.algorithm.toLowerCase()}`]: checksum.value }),
    },
  };
}

/** The algorithm of an upload's checksum; null without one. */
export function algorithmOf({ parts: { checksum } }: OpenParts): ChecksumAlgorithm | null {
  return checksum === undefined ? null : algorithmNamed(checksum.algorithm);
}

/** UploadPartCopy. @throws Fault, Refusal */
export async function uploadPartCopy(door: Door, exchange: S3Exchange): Promise<DoorReply> {
  const bucket = await requireBucket(door, exchange, exchange.address.bucket, 'write');
  const number = partNumber(exchange);
  const source = readSource(exchange);
  const upload = await openUpload(door, exchange, bucket);
  const { object } = await sourceOf(door, exchange, source);
  const sent = exchange.request.headers['x-amz-copy-source-range'];
  const [, first, last] = /^bytes=(\d{1,15})-(\d{1,15})$/.exec(String(sent ?? '')) ?? [];
  if (sent !== undefined && (first === undefined || Number(first) > Number(last)))
    throw badArgument(
      'x-amz-copy-source-range',
      'The x-amz-copy-source-range value must be of the form bytes=first-last where first and last are the zero-based offsets of the first and last bytes to copy',
      String(sent),
    );
  const range = sent === undefined ? null : { from: Number(first), to: Number(last) };
  if (range !== null && range.to >= object.size)
    throw badArgument(
      'x-amz-copy-source-range',
      `Range specified is not valid for source object of size: ${object.size}`,
      String(object.size),
    );
  const bytes = range === null ? object.size : range.to - range.from + 1;
  if (bytes > maxPartBytes) throw new Fault('EntityTooLarge');
  const algorithm = algorithmOf(upload);
  const running = algorithm === null ? null : newChecksum(algorithm);
  const pieces = bytesOf(door, object, range);
  const stored = await storePart(
    door.app,
    upload.contentId,
    { number, bytes },
    running === null ? pieces : measured(pieces, running),
  );
  const checksum = running?.digest().toString('base64');
  const { organizationId, _id: uploadId } = upload;
  await call(door.actions, 'storage.recordPart', {
    organizationId,
    uploadId,
    part: { number, ...stored, ...(checksum === undefined ? {} : { checksum }) },
  });
  return xmlReply(
    xmlDocument(
      'CopyPartResult',
      element('LastModified', new Date(door.app.runtime.now()).toISOString()) +
        element('ETag', `"${stored.md5}"`) +
        (algorithm === null ? '' : element(`Checksum${algorithm}`, checksum)),
    ),
  );
}

/** AbortMultipartUpload. @throws Fault, Refusal */
export async function abortMultipart(door: Door, exchange: S3Exchange): Promise<DoorReply> {
  const bucket = await requireBucket(door, exchange, exchange.address.bucket, 'write');
  const { organizationId, _id: uploadId, createdAt } = await openUpload(door, exchange, bucket);
  const initiated = Date.parse(String(exchange.request.headers['x-amz-if-match-initiated-time'] ?? ''));
  // A time to come is none that an upload can have been begun at.
  if (initiated <= door.app.runtime.now() && Math.floor(initiated / 1000) !== Math.floor(createdAt / 1000))
    throw new Fault('PreconditionFailed');
  await call(door.actions, 'storage.abortParts', { organizationId, uploadId });
  return { status: 204 };
}
