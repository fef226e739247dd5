import { createHash } from 'node:crypto';
import { call } from '../../../mixins/actions/call.ts';
import { storePart } from '../../../mixins/storage/door-writes.ts';
import type { Bucket } from '../../../models/bucket.ts';
import { scopeOf } from '../../../models/scope.ts';
import type { ObjectChecksum, PartSizes } from '../../../models/storage-object.ts';
import { uploadParts, uploads, type PartsUpload, type Upload, type UploadPart } from '../../../models/upload.ts';
import { xmlReply, type DoorReply } from '../../../mixins/storage/door-http.ts';
import { requireBucket, type Door, type S3Exchange } from '../door.ts';
import { openBody, readWhole } from '../payload/body.ts';
import { algorithmNamed, combined, isCombinable, newChecksum, type ChecksumAlgorithm } from '../payload/checksums.ts';
import { parameter } from '../protocol/address.ts';
import { readDetails, refuseUnoffered, requireKey } from '../protocol/details.ts';
import { badArgument, Fault } from '../protocol/faults.ts';
import { element } from '../../../mixins/storage/door-xml.ts';
import { childText, readXml, xmlDocument, type XmlNode } from '../protocol/xml.ts';
import { bytesOf, checksumElement, sourceOf } from './copy-object.ts';
import { checksumHeaders } from './get-object.ts';
import { writeIf } from './put-object.ts';

const maxPartNumber = 10_000;
/** Fewest bytes of a part that is not the last. */
const minPartBytes = 5 * 2 ** 20;
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

