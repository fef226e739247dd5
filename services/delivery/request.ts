import type { IncomingMessage } from 'node:http';

/** Where a request goes: host and raw target. */
export interface RequestAddress {
  /** Lower case, without port and trailing dot. */
  host: string;
  /** The request target from its path on, as sent. */
  target: string;
}

const absolute = /^https?:\/\/([^/?#]*)(.*)$/is;
const port = /:\d{0,5}$/;

/**
 * Reads where a request goes, without resolving anything. An absolute target names the host, and the `Host` header is
 * then ignored (RFC 9112, 3.2.2).
 */
export function requestAddress({ url = '', headers }: Pick<IncomingMessage, 'url' | 'headers'>): RequestAddress {
  if (url.startsWith('/')) return { host: hostName(headers.host ?? ''), target: url };
  const [, host = '', rest = url] = absolute.exec(url) ?? [];
  return { host: hostName(host), target: rest.startsWith('/') ? rest : `/${rest}` };
}

function hostName(host: string): string {
  const name = host.toLowerCase();
  const bare = name.includes(':') ? name.replace(port, '') : name;
  return bare.endsWith('.') ? bare.slice(0, -1) : bare;
}

const refusedNames = /response|partnumber|versionid|uploadid|x-amz-/i;
const tagField = /(?:^|&)tag\.[^&]*/g;

/**
 * Whether a query asks for what only a storage API does: names such as `response-content-type`, `partNumber` or
 * `X-Amz-Signature`, in any letter case, also with escaped letters. The tags of links are the signer's own words.
 */
export function isRefusedQuery(query: string): boolean {
  if (!query.includes('%')) return refusedNames.test(query) && refusedNames.test(query.replace(tagField, ''));
  const rest = query.replace(tagField, '');
  const plain = rest.replace(/%([0-7][0-9a-f])/gi, (_, code: string) => String.fromCharCode(parseInt(code, 16)));
  return refusedNames.test(plain);
}

/** Whether the referrer of a request is allowed. @param hostnames of the bucket itself, which are always allowed */
export function allowsReferrer(
  { referer, origin }: IncomingMessage['headers'],
  { allowedDomains, blockNoReferrer }: { allowedDomains: readonly string[]; blockNoReferrer: boolean },
  hostnames: ReadonlySet<string>,
): boolean {
  if (allowedDomains.length === 0 && !blockNoReferrer) return true;
  const given = referer !== undefined && referer !== '' ? referer : origin;
  if (given === undefined || given === '') return !blockNoReferrer;
  if (allowedDomains.length === 0) return true;
  const host = referrerHost(given);
  return (
    host !== '' &&
    (hostnames.has(host) ||
      allowedDomains.some((domain) => (domain.startsWith('*.') ? host.endsWith(domain.slice(1)) : host === domain)))
  );
}

/** The host of a referrer in its lower-case `xn--` form; empty where it cannot be read. */
function referrerHost(referrer: string): string {
  try {
    return new URL(referrer).hostname.replace(/\.$/, '');
  } catch {
    return '';
  }
}
