import * as fc from 'fast-check';
import { isReservedHostname, isWithin, maxHostname, readHostname, unicodeHostname } from './hostname.ts';

const label = fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,20}[a-z0-9])?$/).filter((text) => !text.startsWith('xn--'));
/** Hostnames that do not end like an IP address. */
const hostname = fc
  .tuple(fc.array(label, { minLength: 1, maxLength: 5 }), fc.stringMatching(/^[a-z]{2,12}$/))
  .map(([labels, ending]) => [...labels, ending].join('.'));

describe('reading a hostname', () => {
  it.each([
    ['files.Example.COM', 'files.example.com'],
    ['files.example.com.', 'files.example.com'],
    ['münchen.de', 'xn--mnchen-3ya.de'],
    ['MÜNCHEN.DE', 'xn--mnchen-3ya.de'],
    ['xn--mnchen-3ya.de', 'xn--mnchen-3ya.de'],
    ['XN--MNCHEN-3YA.de.', 'xn--mnchen-3ya.de'],
    ['例え。テスト', 'xn--r8jz45g.xn--zckzah'],
    ['straße.de', 'xn--strae-oqa.de'],
    ['a.b', 'a.b'],
    ['1.example.com', '1.example.com'],
    [`${'a'.repeat(63)}.com`, `${'a'.repeat(63)}.com`],
  ])('%s is %s', (given, expected) => {
    expect(readHostname(given)).toEqual({ hostname: expected });
  });

  it.each([
    'com',
    'localhost',
    '',
    '.',
    '..',
    'a..com',
    '.a.com',
    'a.com..',
    '*.example.com',
    '_dmarc.example.com',
    'a_b.example.com',
    '-a.example.com',
    'a-.example.com',
    `${'a'.repeat(64)}.com`,
    '192.0.2.1',
    '192.0.2.1.',
    '0x7f.1',
    '1.2.3.4.5',
    '256.0.0.1',
    'example.123',
    '[::1]',
    '::1',
    'https://example.com',
    'example.com:443',
    'example.com/a',
    'a b.example.com',
    'example.com ',
    'exa\tmple.com',
    'a%2eexample.com',
    'user@example.com',
    'xn--a.com',
    'xn--.com',
    'a\u0000.example.com',
  ])('%j is none', (given) => {
    expect(readHostname(given)).toEqual({ problem: expect.stringMatching(/^must /) });
  });

  it('has at most 245 characters, without the dot at its end', () => {
    const long = `${`${'a'.repeat(60)}.`.repeat(3)}${'b'.repeat(58)}.com`;
    expect(long.length).toBe(maxHostname);
    expect(readHostname(`${long}.`)).toEqual({ hostname: long });
    expect(readHostname(`a${long}`)).toEqual({ problem: expect.stringContaining('245') });
    // 100 characters in Unicode, more than 245 in the form that DNS has.
    expect(readHostname(`${'ü.例.'.repeat(24)}com`)).toEqual({ problem: expect.stringContaining('245') });
  });

  it('reads every hostname alike in capitals and with a dot, and reads its own result and its Unicode form', () => {
    fc.assert(
      fc.property(hostname, (name) => {
        const read = readHostname(name);
        if ('problem' in read) throw new Error(`${name} ${read.problem}`);
        expect(read.hostname).toBe(name);
        for (const form of [name.toUpperCase(), `${name}.`, unicodeHostname(name)])
          expect(readHostname(form)).toEqual(read);
      }),
    );
  });

  it('makes of any text a name that DNS takes, or none', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 40 }), (text) => {
        const read = readHostname(`${text}.example`);
        const isName = 'problem' in read || /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+example$/.test(read.hostname);
        expect(isName).toBe(true);
        if ('hostname' in read) expect(readHostname(read.hostname)).toEqual(read);
      }),
      { numRuns: 2000 },
    );
  });
});

describe('names that nobody can add', () => {
  it.each(['a.local', 'a.localhost', 'a.test', 'b.a.example', 'a.internal', 'a.invalid', 'a.home.arpa', 'a.onion'])(
    '%s is reserved',
    (name) => {
      expect(isReservedHostname(name)).toBe(true);
    },
  );

  it('looks at whole labels', () => {
    expect(['latest.com', 'test.com', 'local.de', 'example.com'].some(isReservedHostname)).toBe(false);
    expect(['a.cdn.io', 'cdn.io'].every((name) => isWithin(name, 'cdn.io'))).toBe(true);
    expect(['acdn.io', 'cdn.io.de'].some((name) => isWithin(name, 'cdn.io'))).toBe(false);
  });
});
