import { createHash } from 'node:crypto';
import type { StoredObject } from '../../../models/storage-object.ts';
import { escapeXml, element } from '../../../mixins/storage/door-xml.ts';

/** An object as the protocol shows it. */
type Shown = Pick<
  StoredObject,
  'content' | 'etag' | 'size' | 'contentType' | 'metadata' | 'createdAt' | 'updatedAt' | 'key' | 'headers' | 'checksum'
>;

/** The entity tag of an object, without quotes: another one with each write, also of its metadata. */
export function etagOf({ content, updatedAt }: Pick<Shown, 'content' | 'updatedAt'>): string {
  const digest = createHash('sha256').update(`${content.id} ${content.form} ${updatedAt}`).digest('hex');
  return `0x8D${digest.slice(0, 13).toUpperCase()}`;
}

/** Names the MD5 that a client declared for a blob. */
export const md5Algorithm = 'MD5';
const md5Etag = /^"([0-9a-f]{32})"$/;

/** The MD5 of an object, base64; null where it is not known. An object of one part has it as its etag. */
export function md5Of({ etag, checksum }: Pick<Shown, 'etag' | 'checksum'>): string | null {
  if (checksum?.algorithm === md5Algorithm) return checksum.value;
  const hex = md5Etag.exec(etag)?.[1];
  return hex === undefined ? null : Buffer.from(hex, 'hex').toString('base64');
}

/** A time as headers have it. */
export function httpTime(milliseconds: number): string {
  return new Date(milliseconds).toUTCString();
}

const tokenForm = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/;
const printable = /^[\x20-\x7e]*$/;

/** The metadata that headers can hold: texts of printable ASCII under names that are tokens. */
export function metadataOf({ metadata }: Pick<Shown, 'metadata'>): [name: string, value: string][] {
  return Object.entries(metadata).filter(
    (entry): entry is [string, string] =>
      typeof entry[1] === 'string' && tokenForm.test(entry[0]) && printable.test(entry[1]),
  );
}

/** Headers that identify the version of an object. */
export function versionHeaders(object: Pick<Shown, 'content' | 'updatedAt'>): { [name: string]: string } {
  return { ETag: `"${etagOf(object)}"`, 'Last-Modified': httpTime(object.updatedAt) };
}

/** Headers of an object's metadata. */
export function metadataHeaders(object: Pick<Shown, 'metadata'>): { [name: string]: string } {
  return Object.fromEntries(metadataOf(object).map(([name, value]) => [`x-ms-meta-${name}`, value]));
}

/** Headers that an object was stored with. */
function storedHeaders({ headers = {} }: Pick<Shown, 'headers'>): { [name: string]: string } {
  const named: [string, string | undefined][] = [
    ['Cache-Control', headers.cacheControl],
    ['Content-Disposition', headers.contentDisposition],
    ['Content-Encoding', headers.contentEncoding],
    ['Content-Language', headers.contentLanguage],
  ];
  return Object.fromEntries(named.filter((entry): entry is [string, string] => entry[1] !== undefined));
}

/** Headers of a read of an object, without those that depend on its range. */
export function blobHeaders(object: Shown): { [name: string]: string } {
  return {
    ...versionHeaders(object),
    ...metadataHeaders(object),
    ...storedHeaders(object),
    'Accept-Ranges': 'bytes',
    'x-ms-creation-time': httpTime(object.createdAt),
    'x-ms-blob-type': 'BlockBlob',
    'x-ms-lease-state': 'available',
    'x-ms-lease-status': 'unlocked',
    'x-ms-server-encrypted': 'false',
  };
}

/** Characters that XML 1.0 cannot hold. */
const noXml = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/;

/** The name of a blob as listings write it. */
export function nameElement(key: string): string {
  return noXml.test(key) ? `<Name Encoded="true">${escapeXml(encodeURIComponent(key))}</Name>` : element('Name', key);
}

/** Metadata as listings write it. */
export function metadataElement(metadata: Shown['metadata']): string {
  const elements = metadataOf({ metadata }).map(([name, value]) => element(name, value));
  return `<Metadata>${elements.join('')}</Metadata>`;
}

/** An object as a line of a listing. */
export function blobElement(object: Shown, withMetadata: boolean): string {
  const properties = [
    element('Creation-Time', httpTime(object.createdAt)),
    element('Last-Modified', httpTime(object.updatedAt)),
    element('Etag', etagOf(object)),
    element('Content-Length', object.size),
    element('Content-Type', object.contentType),
    ...Object.entries(storedHeaders(object)).map(([name, value]) => element(name, value)),
    element('Content-MD5', md5Of(object)),
    element('BlobType', 'BlockBlob'),
    element('AccessTier', 'Hot'),
    element('AccessTierInferred', true),
    element('LeaseStatus', 'unlocked'),
    element('LeaseState', 'available'),
    element('ServerEncrypted', false),
  ].join('');
  const metadata = withMetadata ? metadataElement(object.metadata) : '';
  return `<Blob>${nameElement(object.key)}<Properties>${properties}</Properties>${metadata}</Blob>`;
}
