import { createHash } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { call } from '../../../mixins/actions/call.ts';
import { xmlReply, type DoorReply } from '../../../mixins/storage/door-http.ts';
import { element } from '../../../mixins/storage/door-xml.ts';
import { refusalOf } from '../../../models/errors.ts';
import type { ObjectChecksum, PartSizes } from '../../../models/storage-object.ts';
import type { UploadPart } from '../../../models/upload.ts';
import { requireBucket, type Door, type S3Exchange } from '../door.ts';
import {
  checksumValue,
  declaredChecksums,
  readWhole,
  severalChecksums,
  type DeclaredChecksum,
} from '../payload/body.ts';
import { checksumAlgorithms, combined, isChecksum, newChecksum } from '../payload/checksums.ts';
import { badArgument, Fault } from '../protocol/faults.ts';
import { childText, readXml, xmlDocument, type XmlNode } from '../protocol/xml.ts';
import { checksumElement } from './copy-object.ts';
import { checksumHeaders } from './get-object.ts';
import { algorithmOf, maxPartNumber, namedUpload, partsOf, readType, type OpenParts } from './multipart.ts';
import { writeIf } from './put-object.ts';

/** Fewest bytes of a part that is not the last. */
const minPartBytes = 5 * 2 ** 20;
/** Most bytes of the checksums of all parts together that an object keeps. */
const maxPartsChecksumBytes = 4096;

/** A part as the client names it. */
interface NamedPart {
  number: number;
  etag: string;
  /** The checksum that the client repeats; null where it repeats none. */
  checksum: DeclaredChecksum | null;
}

/** The checksum of a part in the list of parts. @throws Fault `InvalidArgument` */
function namedChecksum(node: XmlNode): NamedPart['checksum'] {
  const found = checksumAlgorithms.flatMap((algorithm) => {
    const value = childText(node, `Checksum${algorithm}`);
    return value === null || value === '' ? [] : [{ algorithm, value }];
  });
  const [first] = found;
  const invalid = (value: string): Fault =>
    badArgument('Checksum', 'Invalid Base64 or multiple checksums present in request', value);
  if (found.length > 1) throw invalid(found.map(({ algorithm, value }) => `${algorithm}:${value};`).join(''));
  if (first !== undefined && !isChecksum(first.algorithm, first.value)) throw invalid(first.value);
  return first ?? null;
}

function namedParts(root: XmlNode): NamedPart[] {
  const nodes = root.children.filter(({ name }) => name === 'Part');
  if (root.name !== 'CompleteMultipartUpload' || nodes.length === 0 || nodes.length > maxPartNumber)
    throw new Fault('MalformedXML');
  return nodes.map((node) => {
    const number = Number(childText(node, 'PartNumber')?.trim());
    const etag = childText(node, 'ETag')?.trim();
    if (!Number.isInteger(number) || etag === undefined) throw new Fault('MalformedXML');
    if (number < 1) throw badArgument('PartNumber', 'PartNumber must be >= 1', String(number));
    return { number, etag: etag.replace(/^"|"$/g, ''), checksum: namedChecksum(node) };
  });
}

/** The request that completes an upload must go on with its checksums. @throws Fault `InvalidRequest` */
function requireSameChecksums({ request }: S3Exchange, { parts: { checksum } }: OpenParts): void {
  const sent = request.headers['x-amz-checksum-type'];
  const type = sent === undefined ? null : readType(String(sent));
  if (checksum !== undefined && type !== null && type !== checksum.type)
    throw new Fault('InvalidRequest', {
      message: `The upload was created using the ${checksum.type} checksum mode. The complete request must use the same checksum mode.`,
    });
}

/**
 * Compares the checksum that the client names for a part with what arrived. A composite upload needs each: the checksum of
 * the whole is of them.
 * @throws Fault `InvalidRequest`, `BadDigest`, `InvalidPart`
 */
function requirePartChecksum(
  { number, etag, checksum }: NamedPart,
  part: UploadPart,
  { _id: uploadId, parts: { checksum: wanted } }: OpenParts,
): void {
  if (wanted === undefined) return;
  if (checksum === null) {
    if (wanted.type === 'COMPOSITE')
      throw new Fault('InvalidRequest', {
        message: `The upload was created using a ${wanted.algorithm.toLowerCase()} checksum. The complete request must include the checksum for each part. It was missing for part ${number} in the request.`,
      });
    return;
  }
  if (checksum.algorithm !== wanted.algorithm)
    throw new Fault('BadDigest', {
      message: `The ${checksum.algorithm.toLowerCase()} you specified for part ${number} did not match what we received.`,
    });
  if (checksum.value !== part.checksum) throw invalidPart(uploadId, number, etag);
}

function invalidPart(uploadId: string, number: number, etag: string): Fault {
  return new Fault('InvalidPart', { elements: { UploadId: uploadId, PartNumber: String(number), ETag: etag } });
}

