import { listKeys } from '../../../mixins/storage/key-listing.ts';
import { xmlReply, type DoorReply } from '../../../mixins/storage/door-http.ts';
import { requireContainer } from '../auth/authorize.ts';
import type { BlobExchange, Door } from '../door.ts';
import { badParameter, Fault } from '../protocol/faults.ts';
import type { Query } from '../protocol/address.ts';
import { blobElement, nameElement } from '../protocol/properties.ts';
import { element, escapeXml } from '../../../mixins/storage/door-xml.ts';
import { defaultType } from '../protocol/sent.ts';
import { xmlDocument } from '../protocol/xml.ts';
import { lineKey, withUncommitted, type BlobLine } from './uncommitted.ts';

const maxResults = 5000;
/** Lines of a page with metadata, which may be large. */
const maxWithMetadata = 1000;
const includes = new Set([
  ...['snapshots', 'metadata', 'uncommittedblobs', 'copy', 'deleted', 'tags', 'versions', 'deletedwithversions'],
  ...['immutabilitypolicy', 'legalhold', 'permissions'],
]);

/** Number of lines that a request asks for. @throws Fault */
export function readMaxResults(query: Query, ceiling: number): number {
  const sent = query.get('maxresults');
  if (sent === null) return ceiling;
  if (!/^\d{1,9}$/.test(sent)) throw badParameter('maxresults', sent);
  if (Number(sent) < 1) throw badParameter('maxresults', sent);
  return Math.min(Number(sent), ceiling);
}

/** A marker: what the next page begins behind, in characters that no XML parser changes. */
export function writeMarker(after: string): string {
  return encodeURIComponent(after).replaceAll('%2F', '/');
}

/** @throws Fault for what is no marker */
export function readMarker(query: Query): string {
  const sent = query.get('marker') ?? '';
  try {
    return decodeURIComponent(sent);
  } catch {
    throw badParameter('marker', sent);
  }
}

/** The base address of an account, as attributes of listings have it. */
export function serviceEndpoint({ request, address, origin }: BlobExchange): string {
  const isInPath = address.path.startsWith(`/${address.account}`);
  const scheme = origin.isSecure ? 'https' : 'http';
  return `${scheme}://${escapeXml(request.headers.host ?? '')}/${isInPath ? `${address.account}/` : ''}`;
}

function lineElement(line: BlobLine, withMetadata: boolean): string {
  if ('object' in line) return blobElement(line.object, withMetadata);
  if ('prefix' in line) return `<BlobPrefix>${nameElement(line.prefix)}</BlobPrefix>`;
  const { key, contentId, createdAt } = line.waiting;
  const content = { id: contentId, form: '' };
  const empty = { etag: '', size: 0, contentType: defaultType, metadata: {} };
  return blobElement({ ...empty, key, content, createdAt, updatedAt: createdAt }, withMetadata);
}

/** Lists the blobs of a container. @throws Fault */
export async function listBlobs(door: Door, exchange: BlobExchange): Promise<DoorReply> {
  const { query } = exchange.address;
  const included = new Set(
    (query.get('include') ?? '')
      .toLowerCase()
      .split(',')
      .filter((word) => word !== ''),
  );
  for (const word of included) if (!includes.has(word)) throw badParameter('include', word);
  const withMetadata = included.has('metadata');
  const limit = readMaxResults(query, withMetadata ? maxWithMetadata : maxResults);
  const prefix = query.get('prefix') ?? '';
  const delimiter = query.get('delimiter') ?? '';
  const after = readMarker(query);
  if (!prefix.isWellFormed() || !delimiter.isWellFormed()) throw new Fault('InvalidInput');
  const bucket = requireContainer(exchange, 'read', true);
  const { organizationId, _id: bucketId } = bucket;
  const wanted = { organizationId, bucketId, prefix, delimiter, after, limit };
  const stored = await listKeys(door.app, wanted);
  const { listed, isTruncated } = included.has('uncommittedblobs')
    ? await withUncommitted(door, wanted, stored)
    : stored;
  const last = listed.at(-1);
  const next = last === undefined || !isTruncated ? '' : writeMarker(lineKey(last));
  const given = (name: string, parameter: string): string => element(name, query.get(parameter));
  const attributes = `ServiceEndpoint="${serviceEndpoint(exchange)}" ContainerName="${bucket.name}"`;
  return xmlReply(
    xmlDocument(
      `<EnumerationResults ${attributes}>${given('Prefix', 'prefix')}${given('Marker', 'marker')}${given('MaxResults', 'maxresults')}${given('Delimiter', 'delimiter')}<Blobs>${listed.map((line) => lineElement(line, withMetadata)).join('')}</Blobs>${next === '' ? '<NextMarker />' : element('NextMarker', next)}</EnumerationResults>`,
    ),
  );
}
