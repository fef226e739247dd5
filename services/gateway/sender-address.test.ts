import { Socket } from 'node:net';
import { senderAddresses } from '../../mixins/http/api/sender-address.ts';

/** Who a request comes from, told by a connection and what it says of those before it. */
function sender(trusted: string[], remoteAddress: string, forwarded?: string | string[]): string {
  const socket = Object.defineProperty(new Socket(), 'remoteAddress', { value: remoteAddress });
  const headers = forwarded === undefined ? {} : { 'x-forwarded-for': [forwarded].flat().join(', ') };
  return senderAddresses(trusted)({ headers, socket });
}

describe('the client address of a request', () => {
  it.each<[string, string[], string, string | undefined, string]>([
    ['is who connects', [], '203.0.113.5', undefined, '203.0.113.5'],
    ['is not who is only told of', [], '203.0.113.5', '198.51.100.1', '203.0.113.5'],
    ['is told by no stranger', ['10.0.0.0/8'], '203.0.113.5', '198.51.100.1', '203.0.113.5'],
    ['is told by a trusted proxy', ['10.0.0.0/8'], '10.1.2.3', '198.51.100.1', '198.51.100.1'],
    [
      'is the last whom no proxy stands for',
      ['10.0.0.0/8'],
      '10.1.2.3',
      '192.0.2.1, 198.51.100.1, 10.9.9.9',
      '198.51.100.1',
    ],
    ['is the first proxy where all are trusted', ['10.0.0.0/8'], '10.1.2.3', '10.7.7.7, 10.9.9.9', '10.7.7.7'],
    ['is the proxy that tells nothing', ['10.1.2.3'], '10.1.2.3', undefined, '10.1.2.3'],
    ['is the proxy that tells nonsense', ['10.1.2.3'], '10.1.2.3', '198.51.100.1, unknown', '10.1.2.3'],
    ['may be told with a port', ['10.1.2.3'], '10.1.2.3', '198.51.100.1:4711', '198.51.100.1'],
    ['may be an IPv4 address in an IPv6 one', ['10.0.0.0/8'], '::ffff:10.1.2.3', '::ffff:198.51.100.1', '198.51.100.1'],
    ['may come through a proxy of IPv6', ['fd00::/8'], 'fd00::1', '198.51.100.1', '198.51.100.1'],
    ['is a network of IPv6', [], '2001:db8:1:2:3:4:5:6', undefined, '2001:db8:1:2::/64'],
    ['is a network of IPv6 in a short spelling', ['10.1.2.3'], '10.1.2.3', '[2001:db8::7]:443', '2001:db8:0:0::/64'],
  ])('%s', (_, trusted, remoteAddress, forwarded, expected) => {
    expect(sender(trusted, remoteAddress, forwarded)).toBe(expected);
  });
});