/** The checksum that an upload is to have. @throws Fault `InvalidRequest` */
function wantedChecksum({ request: { headers } }: S3Exchange): ObjectChecksum | null {
  const sent = headers['x-amz-checksum-algorithm'];
  const type = headers['x-amz-checksum-type'];
  if (sent === undefined && type === undefined) return null;
  const algorithm = typeof sent === 'string' ? algorithmNamed(sent) : null;
  if (algorithm === null) throw new Fault('InvalidRequest', { message: 'Checksum algorithm provided is unsupported.' });
  const chosen = type ?? (algorithm === 'CRC64NVME' ? 'FULL_OBJECT' : 'COMPOSITE');
  const fits = chosen === 'FULL_OBJECT' ? isCombinable(algorithm) : chosen === 'COMPOSITE' && algorithm !== 'CRC64NVME';
  if (!fits)
    throw new Fault('InvalidRequest', {
      message: `The ${String(chosen)} checksum type cannot be used with the ${algorithm} checksum algorithm.`,
    });
  return { algorithm, value: '', type: chosen === 'FULL_OBJECT' ? 'FULL_OBJECT' : 'COMPOSITE' };
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
    ...readDetails(request.headers),
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
    throw badArgument('partNumber', 'Part number must be an integer between 1 and 10000, inclusive');
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
  const stored = await storePart(door.app, upload.contentId, { number, bytes: body.bytes }, body.pieces);
  const checksum = body.checksum();
  if (wanted !== null && checksum !== null && checksum.algorithm !== wanted) {
    await door.app.objects.removePart(upload.contentId, stored.name);
    throw new Fault('InvalidRequest', {
      message: `Checksum Type mismatch occurred, expected checksum Type: ${wanted.toLowerCase()}, actual checksum Type: ${checksum.algorithm.toLowerCase()}`,
    });
  }
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
function algorithmOf({ parts: { checksum } }: OpenParts): ChecksumAlgorithm | null {
  return checksum === undefined ? null : algorithmNamed(checksum.algorithm);
}

/** UploadPartCopy. @throws Fault, Refusal */
export async function uploadPartCopy(door: Door, exchange: S3Exchange): Promise<DoorReply> {
  const bucket = await requireBucket(door, exchange, exchange.address.bucket, 'write');
  const number = partNumber(exchange);
  const upload = await openUpload(door, exchange, bucket);
  const { object } = await sourceOf(door, exchange);
  const sent = exchange.request.headers['x-amz-copy-source-range'];
  const [, first, last] = /^bytes=(\d{1,15})-(\d{1,15})$/.exec(String(sent ?? '')) ?? [];
  if (sent !== undefined && first === undefined)
    throw badArgument(
      'x-amz-copy-source-range',
      'The x-amz-copy-source-range value must be of the form bytes=first-last',
    );
  const range = sent === undefined ? null : { from: Number(first), to: Number(last) };
  if (range !== null && (range.from > range.to || range.to >= object.size))
    throw new Fault('InvalidRange', {
      message: `Range specified is not valid for source object of size: ${object.size}`,
    });
  const bytes = range === null ? object.size : range.to - range.from + 1;
  if (bytes > maxPartBytes) throw new Fault('EntityTooLarge');
  const stored = await storePart(door.app, upload.contentId, { number, bytes }, bytesOf(door, object, range));
  const { organizationId, _id: uploadId } = upload;
  await call(door.actions, 'storage.recordPart', { organizationId, uploadId, part: { number, ...stored } });
  return xmlReply(
    xmlDocument(
      'CopyPartResult',
      element('LastModified', new Date(door.app.runtime.now()).toISOString()) + element('ETag', `"${stored.md5}"`),
    ),
  );
}

/** A part as the client names it. */
interface NamedPart {
  number: number;
  etag: string;
  node: XmlNode;
}

function namedParts(root: XmlNode): NamedPart[] {
  const nodes = root.children.filter(({ name }) => name === 'Part');
  if (root.name !== 'CompleteMultipartUpload' || nodes.length === 0 || nodes.length > maxPartNumber)
    throw new Fault('MalformedXML');
  return nodes.map((node) => {
    const number = Number(childText(node, 'PartNumber')?.trim());
    const etag = childText(node, 'ETag')?.trim();
    if (!Number.isInteger(number) || number < 1 || etag === undefined) throw new Fault('MalformedXML');
    return { number, etag: etag.replace(/^"|"$/g, ''), node };
  });
}

/** The received parts that the client names. @throws Fault `InvalidPartOrder`, `InvalidPart`, `EntityTooSmall` */
function chosenParts(named: readonly NamedPart[], received: readonly UploadPart[], upload: OpenParts): UploadPart[] {
  const byNumber = new Map(received.map((part) => [part.number, part]));
  const algorithm = algorithmOf(upload);
  const chosen = named.map(({ number, etag, node }, at) => {
    if (at > 0 && (named[at - 1]?.number ?? 0) >= number) throw new Fault('InvalidPartOrder');
    const part = byNumber.get(number);
    const checksum = algorithm === null ? null : childText(node, `Checksum${algorithm}`);
    if (part?.md5 !== etag || (checksum !== null && checksum !== part.checksum))
      throw new Fault('InvalidPart', { elements: { UploadId: upload._id, PartNumber: String(number), ETag: etag } });
    return part;
  });
  const small = chosen.slice(0, -1).find(({ bytes }) => bytes < minPartBytes);
  if (small !== undefined)
    throw new Fault('EntityTooSmall', {
      elements: {
        ProposedSize: String(small.bytes),
        MinSizeAllowed: String(minPartBytes),
        PartNumber: String(small.number),
        ETag: small.md5,
      },
    });
  return chosen;
}

/** The MD5 of the MD5s of parts, with their number. */
function etagOf(parts: readonly UploadPart[]): string {
  const hash = createHash('md5');
  for (const { md5 } of parts) hash.update(md5, 'hex');
  return `"${hash.digest('hex')}-${parts.length}"`;
}

function sizesOf(parts: readonly UploadPart[]): PartSizes {
  const sizes: PartSizes = [];
  for (const { bytes } of parts) {
    const last = sizes.at(-1);
    if (last?.[1] === bytes) last[0] += 1;
    else sizes.push([1, bytes]);
  }
  return sizes;
}

/** The checksum of the whole, where each part has one. */
function checksumOf(upload: OpenParts, parts: readonly UploadPart[]): ObjectChecksum | null {
  const algorithm = algorithmOf(upload);
  const type = upload.parts.checksum?.type;
  if (algorithm === null || type === undefined || parts.some(({ checksum }) => checksum === undefined)) return null;
  const known = parts.map(({ checksum = '', bytes }) => ({ value: Buffer.from(checksum, 'base64'), bytes }));
  if (type === 'FULL_OBJECT') return { algorithm, type, value: combined(algorithm, known).toString('base64') };
  const all = Buffer.concat(known.map(({ value }) => value));
  const running = newChecksum(algorithm);
  running.update(all);
  return { algorithm, type, value: `${running.digest().toString('base64')}-${parts.length}` };
}

/** CompleteMultipartUpload: repeated, it answers the same. @throws Fault, Refusal */
export async function completeMultipart(door: Door, exchange: S3Exchange): Promise<DoorReply> {
  const { address, request } = exchange;
  const bucket = await requireBucket(door, exchange, address.bucket, 'write');
  const upload = await namedUpload(door, exchange, bucket);
  if (upload.state !== 'open' && upload.state !== 'completed') throw new Fault('NoSuchUpload');
  const named = namedParts(readXml(await readWhole(exchange, false)));
  const parts = chosenParts(named, await partsOf(door, upload), upload);
  const size = parts.reduce((sum, { bytes }) => sum + bytes, 0);
  const declared = request.headers['x-amz-mp-object-size'];
  if (declared !== undefined && declared !== String(size))
    throw new Fault('InvalidRequest', {
      message: `The provided 'x-amz-mp-object-size' header value ${String(declared)} does not match what was computed: ${size}`,
    });
  const etag = etagOf(parts);
  const checksum = checksumOf(upload, parts);
  const algorithm = algorithmOf(upload);
  const sent = algorithm === null ? undefined : request.headers[`x-amz-checksum-${algorithm.toLowerCase()}`];
  if (sent !== undefined && checksum !== null && sent !== checksum.value) throw new Fault('BadDigest');
  const { organizationId, _id: uploadId } = upload;
  const at = { organizationId, bucketId: bucket._id, key: upload.key };
  const complete = (seen: Parameters<Parameters<typeof writeIf>[3]>[0]): ReturnType<Parameters<typeof writeIf>[3]> =>
    call(door.actions, 'storage.completeParts', {
      organizationId,
      uploadId,
      parts: parts.map(({ number, name, bytes, md5 }) => ({ number, name, bytes, md5 })),
      etag,
      partSizes: sizesOf(parts),
      ...(checksum === null ? {} : { checksum }),
      ...(seen === undefined ? {} : { seen }),
    });
  // Of one that is completed already, the conditions were judged before.
  if (upload.state === 'completed') await complete(undefined);
  else await writeIf(door, exchange, at, complete);
  const location = `http://${request.headers.host ?? ''}/${address.bucket ?? ''}/${upload.key.split('/').map(encodeURIComponent).join('/')}`;
  return xmlReply(
    xmlDocument(
      'CompleteMultipartUploadResult',
      element('Location', location) +
        element('Bucket', address.bucket) +
        element('Key', upload.key) +
        element('ETag', etag) +
        checksumElement(checksum === null ? {} : { checksum }),
    ),
    checksumHeaders(checksum === null ? {} : { checksum }),
  );
}

/** AbortMultipartUpload. @throws Fault, Refusal */
export async function abortMultipart(door: Door, exchange: S3Exchange): Promise<DoorReply> {
  const bucket = await requireBucket(door, exchange, exchange.address.bucket, 'write');
  const { organizationId, _id: uploadId } = await openUpload(door, exchange, bucket);
  await call(door.actions, 'storage.abortParts', { organizationId, uploadId });
  return { status: 204 };
}
