import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { mediaTypeForm } from '../../../models/media-type.ts';
import { refusalOf } from '../../../models/errors.ts';
import { objectKey, objectMetadata } from '../../../models/schemas/objects.ts';
import { maxKeyBytes } from '../../../models/storage-key.ts';
import type { ObjectHeaders, ObjectMetadata, ObjectTags, StoredObject } from '../../../models/storage-object.ts';
import { badArgument, Fault } from './faults.ts';
import { readTagHeader } from './tags.ts';

/** What an object is stored with besides its bytes. */
export interface Details {
  contentType: string;
  metadata: ObjectMetadata;
  headers?: ObjectHeaders;
}

const metadataPrefix = 'x-amz-meta-';
const defaultType = 'binary/octet-stream';
const maxTypeLength = 255;
const typeForm = new RegExp(mediaTypeForm.source, 'u');
const printable = /^[\x20-\x7e]*$/;
const token = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/;

/** Name of the header with the address that a website would send readers of an object to. */
const redirectHeader = 'x-amz-website-redirect-location';
const maxRedirectBytes = 2048;

const stored = [
  ['cache-control', 'Cache-Control', 'cacheControl'],
  ['content-disposition', 'Content-Disposition', 'contentDisposition'],
  ['content-encoding', 'Content-Encoding', 'contentEncoding'],
  ['content-language', 'Content-Language', 'contentLanguage'],
  ['expires', 'Expires', 'expires'],
  [redirectHeader, redirectHeader, 'redirectLocation'],
] as const satisfies readonly (readonly [string, string, keyof ObjectHeaders])[];

/** Type and subtype in lower case, as the engine has them. @throws Fault `InvalidRequest` */
export function readType(sent: string | undefined): string {
  if (sent === undefined || sent.trim() === '') return defaultType;
  const [essence = '', ...parameters] = sent.trim().split(';');
  const type = [essence.toLowerCase(), ...parameters].join(';').replace(/[\s;]+$/, '');
  if (type.length > maxTypeLength || !typeForm.test(type))
    throw new Fault('InvalidRequest', { message: 'Content-Type must be one media type.' });
  return type;
}

/** ACLs that have names, of buckets and of objects. */
const cannedAcls = {
  bucket: ['private', 'public-read', 'public-read-write', 'authenticated-read'],
  object: [
    'private',
    'public-read',
    'public-read-write',
    'authenticated-read',
    'aws-exec-read',
    'bucket-owner-read',
    'bucket-owner-full-control',
  ],
} as const satisfies { [of: string]: readonly string[] };

/** Refuses names that are none of an ACL. @throws Fault `InvalidArgument` */
export function requireCannedAcl(sent: string, of: keyof typeof cannedAcls): void {
  if (!cannedAcls[of].some((each) => each === sent)) throw badArgument('x-amz-acl', '', sent);
}

/** The ACLs that are the same as none: the owner has everything. */
const ownerAcls: ReadonlySet<string> = new Set(['private', 'bucket-owner-full-control']);

/** Storage classes that the protocol has and that are not offered. */
const otherStorageClasses: ReadonlySet<string> = new Set([
  'REDUCED_REDUNDANCY',
  'STANDARD_IA',
  'ONEZONE_IA',
  'INTELLIGENT_TIERING',
  'GLACIER',
  'DEEP_ARCHIVE',
  'OUTPOSTS',
  'GLACIER_IR',
  'SNOW',
  'EXPRESS_ONEZONE',
  'FSX_OPENZFS',
  'FSX_ONTAP',
]);

/** Refuses headers that would make something else of a request. @throws Fault `NotImplemented` */
function refuseHeaders({ headers }: Pick<IncomingMessage, 'headers'>, beginnings: readonly string[]): void {
  const unoffered = Object.keys(headers).find((name) => beginnings.some((beginning) => name.startsWith(beginning)));
  if (unoffered !== undefined) throw new Fault('NotImplemented', { elements: { Header: unoffered } });
}

/** Headers with the key that an object would be encrypted with: none is. @throws Fault `NotImplemented` */
export function refuseCustomerKey(request: Pick<IncomingMessage, 'headers'>): void {
  refuseHeaders(request, ['x-amz-server-side-encryption-customer-']);
}

/** Headers of writes that ask for what is not offered. @throws Fault */
export function refuseUnoffered({ headers }: Pick<IncomingMessage, 'headers'>): void {
  const acl = headers['x-amz-acl'];
  const names = Object.keys(headers);
  if (typeof acl === 'string') requireCannedAcl(acl, 'object');
  if ((typeof acl === 'string' && !ownerAcls.has(acl)) || names.some((name) => name.startsWith('x-amz-grant-')))
    throw new Fault('AccessControlListNotSupported');
  const redirect = headers[redirectHeader];
  if (typeof redirect === 'string') requireRedirect(redirect);
  const storageClass = headers['x-amz-storage-class'];
  if (storageClass !== undefined && storageClass !== 'STANDARD')
    throw new Fault(otherStorageClasses.has(String(storageClass)) ? 'NotImplemented' : 'InvalidStorageClass', {
      elements: { StorageClassRequested: String(storageClass) },
    });
  // What is written at an offset would replace the whole object.
  refuseHeaders({ headers }, ['x-amz-server-side-encryption', 'x-amz-object-lock-', 'x-amz-write-offset-bytes']);
}

