import { isIP } from 'node:net';
import { domainToASCII, domainToUnicode } from 'node:url';

/** A host name of a custom domain, or why it is none. */
export type ReadHostname = { hostname: string } | { problem: string };

/** Longest host name of a custom domain: with `_plycdn.` in front it still fits into the 253 characters of a name. */
export const maxHostname = 245;

/** A label in lower case (RFC 1123, 2.1): letters, digits and `-`, not at its ends. */
const label = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/;

/**
 * Endings that are never delegated in the public DNS, or that name no host there: RFC 2606, 6761, 6762, 7686, 8375,
 * 9476, and names that ICANN keeps for private use.
 */
const reservedEndings = new Set([
  'alt',
  'arpa',
  'corp',
  'example',
  'home',
  'internal',
  'intranet',
  'invalid',
  'lan',
  'local',
  'localdomain',
  'localhost',
  'mail',
  'onion',
  'private',
  'test',
]);

/**
 * Reads a host name in any case, in Unicode or `xn--` form, with or without a dot at its end.
 * @returns it in lower case and `xn--` form without that dot (UTS #46, as browsers do), or what is wrong with it
 */
export function readHostname(given: string): ReadHostname {
  if (given.includes('*')) return { problem: 'must not contain *: each hostname is added on its own' };
  if (given.includes('_')) return { problem: 'must not contain _' };
  // The characters with which an address would go on, or that its parser drops.
  if (/[\s\p{Cc}/?#@:\\%[\]]/u.test(given) || given.startsWith('.'))
    return { problem: 'must be a host name alone, without scheme, port or path' };
  const name = domainToASCII(given.replace(/[.\u3002\uFF0E\uFF61]$/u, ''));
  if (name === '' && isNumeric(given)) return { problem: 'must not be an IP address' };
  if (name === '') return { problem: 'must be a host name' };
  if (isIP(name) !== 0) return { problem: 'must not be an IP address' };
  if (name.length > maxHostname) return { problem: `must have at most ${maxHostname} characters in its xn-- form` };
  const labels = name.split('.');
  if (labels.length < 2) return { problem: 'must have at least two labels, such as files.example.com' };
  if (labels.some((each) => each.length > 63 || !label.test(each)))
    return { problem: 'must have labels of 1 to 63 letters, digits and -, with no - at an end' };
  // A label that does not decode is answered as it is.
  if (labels.some((each) => each.startsWith('xn--') && domainToUnicode(each) === each))
    return { problem: 'must have valid xn-- labels' };
  return { hostname: name };
}

/** Whether a text ends like an IP address: browsers read it as one, and refuse it where it is none. */
function isNumeric(given: string): boolean {
  return /(?:^|\.)(?:\d+|0x[0-9a-f]*)\.?$/i.test(given);
}

/** The Unicode form of a host name in `xn--` form. */
export function unicodeHostname(hostname: string): string {
  return domainToUnicode(hostname);
}

/** Whether a host name lies under an ending that no customer can have. */
export function isReservedHostname(hostname: string): boolean {
  return reservedEndings.has(hostname.slice(hostname.lastIndexOf('.') + 1));
}

/** Whether a host name is a domain or lies below it. */
export function isWithin(hostname: string, domain: string): boolean {
  return hostname === domain || hostname.endsWith(`.${domain}`);
}
