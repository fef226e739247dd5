import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * `deny`: public addresses over https on port 443 alone. `allow`: also http, any port, loopback and private networks.
 */
export type PrivateNetworks = 'deny' | 'allow';

/** Ranges of one machine and of private networks, by their names in ipaddr.js; opened by `allow`. */
const privateRanges: ReadonlySet<string> = new Set(['loopback', 'private', 'uniqueLocal', 'carrierGradeNat']);

/** Azure's wire server: it answers every virtual machine there, under an address that looks public. */
const wireServer = '168.63.129.16';

/**
 * All of IPv6 that is given out to the public so far (RFC 4291, IANA's registry); the rest is reserved or not given
 * out.
 */
const globalIpv6 = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Whether a connection to this IP address may be made. Without private networks only public addresses: everything
 * in IANA's registries of special addresses is refused, and so are IPv6 addresses that carry an IPv4 one (mapped
 * ones are judged by the IPv4 address). With them also loopback and private addresses, but never link-local
 * (the metadata of clouds), unspecified, multicast or reserved ones.
 */
export function isAddressAllowed(address: string, privateNetworks: PrivateNetworks): boolean {
  if (isIP(address) === 0) return false;
  const parsed = ipaddr.process(address);
  if (parsed.toString() === wireServer) return false;
  const range: string = parsed.range();
  if (privateNetworks === 'allow' && privateRanges.has(range)) return true;
  if (range !== 'unicast') return false;
  return !(parsed instanceof ipaddr.IPv6) || parsed.match(globalIpv6);
}

/** The IP literal that a parsed address's host is, without brackets; null if the host is a name. */
export function literalOf(hostname: string): string | null {
  const bare = hostname.startsWith('[') && hostname.endsWith(']') ? hostname.slice(1, -1) : hostname;
  return isIP(bare) === 0 ? null : bare;
}

/** Why an address may not be asked, before any name is looked up. */
export type TargetFault = 'scheme' | 'port' | 'host';

/**
 * Checks an address as the WHATWG URL parser understood it (which has turned every spelling of an IPv4 address into the
 * usual one). Names are checked again when they have been looked up. Null if nothing speaks against it.
 */
export function faultOfTarget(url: URL, privateNetworks: PrivateNetworks): TargetFault | null {
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && privateNetworks === 'allow')) return 'scheme';
  if (privateNetworks === 'deny' && url.port !== '') return 'port';
  const literal = literalOf(url.hostname);
  return literal !== null && !isAddressAllowed(literal, privateNetworks) ? 'host' : null;
}
