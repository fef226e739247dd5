import { kindOf } from '../../models/formats.ts';
import { textFault } from '../../models/schemas/values.ts';
import { SourceError, type SourceEntry, type SourceGap, type SourcePage } from './port.ts';

/** Puts texts in ascending order of their UTF-8 bytes (JavaScript's own order is that of UTF-16 units). */
export function compareBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

/**
 * Whether a listed file can be registered: its texts keep to the lengths of a registration (document 1, "Limits"). One
 * that cannot is a gap, so that it shows as a failure, and what the library has of it stays.
 */
export function isRegistrable(entry: SourceEntry): boolean {
  const { externalId, filename, sourceUrl, sourceVersion, bytes } = entry;
  const faults = [textFault(externalId, 1, 512), textFault(filename, 1, 255), textFault(sourceUrl, 1, 4096), textFault(sourceVersion, 1, 512)];
  return faults.every((fault) => fault === null) && Number.isSafeInteger(bytes) && bytes >= 0;
}

/** What a source lists of a file that cannot be registered. */
export function unusable(externalId: string): SourceGap {
  return { prefix: externalId, errorCode: 'validation_error' };
}

/** The filename of an object of a bucket or container: the last part of its name. */
export function filenameOf(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1);
}

/**
 * Takes a listed object into a page. One that cannot be registered (`entry` is null) is told, unless it is of no kind that
 * is indexed: marks of folders are such, as consoles and clients leave them.
 */
export function takeListed(page: SourcePage, externalId: string, entry: SourceEntry | null): void {
  if (entry !== null) page.entries.push(entry);
  else if (kindOf(filenameOf(externalId)) !== null) page.gaps.push(unusable(externalId));
}

/**
 * The address of an object of a bucket or container: each part of its name percent-encoded as S3 and Azure expect it.
 * Null where that address would lead to another object: parsers of addresses resolve the parts `.` and `..`, encoded or not.
 * @param base ends with a slash
 */
export function addressOfName(base: string, name: string): string | null {
  const parts = name.split('/');
  if (name === '' || !name.isWellFormed() || parts.some((part) => part === '.' || part === '..')) return null;
  return base + parts.map(encodePart).join('/');
}

/** `encodeURIComponent`, and what it leaves that signatures encode (RFC 3986, 2.2). */
function encodePart(part: string): string {
  return encodeURIComponent(part).replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
}

/**
 * The base address of a source as its configuration gives it, without a slash at its end.
 * @throws SourceError `refused`
 */
export function baseAddress(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:') || url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw new SourceError('refused', 'the address of the source is no plain http or https address');
  }
  return url.href.replace(/\/+$/, '');
}

/** Names of buckets and containers as all stores allow them; nothing that an address or a client library would read otherwise. */
export function checkContainerName(name: string): string {
  if (!/^[A-Za-z0-9$][A-Za-z0-9._-]{0,254}$/.test(name)) throw new SourceError('refused', 'the name of the bucket or container is not valid');
  return name;
}
