import type { PartSizes, StoredObject } from '../../../models/storage-object.ts';
import { xmlReply, type DoorReply } from '../../../mixins/storage/door-http.ts';
import { requireBucket, type Door, type S3Exchange } from '../door.ts';
import { badArgument, Fault, type FaultCode } from '../protocol/faults.ts';
import { element } from '../../../mixins/storage/door-xml.ts';
import { xmlDocument } from '../protocol/xml.ts';
import { checksumElement } from './copy-object.ts';
import { countOf, partChecksum, readable, versionHeaders } from './get-object.ts';

type Operation = (door: Door, exchange: S3Exchange) => Promise<DoorReply>;

/** A read of a bucket that always answers the same document. */
export function fixed(root: string, content = ''): Operation {
  return async (door, exchange) => {
    await requireBucket(door, exchange, exchange.address.bucket, 'reach');
    return xmlReply(xmlDocument(root, content));
  };
}

/** A read of something that buckets do not have here. */
export function absent(code: FaultCode): Operation {
  return async (door, exchange) => {
    await requireBucket(door, exchange, exchange.address.bucket, 'reach');
    throw new Fault(code);
  };
}

/** GetBucketPolicyStatus: there are no policies, and nobody reads here without a signature. @throws Fault */
export const getPolicyStatus = fixed('PolicyStatus', '<IsPublic>false</IsPublic>');

const maxParts = 1000;

function partElement(object: StoredObject, number: number, bytes: number): string {
  const checksum = element(`Checksum${object.checksum?.algorithm ?? ''}`, partChecksum(object, number));
  return `<Part>${element('PartNumber', number)}${element('Size', bytes)}${checksum}</Part>`;
}

/** A page of the parts of an object. */
function partsElement(object: StoredObject, sizes: PartSizes, limit: number, marker: number): string {
  const count = countOf(sizes);
  const lines: string[] = [];
  let number = 0;
  for (const [times, bytes] of sizes) {
    // Whole runs of parts that are not shown are skipped.
    const first = Math.max(0, marker - number);
    for (let at = first; at < times && lines.length < limit; at += 1)
      lines.push(partElement(object, number + at + 1, bytes));
    number += times;
  }
  const last = Math.min(count, marker + lines.length);
  return [
    '<ObjectParts>',
    element('PartsCount', count),
    element('PartNumberMarker', marker),
    element('NextPartNumberMarker', last),
    element('MaxParts', limit),
    element('IsTruncated', last < count),
    ...lines,
    '</ObjectParts>',
  ].join('');
}

const attributes = ['ETag', 'Checksum', 'ObjectParts', 'StorageClass', 'ObjectSize'] as const;

/** GetObjectAttributes. @throws Fault */
export async function getObjectAttributes(door: Door, exchange: S3Exchange): Promise<DoorReply> {
  const wanted = String(exchange.request.headers['x-amz-object-attributes'] ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  await requireBucket(door, exchange, exchange.address.bucket, 'read');
  if (wanted.length === 0)
    throw new Fault('InvalidRequest', {
      message:
        'The x-amz-object-attributes header specifying the attributes to be retrieved is either missing or empty',
    });
  const unknown = wanted.find((name) => !attributes.some((each) => each === name));
  if (unknown !== undefined) throw badArgument('x-amz-object-attributes', 'Invalid attribute name specified.', unknown);
  const { object } = await readable(door, exchange);
  const { etag, size, partSizes } = object;
  const limit = Number(exchange.request.headers['x-amz-max-parts'] ?? maxParts);
  const marker = Number(exchange.request.headers['x-amz-part-number-marker'] ?? 0);
  const shown: { readonly [A in (typeof attributes)[number]]: string } = {
    ETag: element('ETag', etag.replaceAll('"', '')),
    Checksum: object.checksum === undefined ? '' : `<Checksum>${checksumElement(object)}</Checksum>`,
    ObjectParts: partSizes === undefined ? '' : partsElement(object, partSizes, Math.min(maxParts, limit), marker),
    StorageClass: element('StorageClass', 'STANDARD'),
    ObjectSize: element('ObjectSize', size),
  };
  const body = attributes.map((name) => (wanted.includes(name) ? shown[name] : '')).join('');
  const { 'Last-Modified': modified = '' } = versionHeaders(object);
  return xmlReply(xmlDocument('GetObjectAttributesResponse', body), { 'Last-Modified': modified });
}
