import { createHash } from 'node:crypto';
import { xmlReply, type DoorReply } from '../../../mixins/storage/door-http.ts';
import { buckets, type Bucket } from '../../../models/bucket.ts';
import { scopeOf } from '../../../models/scope.ts';
import { reaches } from '../../../models/storage-credential.ts';
import { requireContainer } from '../auth/authorize.ts';
import type { BlobExchange, Door } from '../door.ts';
import { badParameter } from '../protocol/faults.ts';
import { httpTime, metadataElement, metadataHeaders } from '../protocol/properties.ts';
import { element } from '../../../mixins/storage/door-xml.ts';
import { xmlDocument } from '../protocol/xml.ts';
import { readMarker, readMaxResults, serviceEndpoint, writeMarker } from './list-blobs.ts';

/** Containers of a page, and buckets that are read at a time. */
const maxContainers = 5000;
const includes = new Set(['metadata', 'deleted', 'system']);

/** The entity tag of a container, without quotes. */
function etagOf({ _id, updatedAt }: Bucket): string {
  return `0x8D${createHash('sha256').update(`${_id} ${updatedAt}`).digest('hex').slice(0, 13).toUpperCase()}`;
}

/** Lists the active buckets that a key reaches, by name. @throws Fault */
export async function listContainers({ app }: Door, exchange: BlobExchange): Promise<DoorReply> {
  const { access, address } = exchange;
  const { query } = address;
  const included = (query.get('include') ?? '').toLowerCase().split(',');
  for (const word of included) if (word !== '' && !includes.has(word)) throw badParameter('include', word);
  const withMetadata = included.includes('metadata');
  const prefix = query.get('prefix') ?? '';
  const after = readMarker(query);
  const limit = readMaxResults(query, maxContainers);
  const { credential, account } = access;
  const found = await app.records.collection(buckets, scopeOf(account.organizationId)).find({
    filter: { listedAt: { $exists: true }, state: 'active' },
    sort: [
      ['listedAt', 1],
      ['_id', 1],
    ],
    limit: maxContainers,
  });
  const own = found
    .filter(({ _id, name }) => reaches(credential, _id) && name.startsWith(prefix) && name > after)
    .sort((one, other) => (one.name < other.name ? -1 : 1));
  const page = own.slice(0, limit);
  const last = page.at(-1);
  const next = last !== undefined && own.length > page.length ? writeMarker(last.name) : '';
  const given = (name: string, parameter: string): string => element(name, query.get(parameter));
  return xmlReply(
    xmlDocument(
      `<EnumerationResults ServiceEndpoint="${serviceEndpoint(exchange)}">${given('Prefix', 'prefix')}${given('Marker', 'marker')}${given('MaxResults', 'maxresults')}<Containers>${page.map((each) => containerElement(each, withMetadata)).join('')}</Containers>${next === '' ? '<NextMarker />' : element('NextMarker', next)}</EnumerationResults>`,
    ),
  );
}

function containerElement(bucket: Bucket, withMetadata: boolean): string {
  const properties = [
    element('Last-Modified', httpTime(bucket.updatedAt)),
    element('Etag', `"${etagOf(bucket)}"`),
    element('LeaseStatus', 'unlocked'),
    element('LeaseState', 'available'),
    element('DefaultEncryptionScope', '$account-encryption-key'),
    element('DenyEncryptionScopeOverride', false),
    element('HasImmutabilityPolicy', false),
    element('HasLegalHold', false),
  ].join('');
  const metadata = withMetadata ? metadataElement(bucket.containerMetadata ?? {}) : '';
  return `<Container>${element('Name', bucket.name)}<Properties>${properties}</Properties>${metadata}</Container>`;
}

/** Headers that identify the version of a container. */
export function containerHeaders(bucket: Bucket): { [name: string]: string } {
  return { ETag: `"${etagOf(bucket)}"`, 'Last-Modified': httpTime(bucket.updatedAt) };
}

/** Answers what is known of a container. @throws Fault */
export function getContainerProperties(exchange: BlobExchange): DoorReply {
  return {
    status: 200,
    headers: {
      ...metadataOfContainer(exchange),
      'x-ms-lease-status': 'unlocked',
      'x-ms-lease-state': 'available',
      'x-ms-has-immutability-policy': 'false',
      'x-ms-has-legal-hold': 'false',
    },
  };
}

/** Answers the metadata of a container. @throws Fault */
export function getContainerMetadata(exchange: BlobExchange): DoorReply {
  return { status: 200, headers: metadataOfContainer(exchange) };
}

/** Version and metadata of the container that a request names. @throws Fault */
function metadataOfContainer(exchange: BlobExchange): { [name: string]: string } {
  const bucket = requireContainer(exchange, 'read', true);
  return { ...containerHeaders(bucket), ...metadataHeaders({ metadata: bucket.containerMetadata ?? {} }) };
}

/** Answers that a container is private and has no stored access policies. @throws Fault */
export function getContainerAcl(exchange: BlobExchange): DoorReply {
  const bucket = requireContainer(exchange, 'read', true);
  return xmlReply(xmlDocument('<SignedIdentifiers />'), containerHeaders(bucket));
}
