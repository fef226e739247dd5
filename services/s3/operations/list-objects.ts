import { listKeys, type Listed } from '../../../mixins/storage/key-listing.ts';
import { listKeyOf } from '../../../models/storage-key.ts';
import type { StoredObject } from '../../../models/storage-object.ts';
import { xmlReply, type DoorReply } from '../../../mixins/storage/door-http.ts';
import { requireBucket, type Door, type S3Exchange } from '../door.ts';
import { parameter, type S3Address } from '../protocol/address.ts';
import { badArgument } from '../protocol/faults.ts';
import { element } from '../../../mixins/storage/door-xml.ts';
import { xmlDocument } from '../protocol/xml.ts';
import { ownerElement } from './buckets.ts';

const maxKeys = 1000;

/** What all lists take. */
export interface ListQuery {
  prefix: string;
  delimiter: string;
  limit: number;
  /** Writes keys and prefixes as the client asked for. */
  encode: (text: string) => string;
  encoding: string | null;
}

/** A whole number of the query. @throws Fault `InvalidArgument` */
export function numberOf(address: S3Address, name: string, most: number): number {
  const sent = parameter(address, name);
  if (sent === null || sent === '') return most;
  if (!/^\d{1,10}$/.test(sent) || Number(sent) > 2_147_483_647)
    throw badArgument(
      name,
      /^-\d+$/.test(sent)
        ? `Argument ${sent} must be an integer between 0 and 2147483647`
        : `Provided ${sent} not an integer or within integer range`,
      sent,
    );
  return Math.min(Number(sent), most);
}

