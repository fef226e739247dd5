import { faultOfTarget, isAddressAllowed, literalOf } from './addresses.ts';

/** First and last addresses (or some in between) of every range that is not public. */
const closed = [
  '0.0.0.0',
  '0.255.255.255',
  '10.0.0.0',
  '10.255.255.255',
  '100.64.0.0',
  '100.127.255.255',
  '127.0.0.1',
  '127.255.255.254',
  '169.254.0.1',
  '169.254.169.254',
  '172.16.0.0',
  '172.31.255.255',
  '192.0.0.1',
  '192.0.0.170',
  '192.0.2.1',
  '192.88.99.1',
  '192.168.0.1',
  '192.168.255.255',
  '198.18.0.1',
  '198.19.255.255',
  '198.51.100.1',
  '203.0.113.1',
  '224.0.0.1',
  '239.255.255.255',
  '240.0.0.1',
  '255.255.255.255',
  '168.63.129.16',
  '::',
  '::1',
  '::ffff:127.0.0.1',
  '::ffff:10.0.0.1',
  '::ffff:169.254.169.254',
  '::ffff:a83f:8110',
  '::127.0.0.1',
  '64:ff9b::7f00:1',
  '64:ff9b::8.8.8.8',
  '64:ff9b:1::1',
  '100::1',
  '2001::1',
  '2001:db8::1',
  '2002:7f00:1::',
  '3fff::1',
  '5f00::1',
  'fc00::1',
  'fd00:ec2::254',
  'fe80::1',
  'fec0::1',
  'ff02::1',
  '4000::1',
  '1::1',
  '::ffff:0:7f00:1',
];

const open = [
  '1.1.1.1',
  '8.8.8.8',
  '93.184.215.14',
  '172.15.255.255',
  '172.32.0.1',
  '100.63.255.255',
  '100.128.0.1',
  '2606:4700:4700::1111',
  '2a00:1450:4001:81b::200e',
  '::ffff:8.8.8.8',
];

describe('permitted addresses', () => {
  it.each(closed)('not %s', (address) => {
    expect(isAddressAllowed(address, 'deny')).toBe(false);
  });

  it.each(open)('%s', (address) => {
    expect(isAddressAllowed(address, 'deny')).toBe(true);
    expect(isAddressAllowed(address, 'allow')).toBe(true);
  });

  it('include loopback and private networks if those are allowed', () => {
    for (const address of [
      '127.0.0.1',
      '::1',
      '10.1.2.3',
      '172.16.0.1',
      '192.168.1.1',
      '100.64.0.1',
      'fd00::1',
      '::ffff:127.0.0.1',
    ]) {
      expect(isAddressAllowed(address, 'allow')).toBe(true);
    }
    for (const address of [
      '169.254.169.254',
      'fe80::1',
      '0.0.0.0',
      '224.0.0.1',
      '168.63.129.16',
      '64:ff9b::7f00:1',
      '255.255.255.255',
    ]) {
      expect(isAddressAllowed(address, 'allow')).toBe(false);
    }
  });

  it('exclude invalid texts', () => {
    for (const text of ['', 'localhost', '127.1', '1.2.3.4.5', '::g', '[::1]'])
      expect(isAddressAllowed(text, 'allow')).toBe(false);
  });
});

describe('permitted targets', () => {
  it.each([
    'https://127.0.0.1/',
    'https://127.1/',
    'https://0x7f.1/',
    'https://0x7f000001/',
    'https://2130706433/',
    'https://017700000001/',
    'https://0177.0.0.1/',
    'https://１２７.０.０.１/',
    'https://127。0。0。1/',
    'https://127.0.0.1\\@example.com/',
    'https://example.com@127.0.0.1/',
    'https://[::1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[::ffff:7f00:1]/',
    'https://[0:0:0:0:0:0:0:1]/',
    'https://[64:ff9b::7f00:1]/',
    'https://[::127.0.0.1]/',
    'https://0/',
    'https://0.0.0.0/',
    'https://169.254.169.254/latest/meta-data/',
    'https://168.63.129.16/',
    'https://%31%32%37.0.0.1/',
    'https://127.0.0.1./',
  ])('not %s', (address) => {
    expect(faultOfTarget(new URL(address), 'deny')).toBe('host');
  });

  it('use https on port 443, unless private networks are allowed', () => {
    expect(faultOfTarget(new URL('https://example.com/a'), 'deny')).toBeNull();
    expect(faultOfTarget(new URL('https://example.com:443/a'), 'deny')).toBeNull();
    expect(faultOfTarget(new URL('https://8.8.8.8/a'), 'deny')).toBeNull();
    expect(faultOfTarget(new URL('http://example.com/a'), 'deny')).toBe('scheme');
    expect(faultOfTarget(new URL('https://example.com:8443/a'), 'deny')).toBe('port');
    expect(faultOfTarget(new URL('https://example.com:22/a'), 'deny')).toBe('port');
    expect(faultOfTarget(new URL('http://127.0.0.1:8080/a'), 'allow')).toBeNull();
    for (const address of ['ftp://example.com/', 'file:///etc/passwd', 'data:text/plain,x', 'ws://example.com']) {
      expect(faultOfTarget(new URL(address), 'allow')).toBe('scheme');
    }
  });

  it('recognizes an IP literal in a host', () => {
    expect(literalOf(new URL('http://[::1]:80/').hostname)).toBe('::1');
    expect(literalOf(new URL('http://127.1/').hostname)).toBe('127.0.0.1');
    expect(literalOf('localhost')).toBeNull();
  });
});
