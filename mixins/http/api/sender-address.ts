import type { IncomingMessage } from 'node:http';
import { BlockList, isIP, isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Finds the address of a request's sender, as rate limits count it: an IPv6 address by its network. */
export function senderAddresses(
  trustedProxies: readonly string[],
): (request: Pick<IncomingMessage, 'headers' | 'socket'>) => string {
  const addressOf = clientAddresses(trustedProxies);
  return (request) => group(addressOf(request));
}

/**
 * Finds the address that a request comes from. Behind trusted proxies it is the last one in `X-Forwarded-For` that is
 * not a trusted proxy's. Earlier entries are ignored: clients can forge them.
 */
export function clientAddresses(
  trustedProxies: readonly string[],
): (request: Pick<IncomingMessage, 'headers' | 'socket'>) => string {
  const isTrusted = trustedAddresses(trustedProxies);
  return ({ headers, socket }) => {
    let sender = plain(socket.remoteAddress ?? '');
    if (trustedProxies.length === 0) return sender;
    const forwarded = [headers['x-forwarded-for'] ?? []].flat().join(',').split(',');
    for (let at = forwarded.length - 1; at >= 0 && isTrusted(sender); at -= 1) {
      const before = plain(forwarded[at]?.trim() ?? '');
      if (isIP(before) === 0) break;
      sender = before;
    }
    return sender;
  };
}

/** Whether an address is that of a trusted proxy. */
export function trustedAddresses(trustedProxies: readonly string[]): (address: string) => boolean {
  const trusted = new BlockList();
  for (const network of trustedProxies) {
    const [address = '', bits] = network.split('/');
    const family = familyOf(address);
    if (bits === undefined) trusted.addAddress(address, family);
    else trusted.addSubnet(address, Number(bits), family);
  }
  return (address) => {
    const bare = plain(address);
    return isIP(bare) !== 0 && trusted.check(bare, familyOf(bare));
  };
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4';
}

/** An address without brackets and port; an IPv4-mapped IPv6 address as IPv4. */
function plain(address: string): string {
  if (isIPv4(address)) return address;
  const bare = /^\[(.+)\](:\d+)?$/.exec(address)?.[1] ?? /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(address)?.[1] ?? address;
  return isIP(bare) === 0 ? bare : ipaddr.process(bare).toString();
}

/** Groups IPv6 addresses by their /64 network: a client mostly has all of its addresses and could change them. */
function group(address: string): string {
  return isIP(address) === 6
    ? `${ipaddr.IPv6.parse(address).toNormalizedString().split(':').slice(0, 4).join(':')}::/64`
    : address;
}