/** Encodes a key as lists do, with its slashes. */
export function encodeForList(text: string): string {
  return encodeURIComponent(text)
    .replace(/%2F/g, '/')
    .replace(/[!'()]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** Reads what all lists take. @param limitName of the parameter with the number of lines @throws Fault */
export function readListQuery(address: S3Address, limitName: string): ListQuery {
  const encoding = parameter(address, 'encoding-type');
  if (encoding !== null && encoding.toLowerCase() !== 'url')
    throw badArgument('encoding-type', 'Invalid Encoding Method specified in Request');
  return {
    prefix: parameter(address, 'prefix') ?? '',
    delimiter: parameter(address, 'delimiter') ?? '',
    limit: numberOf(address, limitName, maxKeys),
    encode: encoding === null ? (text) => text : encodeForList,
    encoding,
  };
}

/** An object as a line of a list. */
function contents(object: StoredObject, encode: ListQuery['encode'], owner: string): string {
  const { key, updatedAt, etag, size, checksum } = object;
  return [
    '<Contents>',
    element('Key', encode(key)),
    element('LastModified', new Date(updatedAt).toISOString()),
    element('ETag', etag),
    element('ChecksumAlgorithm', checksum?.algorithm),
    element('ChecksumType', checksum?.type),
    element('Size', size),
    owner,
    element('StorageClass', 'STANDARD'),
    '</Contents>',
  ].join('');
}

/** The prefixes of a list. */
export function commonPrefixes(listed: readonly Listed[], encode: ListQuery['encode']): string {
  return listed
    .map((line) =>
      'prefix' in line ? `<CommonPrefixes>${element('Prefix', encode(line.prefix))}</CommonPrefixes>` : '',
    )
    .join('');
}

/** The last line of a list: a key, or a prefix. */
export function lastOf(listed: readonly Listed[]): string {
  const last = listed.at(-1);
  return last === undefined ? '' : 'prefix' in last ? last.prefix : last.object.key;
}

/** A place behind which a list goes on: what is at it, and whether keys that begin with a prefix are all behind. */
function isBehind(key: string, after: string): boolean {
  return after === '' || listKeyOf(key) > listKeyOf(after);
}

async function listed(
  door: Door,
  exchange: S3Exchange,
  query: ListQuery,
  after: string,
): Promise<{ listed: Listed[]; isTruncated: boolean }> {
  const { _id: bucketId, organizationId } = await requireBucket(door, exchange, exchange.address.bucket, 'read');
  if (query.limit === 0) return { listed: [], isTruncated: false };
  const { prefix, delimiter, limit } = query;
  const found = await listKeys(door.app, { organizationId, bucketId, prefix, delimiter, after, limit });
  return { ...found, listed: found.listed.filter((line) => !('object' in line) || isBehind(line.object.key, after)) };
}

/** ListObjects, the first version. @throws Fault */
export async function listObjects(door: Door, exchange: S3Exchange): Promise<DoorReply> {
  const { address } = exchange;
  const query = readListQuery(address, 'max-keys');
  const marker = parameter(address, 'marker') ?? '';
  const found = await listed(door, exchange, query, marker);
  const { encode } = query;
  const owner = ownerElement(exchange);
  return xmlReply(
    xmlDocument(
      'ListBucketResult',
      [
        element('Name', address.bucket),
        element('Prefix', encode(query.prefix)),
        element('Marker', encode(marker)),
        element('MaxKeys', query.limit),
        query.delimiter === '' ? '' : element('Delimiter', encode(query.delimiter)),
        element('EncodingType', query.encoding),
        element('IsTruncated', found.isTruncated),
        found.isTruncated && query.delimiter !== '' ? element('NextMarker', encode(lastOf(found.listed))) : '',
        ...found.listed.map((line) => ('object' in line ? contents(line.object, encode, owner) : '')),
        commonPrefixes(found.listed, encode),
      ].join(''),
    ),
  );
}

const tokenVersion = 'k';

function tokenOf(key: string): string {
  return Buffer.from(`${tokenVersion}${key}`).toString('base64url');
}

function readToken(token: string): string {
  const text = Buffer.from(token, 'base64url').toString('utf8');
  const key = text.slice(tokenVersion.length);
  if (tokenOf(key) !== token || !text.startsWith(tokenVersion))
    throw badArgument('continuation-token', 'The continuation token provided is incorrect');
  return key;
}

/** ListObjectsV2. @throws Fault */
export async function listObjectsV2(door: Door, exchange: S3Exchange): Promise<DoorReply> {
  const { address } = exchange;
  const query = readListQuery(address, 'max-keys');
  const token = parameter(address, 'continuation-token');
  const startAfter = parameter(address, 'start-after');
  const isFirst = token === null || token === '';
  const found = await listed(door, exchange, query, isFirst ? (startAfter ?? '') : readToken(token));
  const { encode } = query;
  const owner = parameter(address, 'fetch-owner') === 'true' ? ownerElement(exchange) : '';
  return xmlReply(
    xmlDocument(
      'ListBucketResult',
      [
        element('Name', address.bucket),
        element('Prefix', encode(query.prefix)),
        element('StartAfter', startAfter === null ? null : encode(startAfter)),
        element('ContinuationToken', token),
        element('KeyCount', found.listed.length),
        element('MaxKeys', query.limit),
        query.delimiter === '' ? '' : element('Delimiter', encode(query.delimiter)),
        element('EncodingType', query.encoding),
        element('IsTruncated', found.isTruncated),
        found.isTruncated ? element('NextContinuationToken', tokenOf(lastOf(found.listed))) : '',
        ...found.listed.map((line) => ('object' in line ? contents(line.object, encode, owner) : '')),
        commonPrefixes(found.listed, encode),
      ].join(''),
    ),
  );
}

/** ListObjectVersions: each object is its only version, whose id is `null`. @throws Fault */
export async function listVersions(door: Door, exchange: S3Exchange): Promise<DoorReply> {
  const { address } = exchange;
  const query = readListQuery(address, 'max-keys');
  const marker = parameter(address, 'key-marker') ?? '';
  const found = await listed(door, exchange, query, marker);
  const { encode } = query;
  const owner = ownerElement(exchange);
  const version = ({ key, updatedAt, etag, size }: StoredObject): string =>
    [
      '<Version>',
      element('Key', encode(key)),
      element('VersionId', 'null'),
      element('IsLatest', true),
      element('LastModified', new Date(updatedAt).toISOString()),
      element('ETag', etag),
      element('Size', size),
      owner,
      element('StorageClass', 'STANDARD'),
      '</Version>',
    ].join('');
  return xmlReply(
    xmlDocument(
      'ListVersionsResult',
      [
        element('Name', address.bucket),
        element('Prefix', encode(query.prefix)),
        element('KeyMarker', encode(marker)),
        element('VersionIdMarker', parameter(address, 'version-id-marker') ?? ''),
        element('MaxKeys', query.limit),
        query.delimiter === '' ? '' : element('Delimiter', encode(query.delimiter)),
        element('EncodingType', query.encoding),
        element('IsTruncated', found.isTruncated),
        found.isTruncated
          ? element('NextKeyMarker', encode(lastOf(found.listed))) + element('NextVersionIdMarker', 'null')
          : '',
        ...found.listed.map((line) => ('object' in line ? version(line.object) : '')),
        commonPrefixes(found.listed, encode),
      ].join(''),
    ),
  );
}
