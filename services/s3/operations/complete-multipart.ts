import { createHash } from 'node:crypto';
import { call } from '../../../mixins/actions/call.ts';
import { xmlReply, type DoorReply } from '../../../mixins/storage/door-http.ts';
import { element } from '../../../mixins/storage/door-xml.ts';
import type { ObjectChecksum, PartSizes } from '../../../models/storage-object.ts';
import type { UploadPart } from '../../../models/upload.ts';
import { requireBucket, type Door, type S3Exchange } from '../door.ts';
import { checksumValue, readWhole } from '../payload/body.ts';
import { combined, newChecksum } from '../payload/checksums.ts';
import { Fault } from '../protocol/faults.ts';
import { childText, readXml, xmlDocument, type XmlNode } from '../protocol/xml.ts';
import { checksumElement } from './copy-object.ts';
import { checksumHeaders } from './get-object.ts';
import { algorithmOf, maxPartNumber, namedUpload, partsOf, type OpenParts } from './multipart.ts';
import { writeIf } from './put-object.ts';

/** Fewest bytes of a part that is not the last. */
const minPartBytes = 5 * 2 ** 20;
/** Most bytes of the checksums of all parts together that an object keeps. */
const maxPartsChecksumBytes = 4096;

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

/** The request that completes an upload must go on with its checksums. @throws Fault `InvalidRequest` */
function requireSameChecksums({ request }: S3Exchange, { parts: { checksum } }: OpenParts): void {
  const sent = request.headers['x-amz-checksum-type'];
  if (sent !== undefined && sent !== 'FULL_OBJECT' && sent !== 'COMPOSITE')
    throw new Fault('InvalidRequest', { message: 'Value for x-amz-checksum-type header is invalid.' });
  if (checksum !== undefined && sent !== undefined && sent !== checksum.type)
    throw new Fault('InvalidRequest', {
      message: `The upload was created using the ${checksum.type} checksum mode. The complete request must use the same checksum mode.`,
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
  const all = Buffer.concat(known.map(({ value }) => value));
  const ofParts = all.length > maxPartsChecksumBytes ? {} : { parts: all.toString('base64') };
  if (type === 'FULL_OBJECT')
    return { algorithm, type, value: combined(algorithm, known).toString('base64'), ...ofParts };
  const running = newChecksum(algorithm);
  running.update(all);
  return { algorithm, type, value: `${running.digest().toString('base64')}-${parts.length}`, ...ofParts };
}

/** CompleteMultipartUpload: repeated, it answers the same. @throws Fault, Refusal */
export async function completeMultipart(door: Door, exchange: S3Exchange): Promise<DoorReply> {
  const { address, request } = exchange;
  const bucket = await requireBucket(door, exchange, address.bucket, 'write');
  const upload = await namedUpload(door, exchange, bucket);
  if (upload.state !== 'open' && upload.state !== 'completed') throw new Fault('NoSuchUpload');
  const named = namedParts(readXml(await readWhole(exchange, false)));
  requireSameChecksums(exchange, upload);
  const parts = chosenParts(named, await partsOf(door, upload), upload);
  const size = parts.reduce((sum, { bytes }) => sum + bytes, 0);
  const declared = request.headers['x-amz-mp-object-size'];
  if (typeof declared === 'string' && declared.startsWith('-'))
    throw new Fault('InvalidRequest', {
      message: `Value for x-amz-mp-object-size header is less than zero: '${declared}'`,
    });
  if (declared !== undefined && declared !== String(size))
    throw new Fault('InvalidRequest', {
      message: `The provided 'x-amz-mp-object-size' header value ${String(declared)} does not match what was computed: ${size}`,
    });
  const etag = etagOf(parts);
  const checksum = checksumOf(upload, parts);
  const algorithm = algorithmOf(upload);
  const sent = algorithm === null ? undefined : request.headers[`x-amz-checksum-${algorithm.toLowerCase()}`];
  if (typeof sent === 'string' && algorithm !== null) checksumValue(algorithm, sent.replace(/-\d+$/, ''));
  if (sent !== undefined && checksum !== null && sent !== checksum.value)
    throw new Fault('BadDigest', {
      message: `The ${checksum.algorithm} you specified did not match the calculated checksum.`,
    });
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
