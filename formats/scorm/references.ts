import type { Archive } from '../archive.ts';
import type { Reference } from './manifest.ts';

/** An address with a scheme or host, outside the package. */
const outsideAddress = /^([a-z][a-z0-9+.-]+:|\/\/)/i;

/** Resolves `.` and `..`; null for a path that leaves the package. */
function resolved(path: string): string | null {
  const segments: string[] = [];
  for (const segment of path.split('/')) {
    if (segment === '..') {
      if (segments.pop() === undefined) return null;
    } else if (segment !== '' && segment !== '.') segments.push(segment);
  }
  return segments.join('/');
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    // Not percent-encoded: use the path as it is.
    return path;
  }
}

const forward = (path: string): string => path.replaceAll('\\', '/').trim();
const withoutQuery = (path: string): string => path.replace(/[?#].*$/s, '');

/** Applies the bases (XML Base), from the last absolute one. */
function joined(bases: readonly string[], href: string): string {
  let path = '';
  for (const part of [...bases, href].map(forward)) {
    if (part.startsWith('/') || outsideAddress.test(part)) path = part;
    // The last segment of a base is a file (RFC 3986, 5.2.3).
    else if (part !== '') path = path.slice(0, path.lastIndexOf('/') + 1) + part;
  }
  return path;
}

/**
 * Finds files of a package by references of its manifest. `folder` is the manifest's folder with a trailing slash, or
 * empty.
 */
export function referenceFinder(archive: Archive, folder: string): (reference: Reference) => string | null {
  const at = (path: string): string | null => {
    const name = resolved(path);
    return name === null || name === '' ? null : archive.find(folder + name);
  };
  const find = (address: string): string | null => {
    if (outsideAddress.test(address)) return null;
    // Names with `#`, `?` or `%` may be escaped or not: try both.
    for (const path of [decoded(withoutQuery(address)), withoutQuery(address), address, decoded(address)]) {
      const name = at(path);
      if (name !== null) return name;
    }
    return null;
  };
  return ({ href, bases }) => {
    if (outsideAddress.test(forward(href))) return null;
    // Some tools write bases that their own references ignore.
    return (
      find(joined(bases, href)) ??
      find(forward(href)) ??
      bases.reduceRight<string | null>(
        (found, base) => found ?? (base === '' ? null : find(`${forward(base)}/${forward(href)}`)),
        null,
      )
    );
  };
}
