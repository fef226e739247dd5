import { kindOf } from '../../models/formats.ts';
import { textFault } from '../../models/schemas/faults.ts';
import { SourceError, type SourceEntry, type SourceGap, type SourcePage } from './port.ts';

/** Compares strings by their UTF-8 bytes (JavaScript compares UTF-16 units). */
export function compareBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

/**
 * Whether a listed file can be registered: its fields are within the maximum lengths (document 1, "Limits"). A file
 * that cannot is a gap: it is reported as a failure, and stays unchanged in the library.
 */
export function isRegistrable(entry: SourceEntry): boolean {
  const { externalId, filename, sourceUrl, sourceVersion, bytes } = entry;
  const faults = [
    textFault(externalId, 1, 512),
    textFault(filename, 1, 255),
    textFault(sourceUrl, 1, 4096),
    textFault(sourceVersion, 1, 512),
  ];
  return faults.every((fault) => fault === null) && Number.isSafeInteger(bytes) && bytes >= 0;
}

/** The gap of a file that cannot be registered. */
export function gapOf(externalId: string): SourceGap {
  return { prefix: externalId, errorCode: 'validation_error' };
}

/** The filename of an object: the last segment of its name. */
export function filenameOf(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1);
}

/**
 * Adds a listed object to a page. One that cannot be registered (`entry` is null) becomes a gap, unless its kind is not
 * indexed, as for the placeholder objects of folders that consoles and clients create.
 */
export function addListed(page: SourcePage, externalId: string, entry: SourceEntry | null): void {
  if (entry !== null) page.entries.push(entry);
  else if (kindOf(filenameOf(externalId)) !== null) page.gaps.push(gapOf(externalId));
}

/**
 * The address of an object of a bucket or container, with each segment of its name percent-encoded as S3 and Azure
 * expect it. Null if that address would name another object: URL parsers resolve the segments `.` and `..`, encoded or
 * not.
 * @param base with a trailing slash
 */
export function addressOfName(base: string, name: string): string | null {
  const parts = name.split('/');
  if (name === '' || !name.isWellFormed() || parts.some((part) => part === '.' || part === '..')) return null;
  return base + parts.map(encodePart).join('/');
}

/** `encodeURIComponent` plus the remaining reserved characters that signatures encode (RFC 3986, 2.2). */
function encodePart(part: string): string {
  return encodeURIComponent(part).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/**
 * The base address of a source from its configuration, without a trailing slash.
 * @throws SourceError `refused`
 */
export function baseAddress(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (
    url === null ||
    (url.protocol !== 'https:' && url.protocol !== 'http:') ||
    url.username !== '' ||
    url.password !== '' ||
    url.search !== '' ||
    url.hash !== ''
  ) {
    throw new SourceError('refused', 'the address of the source is not a plain http or https address');
  }
  return url.href.replace(/\/+$/, '');
}

/**
 * Checks the name of a bucket or container: the names that all stores allow, without characters that URLs or client
 * libraries interpret.
 */
export function checkContainerName(name: string): string {
  if (!/^[A-Za-z0-9$][A-Za-z0-9._-]{0,254}$/.test(name))
    throw new SourceError('refused', 'the name of the bucket or container is not valid');
  return name;
}
