import { Socket } from 'node:net';
import { senderAddresses } from '../../mixins/http/api/sender-address.ts';

/** The client address of a request that arrives from this remote address with this `X-Forwarded-For`. */
function sender(trusted: string[], remoteAddress: string, forwarded?: string | string[]): string {
  const socket = Object.defineProperty(new Socket(), 'remoteAddress', { value: remoteAddress });
  const headers = forwarded === undefined ? {} : { 'x-forwarded-for': [forwarded].flat().join(', ') };
  return senderAddresses(trusted)({ headers, socket });
}

describe('the client address of a request', () => {
  it.each<[string, string[], string, string | undefined, string]>([
    ['is the remote address', [], '203.0.113.5', undefined, '203.0.113.5'],
    ['ignores X-Forwarded-For without trusted proxies', [], '203.0.113.5', '198.51.100.1', '203.0.113.5'],
    ['ignores X-Forwarded-For of an untrusted proxy', ['10.0.0.0/8'], '203.0.113.5', '198.51.100.1', '203.0.113.5'],
    ['is the forwarded address of a trusted proxy', ['10.0.0.0/8'], '10.1.2.3', '198.51.100.1', '198.51.100.1'],
    [
      'is the last forwarded address that is not a trusted proxy',
      ['10.0.0.0/8'],
      '10.1.2.3',
      '192.0.2.1, 198.51.100.1, 10.9.9.9',
      '198.51.100.1',
    ],
    ['is the first address if all are trusted proxies', ['10.0.0.0/8'], '10.1.2.3', '10.7.7.7, 10.9.9.9', '10.7.7.7'],
    ['is the proxy if it forwards no address', ['10.1.2.3'], '10.1.2.3', undefined, '10.1.2.3'],
    ['is the proxy if the forwarded address is invalid', ['10.1.2.3'], '10.1.2.3', '198.51.100.1, unknown', '10.1.2.3'],
    ['may be forwarded with a port', ['10.1.2.3'], '10.1.2.3', '198.51.100.1:4711', '198.51.100.1'],
    ['may be an IPv4-mapped IPv6 address', ['10.0.0.0/8'], '::ffff:10.1.2.3', '::ffff:198.51.100.1', '198.51.100.1'],
    ['may be forwarded by an IPv6 proxy', ['fd00::/8'], 'fd00::1', '198.51.100.1', '198.51.100.1'],
    ['is the /64 network of an IPv6 address', [], '2001:db8:1:2:3:4:5:6', undefined, '2001:db8:1:2::/64'],
    [
      'is the /64 network of a compressed IPv6 address',
      ['10.1.2.3'],
      '10.1.2.3',
      '[2001:db8::7]:443',
      '2001:db8:0:0::/64',
    ],
  ])('%s', (_, trusted, remoteAddress, forwarded, expected) => {
    expect(sender(trusted, remoteAddress, forwarded)).toBe(expected);
  });
});
