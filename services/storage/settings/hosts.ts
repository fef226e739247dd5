import { domainToASCII } from 'node:url';

const label = '[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?';
const hostForm = new RegExp(`^${label}(?:\\.${label})*$`);

/** A host name in any form as browsers send it: lower case, `xn--` labels, without a dot at its end. Null if it is none. */
export function asciiHost(given: string): string | null {
  if (/[\s/?#@:\\%[\]*]/.test(given)) return null;
  const host = domainToASCII(given.replace(/\.$/, ''));
  return host.length <= 253 && hostForm.test(host) ? host : null;
}

/** A host of `allowedDomains`: `*.` in front stands for any depth below; a port is dropped. Null if it is none. */
export function domainRule(given: string): string | null {
  const [, wildcard = '', name = ''] = /^(\*\.)?(.*?)(?::\d{1,5})?$/s.exec(given) ?? [];
  const host = asciiHost(name);
  return host === null ? null : `${wildcard}${host}`;
}

const plainHttpHosts = new Set(['localhost', '127.0.0.1']);

/**
 * An origin as browsers send it (RFC 6454, 6.2): lower case, `xn--` labels, without a default port. Null if it is no
 * exact origin, or one of `http` on another host than this machine.
 */
export function originOf(given: string): string | null {
  if (!/^https?:\/\/[^/?#@\\\s*]+$/i.test(given) || !URL.canParse(given)) return null;
  const { protocol, hostname, origin } = new URL(given);
  if (protocol === 'http:' && !plainHttpHosts.has(hostname)) return null;
  if (!hostname.startsWith('[') && asciiHost(hostname) === null) return null;
  return origin;
}