/** The received parts that the client names. @throws Fault `InvalidPartOrder`, `InvalidPart`, `EntityTooSmall` */
function chosenParts(named: readonly NamedPart[], received: readonly UploadPart[], upload: OpenParts): UploadPart[] {
  const byNumber = new Map(received.map((part) => [part.number, part]));
  const chosen = named.map((each, at) => {
    if (at > 0 && (named[at - 1]?.number ?? 0) >= each.number) throw new Fault('InvalidPartOrder');
    const part = byNumber.get(each.number);
    if (part?.md5 !== each.etag) throw invalidPart(upload._id, each.number, each.etag);
    requirePartChecksum(each, part, upload);
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
  const all = Buffer.concat(known.map(({ value }) => value));
  const ofParts = all.length > maxPartsChecksumBytes ? {} : { parts: all.toString('base64') };
  if (type === 'FULL_OBJECT')
    return { algorithm, type, value: combined(algorithm, known).toString('base64'), ...ofParts };
  const running = newChecksum(algorithm);
  running.update(all);
  return { algorithm, type, value: `${running.digest().toString('base64')}-${parts.length}`, ...ofParts };
}

/** The size that the client declares for the whole must be that of its parts. @throws Fault `InvalidRequest` */
function requireSize({ request }: S3Exchange, size: number): void {
  const declared = request.headers['x-amz-mp-object-size'];
  if (typeof declared !== 'string' || declared === String(size)) return;
  throw new Fault('InvalidRequest', {
    message: declared.startsWith('-')
      ? `Value for x-amz-mp-object-size header is less than zero: '${declared}'`
      : `The provided 'x-amz-mp-object-size' header value ${size} does not match what was computed: ${declared}`,
  });
}

/** The checksum that the client declares for the whole; null for none. @throws Fault `InvalidRequest` */
function declaredWhole({ request: { headers } }: S3Exchange): DeclaredChecksum | null {
  const declared = declaredChecksums((name) => (typeof headers[name] === 'string' ? headers[name] : null));
  const [first] = declared;
  if (declared.length > 1) throw severalChecksums();
  if (first === undefined) return null;
  // That of parts has their number behind it; a whole one has none.
  checksumValue(first.algorithm, first.algorithm === 'CRC64NVME' ? first.value : first.value.replace(/-\d+$/, ''));
  return first;
}

/** The checksum that the client declares for the whole must be that of its parts. @throws Fault `BadDigest` */
function requireWholeChecksum(declared: DeclaredChecksum | null, checksum: ObjectChecksum | null): void {
  if (declared === null || checksum === null || declared.algorithm !== checksum.algorithm) return;
  if (declared.value !== checksum.value)
    throw new Fault('BadDigest', {
      message: `The ${checksum.algorithm} you specified did not match the calculated checksum.`,
    });
}

/** Milliseconds that a completion waits for another one of the same upload, and from one look to the next. */
const maxWaitMs = 10_000;
const lookMs = 50;

/** Does what another request may be doing at the time: a client that repeats it gets the answer of the first. */
async function afterOthers<T>(work: () => Promise<T>): Promise<T> {
  for (const until = performance.now() + maxWaitMs; ;) {
    try {
      return await work();
    } catch (error) {
      const refusal = refusalOf(error);
      const isBusy = refusal?.type === 'upload_not_open' && refusal.data.retryable === true;
      if (!isBusy || performance.now() > until) throw error;
    }
    await setTimeout(lookMs);
  }
}

/** CompleteMultipartUpload: repeated, it answers the same. @throws Fault, Refusal */
export async function completeMultipart(door: Door, exchange: S3Exchange): Promise<DoorReply> {
  const { address, request } = exchange;
  const bucket = await requireBucket(door, exchange, address.bucket, 'write');
  const upload = await namedUpload(door, exchange, bucket);
  if (upload.state !== 'open' && upload.state !== 'completed') throw new Fault('NoSuchUpload');
  const named = namedParts(readXml(await readWhole(exchange, false)));
  const declared = declaredWhole(exchange);
  requireSameChecksums(exchange, upload);
  const parts = chosenParts(named, await partsOf(door, upload), upload);
  const size = parts.reduce((sum, { bytes }) => sum + bytes, 0);
  requireSize(exchange, size);
  const etag = etagOf(parts);
  const checksum = checksumOf(upload, parts);
  requireWholeChecksum(declared, checksum);
  const { organizationId, _id: uploadId } = upload;
  const at = { organizationId, bucketId: bucket._id, key: upload.key };
  const complete = (seen: Parameters<Parameters<typeof writeIf>[3]>[0]): ReturnType<Parameters<typeof writeIf>[3]> =>
    afterOthers(() =>
      call(door.actions, 'storage.completeParts', {
        organizationId,
        uploadId,
        parts: parts.map(({ number, name, bytes, md5 }) => ({ number, name, bytes, md5 })),
        etag,
        partSizes: sizesOf(parts),
        ...(checksum === null ? {} : { checksum }),
        ...(seen === undefined ? {} : { seen }),
      }),
    );
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
