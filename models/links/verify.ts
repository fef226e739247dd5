import type { LinkScheme } from '../region.ts';
import { readTagQuery, type LinkTags } from './tags.ts';
import type { DeliveryTarget } from './target.ts';
import { directoryText, fileText, isTokenOf, type DirectoryScheme, type LinkKey } from './token.ts';

/** Why a request has no valid link. */
export type LinkRefusal = 'link_required' | 'link_invalid' | 'link_expired';

/** What a valid link says. */
export interface ValidLink {
  /** Unix time in seconds from which on it does not work. */
  expires: number;
  /** IPv4 address that it is bound to; whoever verifies compares it with the client's. */
  ip: string | null;
  tags: LinkTags;
  /** What it covers: its file alone, or this directory: a canonical path that begins and ends with `/`. */
  directory: string | null;
}

/** How a bucket's links are verified. */
export interface LinkRules {
  scheme: LinkScheme;
  /** Null where links cover single files alone. */
  directoryScheme: DirectoryScheme | null;
  key: LinkKey;
  /** Whether every link must be bound to an address. */
  ipBinding: boolean;
  /** Unix time in milliseconds. */
  now: number;
}

const octet = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)';
const ipv4 = `${octet}(?:\\.${octet}){3}`;
const head = `(0|[1-9]\\d{0,14})`;
const keyId = '([A-Za-z0-9_-]{8})';
const token = '([A-Za-z0-9_-]{43})';
const queryForm = new RegExp(`^(expires=${head}&kid=${keyId}(?:&ip=(${ipv4}))?((?:&tag\\.[^&]*)*))&token=${token}$`);
const nativeForm = new RegExp(`^~${token}~${head}~${keyId}(?:~(${ipv4}))?$`);

/**
 * The directory that a link to a video's files covers: the first two segments of a path of at least three. Null where
 * there is none.
 */
function directoryOf(path: string): string | null {
  return /^\/[^/]+\/[^/]+\//.exec(path)?.[0] ?? null;
}

/**
 * Verifies the link of a request to a private bucket. Anything added, removed, repeated, altered or in another order is
 * `link_invalid`; form, key and token are looked at before the time.
 */
export function verifyLink(target: DeliveryTarget, rules: LinkRules): ValidLink | LinkRefusal {
  const { native, query } = target;
  if (native === null && (query === null || !mayHoldToken(query))) return 'link_required';
  const link = target.isCanonical ? (native === null ? inQuery(target, rules) : inPath(target, native, rules)) : null;
  if (link === null || (rules.ipBinding && link.ip === null)) return 'link_invalid';
  return rules.now < link.expires * 1000 ? link : 'link_expired';
}

function mayHoldToken(query: string): boolean {
  return /(?:^|&)token(?:=|&|$)/.test(query);
}

function inQuery({ path, query }: DeliveryTarget, rules: LinkRules): ValidLink | null {
  const [, signed = '', expires = '', kid = '', ip = null, rest = '', given = ''] = queryForm.exec(query ?? '') ?? [];
  if (kid !== rules.key.keyId) return null;
  const tags = readTagQuery(rest);
  if (tags === null) return null;
  const { key } = rules.key;
  const link = { expires: Number(expires), ip, tags };
  if (isTokenOf(given, key, fileText(rules.scheme, path, signed))) return { ...link, directory: null };
  return rest === '' ? inDirectory(path, rules, { token: given, expires, ip }) : null;
}

function inPath({ path, query }: DeliveryTarget, native: string, rules: LinkRules): ValidLink | null {
  const [, given = '', expires = '', kid = '', ip = null] = nativeForm.exec(native) ?? [];
  if (query !== null || kid !== rules.key.keyId) return null;
  return inDirectory(path, rules, { token: given, expires, ip });
}

function inDirectory(
  path: string,
  { directoryScheme, key: { key, keyId } }: LinkRules,
  { token, expires, ip }: { token: string; expires: string; ip: string | null },
): ValidLink | null {
  const directory = directoryOf(path);
  if (directoryScheme === null || directory === null) return null;
  if (!isTokenOf(token, key, directoryText(directoryScheme, { directory, expires, keyId, ip }))) return null;
  return { expires: Number(expires), ip, tags: {}, directory };
}