/** The address that a website would send readers to, which S3 clients read back. @throws Fault `InvalidRedirectLocation` */
function requireRedirect(sent: string): void {
  if (!/^(?:\/|https?:\/\/)/.test(sent) || sent.length > maxRedirectBytes) throw new Fault('InvalidRedirectLocation');
}

/** The text of a header, whose bytes are UTF-8 where they are not ASCII. */
export function asText(value: string): string {
  if (!/^[\x00-\xff]*$/.test(value)) return value;
  const bytes = Buffer.from(value, 'latin1');
  return isUtf8(bytes) ? bytes.toString('utf8') : value;
}

/** A text as headers carry it: its bytes in UTF-8, a character each. `asText` reads it back. */
export function asHeader(text: string): string {
  return Buffer.from(text).toString('latin1');
}

/** The tags that a write names; nothing where it names none. @throws Fault */
export function readTags({ 'x-amz-tagging': sent }: IncomingMessage['headers']): { tags?: ObjectTags } {
  const tags = typeof sent === 'string' ? readTagHeader(sent) : [];
  return tags.length === 0 ? {} : { tags };
}

/** The headers of a request. Of metadata that is sent several times the values are joined by commas alone. */
export function sentHeaders({
  headers,
  headersDistinct,
}: Pick<IncomingMessage, 'headers' | 'headersDistinct'>): IncomingMessage['headers'] {
  const repeated = Object.entries(headersDistinct).flatMap(([name, values = []]) =>
    name.startsWith(metadataPrefix) && values.length > 1 ? [[name, values.join(',')] as const] : [],
  );
  return repeated.length === 0 ? headers : { ...headers, ...Object.fromEntries(repeated) };
}

/** Reads what an object is stored with. @param headers of a request, or fields of a form as headers carry them @throws Fault */
export function readDetails(headers: IncomingMessage['headers']): Details {
  const metadata: ObjectMetadata = {};
  for (const [name, value] of Object.entries(headers))
    if (name.startsWith(metadataPrefix) && name.length > metadataPrefix.length)
      metadata[name.slice(metadataPrefix.length)] = asText(Array.isArray(value) ? value.join(',') : (value ?? ''));
  try {
    objectMetadata.check(metadata);
  } catch (error) {
    if (refusalOf(error) !== null) throw new Fault('MetadataTooLarge');
    throw error;
  }
  const kept: ObjectHeaders = {};
  for (const [name, , field] of stored) {
    const sent = headers[name];
    // The framing of the body is no encoding of the object.
    const value =
      name === 'content-encoding' && typeof sent === 'string'
        ? sent
            .split(',')
            .map((coding) => coding.trim())
            .filter((coding) => coding !== '' && coding.toLowerCase() !== 'aws-chunked')
            .join(', ')
        : sent;
    if (typeof value !== 'string' || value === '') continue;
    // Fields of forms may have any characters. What no header can hold could not be answered to a read.
    if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) throw badArgument(name, `${name} has control characters.`);
    if (name === redirectHeader) requireRedirect(value);
    kept[field] = value;
  }
  return {
    contentType: readType(headers['content-type']),
    metadata,
    ...(Object.keys(kept).length === 0 ? {} : { headers: kept }),
  };
}

/** Headers of a read of an object, without those that depend on its range. */
export function detailHeaders({
  metadata,
  headers = {},
  contentType,
}: Pick<StoredObject, 'metadata' | 'headers' | 'contentType'>): { [name: string]: string } {
  const all: { [name: string]: string } = { 'Content-Type': contentType };
  for (const [, name, field] of stored) {
    const value = headers[field];
    if (value !== undefined) all[name] = value;
  }
  for (const [name, value] of Object.entries(metadata))
    if (typeof value === 'string' && token.test(name) && printable.test(value)) all[`${metadataPrefix}${name}`] = value;
  return all;
}

/** A key that objects may have. @throws Fault `KeyTooLongError`, `InvalidArgument` */
export function requireKey(key: string): string {
  if (Buffer.byteLength(key) > maxKeyBytes) throw new Fault('KeyTooLongError');
  try {
    return objectKey.check(key);
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal === null) throw error;
    throw badArgument('key', `The key ${error instanceof Error ? error.message : 'is not valid'}.`);
  }
}
