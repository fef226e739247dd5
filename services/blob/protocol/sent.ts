import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { keyFault, keyForm } from '../../../models/storage-key.ts';
import { mediaTypeForm } from '../../../models/media-type.ts';
import type { ObjectHeaders, ObjectMetadata } from '../../../models/storage-object.ts';
import { badHeader, Fault } from './faults.ts';

/*
 * What clients send of a blob besides its bytes.
 */

const keyPattern = new RegExp(keyForm.source, 'u');

/** The name of a blob that may be written. @throws Fault `InvalidResourceName` */
export function writableKey(key: string | null): string {
  if (key === null || !key.isWellFormed() || !keyPattern.test(key) || keyFault(key) !== null)
    throw new Fault('InvalidResourceName');
  return key;
}

const maxMetadataKeys = 64;
const maxMetadataBytes = 8192;
const metadataPrefix = 'x-ms-meta-';
/** Names of metadata are identifiers of C#, in ASCII as headers are. */
const identifier = /^[A-Za-z_][A-Za-z0-9_]*$/;
const printable = /^[\x20-\x7e]*$/;

/** The metadata of a request, names in lower case. @throws Fault */
export function sentMetadata(headers: IncomingHttpHeaders): ObjectMetadata {
  const metadata: ObjectMetadata = {};
  for (const [header, sent] of Object.entries(headers)) {
    if (!header.startsWith(metadataPrefix)) continue;
    const name = header.slice(metadataPrefix.length);
    const value = [sent ?? ''].flat().join(',');
    if (name === '') throw new Fault('EmptyMetadataKey');
    if (name === '__proto__' || !identifier.test(name) || !printable.test(value)) throw new Fault('InvalidMetadata');
    metadata[name] = value;
  }
  const isTooLarge = Buffer.byteLength(JSON.stringify(metadata)) > maxMetadataBytes;
  if (isTooLarge || Object.keys(metadata).length > maxMetadataKeys) throw new Fault('MetadataTooLarge');
  return metadata;
}

/** Whether a request sends metadata. */
export function hasMetadata(headers: IncomingHttpHeaders): boolean {
  return Object.keys(headers).some((name) => name.startsWith(metadataPrefix));
}

function textOf(headers: IncomingHttpHeaders, ...names: string[]): string | undefined {
  for (const name of names) {
    const value = headers[name];
    if (typeof value !== 'string' || value === '') continue;
    if (!printable.test(value)) throw badHeader(name, '');
    return value;
  }
  return undefined;
}

const typePattern = new RegExp(mediaTypeForm.source);
/** The type of a blob that was sent without one. */
export const defaultType = 'application/octet-stream';
const maxTypeLength = 500;

/** A media type, with type and subtype in lower case. @throws Fault `InvalidHeaderValue` */
export function sentType(headers: IncomingHttpHeaders, ...names: string[]): string {
  const sent = textOf(headers, ...names) ?? defaultType;
  const type = sent.trim().replace(/^[^;]*/, (essence) => essence.toLowerCase());
  if (type.length > maxTypeLength || !typePattern.test(type))
    throw new Fault('InvalidHeaderValue', {
      message: 'A content type is one media type, such as text/plain.',
      elements: { HeaderName: names[0] ?? '', HeaderValue: sent.slice(0, 256) },
    });
  return type;
}

/** Headers that a blob is to be read with. @param isWhole whether the standard headers count where the others are absent */
export function sentHeaders(headers: IncomingHttpHeaders, isWhole: boolean): ObjectHeaders | undefined {
  const of = (name: string): string | undefined =>
    textOf(headers, `x-ms-blob-${name}`, ...(isWhole && name !== 'content-disposition' ? [name] : []));
  const named: [keyof ObjectHeaders, string | undefined][] = [
    ['cacheControl', of('cache-control')],
    ['contentDisposition', of('content-disposition')],
    ['contentEncoding', of('content-encoding')],
    ['contentLanguage', of('content-language')],
  ];
  const given = named.filter(([, value]) => value !== undefined);
  return given.length === 0 ? undefined : Object.fromEntries(given);
}

/** An MD5 of a header, base64; null if it is absent. @throws Fault `InvalidMd5` */
export function sentMd5(headers: IncomingHttpHeaders, name: string): string | null {
  const sent = headers[name];
  if (sent === undefined || sent === '') return null;
  if (typeof sent !== 'string' || !/^[A-Za-z0-9+/]{21}[AQgw]==$/.test(sent)) throw new Fault('InvalidMd5');
  return sent;
}

/** Headers of the checksums of what a block or blob is written from. */
const checksumHeaders = {
  body: { crc64: 'x-ms-content-crc64', md5: 'content-md5' },
  source: { crc64: 'x-ms-source-content-crc64', md5: 'x-ms-source-content-md5' },
} as const;

/** The CRC64 of the body, or of a source, that a request declares, base64; null if it declares none. @throws Fault */
export function sentCrc64(headers: IncomingHttpHeaders, of: 'body' | 'source'): string | null {
  const { crc64: name, md5 } = checksumHeaders[of];
  const sent = headers[name];
  if (sent === undefined || sent === '') return null;
  if (typeof sent !== 'string' || !/^[A-Za-z0-9+/]{10}[AEIMQUYcgkosw048]=$/.test(sent))
    throw badHeader(name, String(sent));
  if (headers[md5] !== undefined) throw new Fault('BothCrc64AndMd5HeaderPresent');
  return sent;
}

/** Length of a body. @throws Fault `MissingContentLengthHeader`, `RequestBodyTooLarge` */
export function sentLength({ headers }: Pick<IncomingMessage, 'headers'>, most: number): number {
  const length = headers['content-length'];
  if (length === undefined || headers['transfer-encoding'] !== undefined) throw new Fault('MissingContentLengthHeader');
  const bytes = Number(length);
  if (!(bytes <= most)) throw new Fault('RequestBodyTooLarge', { elements: { MaxLimit: String(most) } });
  return bytes;
}
