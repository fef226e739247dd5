import { encodeKey, keyForm } from '../storage-key.ts';

/** What a raw request target of the delivery listener names. */
export interface DeliveryTarget {
  /** The key of the object, decoded. */
  key: string;
  /** The canonical path: `/` and the encoded key, without the token of a native link. What links are signed over. */
  path: string;
  /** Whether the path was sent in its canonical spelling, as links have to be. */
  isCanonical: boolean;
  /** What follows the first question mark, as sent; null if there is none. */
  query: string | null;
  /** The first segment of a native link, as sent; null for other targets. */
  native: string | null;
}

const form = new RegExp(keyForm.source, 'u');
/** Printable ASCII; `#` begins a fragment, which is no part of a request target (RFC 9112, 3.2). */
const sendable = /^[\x21\x22\x24-\x7e]*$/;

/**
 * Reads a raw request target (`request.url`), which is never resolved like a URL: each segment is decoded once. Signer,
 * verifier and router agree because they use this and `encodeKey` alone.
 * @param hasNative whether a first segment that begins with `~` is the token of a native link, as in libraries
 * @returns null where no object can have the path: empty segments, `.`, `..`, escaped slashes, backslashes, controls,
 *   escapes that are no UTF-8
 */
export function readTarget(target: string, hasNative = false): DeliveryTarget | null {
  const mark = target.indexOf('?');
  const path = mark < 0 ? target : target.slice(0, mark);
  const query = mark < 0 ? null : target.slice(mark + 1);
  if (!path.startsWith('/') || !sendable.test(path)) return null;
  if (!hasNative || !path.startsWith('/~')) return ofPath(path, query, null);
  const end = path.indexOf('/', 1);
  return end < 0 ? null : ofPath(path.slice(end), query, path.slice(1, end));
}

function ofPath(path: string, query: string | null, native: string | null): DeliveryTarget | null {
  const segments: string[] = [];
  for (const segment of path.slice(1).split('/')) {
    const decoded = decodedOnce(segment);
    if (decoded === null || decoded.includes('/')) return null;
    segments.push(decoded);
  }
  const key = segments.join('/');
  if (!form.test(key)) return null;
  const canonical = `/${encodeKey(key)}`;
  return { key, path: canonical, isCanonical: path === canonical, query, native };
}

/** A percent-encoded text, decoded once; null where its escapes are malformed or no UTF-8. */
export function decodedOnce(text: string): string | null {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
