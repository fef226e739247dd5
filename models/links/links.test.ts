import fc from 'fast-check';
import { encodeKey, keyFault, keyForm } from '../storage-key.ts';
import { signDirectory, signLink } from './sign.ts';
import { tagValueFault } from './tags.ts';
import { readTarget } from './target.ts';
import { linkKeyBytes, type LinkKey } from './token.ts';
import { verifyLink, type LinkRules } from './verify.ts';

const key: LinkKey = { keyId: 'k1234567', key: linkKeyBytes('AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8') };
const expires = 1_893_456_000;
const rules: LinkRules = { scheme: 'pl1', directoryScheme: null, key, ipBinding: false, now: 0 };
const library: LinkRules = { ...rules, directoryScheme: 'pl1d' };
const tokenOfHex = (hex: string): string => Buffer.from(hex, 'hex').toString('base64url');

function verify(target: string, changed: Partial<LinkRules> = {}): ReturnType<typeof verifyLink> | 'no target' {
  const all = { ...rules, ...changed };
  const read = readTarget(target, all.directoryScheme !== null);
  return read === null ? 'no target' : verifyLink(read, all);
}

const keys = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 40 })
  .filter((text) => new RegExp(keyForm.source, 'u').test(text) && keyFault(text) === null);
const ips = fc.option(fc.ipV4(), { nil: null });
const tagSets = fc.dictionary(
  fc.stringMatching(/^[a-z][a-z0-9_]{0,31}$/),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }).filter((value) => tagValueFault(value) === null),
  { maxKeys: 8, noNullPrototype: true },
);
const links = fc.record({ objectKey: keys, ip: ips, tags: tagSets });

describe('a link to a file', () => {
  const bound = { expires, ip: '203.0.113.9', tags: { customer: 'c-42' } };

  it('is the one of the published vector', () => {
    expect(signLink('pl1', key, 'a b/ü.txt', bound)).toBe(
      '/a%20b/%C3%BC.txt?expires=1893456000&kid=k1234567&ip=203.0.113.9&tag.customer=c-42&token=' +
        tokenOfHex('df66a753a4a91b69e3bef5b707eb32b10a065a832d208b0e2458a848aca2f10f'),
    );
  });

  it('is valid as issued, until it expires, and says what it binds', () => {
    fc.assert(
      fc.property(links, ({ objectKey, ...terms }) => {
        const link = signLink('ps2', key, objectKey, { expires, ...terms });
        const valid = { expires, ip: terms.ip, tags: terms.tags, directory: null };
        expect(readTarget(link)).toMatchObject({ key: objectKey, path: `/${encodeKey(objectKey)}`, isCanonical: true });
        expect(verify(link, { scheme: 'ps2', now: expires * 1000 - 1 })).toEqual(valid);
        expect(verify(link, { scheme: 'ps2', now: expires * 1000 })).toBe('link_expired');
        expect(verify(link, { scheme: 'pl1' })).toBe('link_invalid');
      }),
    );
  });

  it('is refused with any character altered, added or removed', () => {
    const characters = fc.constantFrom(...'aAzZ09-_~.&=?/%+#\u0000'.split(''));
    fc.assert(
      fc.property(links, fc.nat(), fc.constantFrom('alter', 'add', 'remove'), characters, (made, at, how, char) => {
        const link = signLink('pl1', key, made.objectKey, { expires, ip: made.ip, tags: made.tags });
        const index = at % link.length;
        const altered = `${link.slice(0, index)}${how === 'remove' ? '' : char}${link.slice(how === 'add' ? index : index + 1)}`;
        fc.pre(altered !== link);
        expect(['link_invalid', 'link_required', 'no target']).toContain(verify(altered));
      }),
      { numRuns: 2000 },
    );
  });

  it('is refused with each single character of it changed in its lowest bits or its case', () => {
    const link = signLink('pl1', key, 'a b/ü.txt', bound);
    for (let index = 0; index < link.length; index += 1)
      for (const bit of [1, 2, 4, 8, 16, 32, 64]) {
        const altered = `${link.slice(0, index)}${String.fromCharCode(link.charCodeAt(index) ^ bit)}${link.slice(index + 1)}`;
        expect(['link_invalid', 'link_required', 'no target']).toContain(verify(altered));
      }
  });

  it('is refused with its fields in another order, repeated, left out or spelled otherwise', () => {
    const link = signLink('pl1', key, 'a', { expires, ip: '1.2.3.4', tags: { a: '1', b: '2' } });
    const [path, query = ''] = link.split('?');
    const fields = query.split('&');
    for (let one = 0; one < fields.length; one += 1) {
      const without = fields.filter((_, index) => index !== one);
      const code = one === fields.length - 1 ? 'link_required' : 'link_invalid';
      expect(verify(`${path}?${without.join('&')}`)).toBe(code);
      for (let to = 0; to <= without.length; to += 1) {
        const moved = [...without.slice(0, to), fields[one], ...without.slice(to)];
        if (to !== one) expect(verify(`${path}?${moved.join('&')}`)).toBe('link_invalid');
        expect(verify(`${path}?${[...fields.slice(0, to), fields[one], ...fields.slice(to)].join('&')}`)).toBe(
          'link_invalid',
        );
      }
    }
    for (const altered of [
      `${link}=`,
      `${link}%3D`,
      `${link}&`,
      `${link}?`,
      `${link}&x=1`,
      link.replace('kid', '%6Bid'),
    ])
      expect(verify(altered)).toBe('link_invalid');
    expect(verify(link.replace(/token=(.*)$/, (_, token: string) => `token=${token.replaceAll('-', '+')}=`))).toBe(
      'link_invalid',
    );
  });

  it('of another key id, another bucket or another path is refused', () => {
    const link = signLink('pl1', key, 'a/b', { expires });
    expect(verify(link, { key: { ...key, keyId: 'k1234568' } })).toBe('link_invalid');
    expect(verify(link, { key: { ...key, key: new Uint8Array(32) } })).toBe('link_invalid');
    expect(verify(link.replace('/a/b', '/a/c'))).toBe('link_invalid');
    expect(verify(link.replace('/a/b', '/%61/b'))).toBe('link_invalid');
    expect(verify('/a/b')).toBe('link_required');
    expect(verify('/a/b?x=token')).toBe('link_required');
  });

  it('has to be bound where the bucket binds, and expires only if it is valid', () => {
    expect(verify(signLink('pl1', key, 'a', { expires }), { ipBinding: true })).toBe('link_invalid');
    expect(verify(signLink('pl1', key, 'a', { expires, ip: '1.2.3.4' }), { ipBinding: true })).toMatchObject({
      ip: '1.2.3.4',
    });
    const late = { now: expires * 1000 };
    expect(verify(`${signLink('pl1', key, 'a', { expires })}a`, late)).toBe('link_invalid');
    expect(verify(signLink('pl1', key, 'a', { expires, ip: '01.2.3.4' }), late)).toBe('link_invalid');
  });
});

describe('a link to a directory', () => {
  const { query, nativePrefix } = signDirectory('pl1d', key, 'videos/v1', { expires });
  const token = tokenOfHex('096301164866f1c8e31d943ad67d85bf4e0614d3cad545f8914af6daed23bc40');

  it('is the one of the published vector, in both forms', () => {
    expect(query).toBe(`expires=1893456000&kid=k1234567&token=${token}`);
    expect(nativePrefix).toBe(`/~${token}~1893456000~k1234567`);
  });

  it('covers every file of the directory and nothing else', () => {
    const valid = { expires, ip: null, tags: {}, directory: '/videos/v1/' };
    for (const file of ['master.m3u8', '720p/seg-1.m4s', 'a%20b']) {
      expect(verify(`/videos/v1/${file}?${query}`, library)).toEqual(valid);
      expect(verify(`${nativePrefix}/videos/v1/${file}`, library)).toEqual(valid);
    }
    for (const path of ['/videos/v1', '/videos/v10/a', '/videos/v2/a', '/sources/v1/a', '/videos/a', '/xvideos/v1/a']) {
      expect(verify(`${path}?${query}`, library)).toBe('link_invalid');
      expect(verify(`${nativePrefix}${path}`, library)).toBe('link_invalid');
    }
    for (const path of ['/videos/v1/%2e%2e/v2/a', '/videos/v1/../v2/a', '/videos/v1/..%2fv2/a', '/videos/v1//a'])
      expect(verify(`${nativePrefix}${path}`, library)).toBe('no target');
  });

  it('binds an address in both forms, takes no tags and no query, and is only for libraries', () => {
    const link = signDirectory('pl1d', key, 'videos/v1', { expires, ip: '1.2.3.4' });
    expect(verify(`/videos/v1/a?${link.query}`, { ...library, ipBinding: true })).toMatchObject({ ip: '1.2.3.4' });
    expect(verify(`${link.nativePrefix}/videos/v1/a`, library)).toMatchObject({ ip: '1.2.3.4' });
    expect(verify(`${nativePrefix}/videos/v1/a`, { ...library, ipBinding: true })).toBe('link_invalid');
    for (const target of [
      `${nativePrefix}/videos/v1/a?`,
      `${nativePrefix}/videos/v1/a?x=1`,
      `${nativePrefix}~/videos/v1/a`,
      `/~x/videos/v1/a`,
      `/videos/v1/a?${query.replace('&token', '&tag.a=1&token')}`,
    ])
      expect(verify(target, library)).toBe('link_invalid');
    expect(verify(`/videos/v1/a?${query}`)).toBe('link_invalid');
    expect(verify(`${nativePrefix}/videos/v1/a`)).toBe('link_required');
    expect(verify(`${nativePrefix}/videos/v1/a`, { ...library, now: expires * 1000 })).toBe('link_expired');
    expect(verify(`${nativePrefix}/videos/v1/a`, { ...library, directoryScheme: 'ps3' })).toBe('link_invalid');
  });

  it('is refused with any character altered', () => {
    const target = `${nativePrefix}/videos/v1/master.m3u8`;
    fc.assert(
      fc.property(fc.nat(target.length - 13), fc.constantFrom(...'aAzZ09-_~./%'.split('')), (at, char) => {
        const altered = `${target.slice(0, at)}${char}${target.slice(at + 1)}`;
        fc.pre(altered !== target);
        expect(['link_invalid', 'link_required', 'no target']).toContain(verify(altered, library));
      }),
      { numRuns: 1000 },
    );
  });
});

describe('a request target', () => {
  it.each([
    '',
    'x',
    '/',
    '//a',
    '/a//b',
    '/a/',
    '/.',
    '/a/..',
    '/%2e%2e/a',
    '/a%2Fb',
    '/a%5cb',
    '/a%00b',
    '/%zz',
    '/%ff',
    '/a#b',
    '/ä',
    '*',
  ])('that no object can have is none: %j', (target) => {
    expect(readTarget(target)).toBeNull();
  });

  it('is split at the first question mark and decoded once', () => {
    expect(readTarget('/a%3Fb/%2541?x?y')).toEqual({
      key: 'a?b/%41',
      path: '/a%3Fb/%2541',
      isCanonical: true,
      query: 'x?y',
      native: null,
    });
    expect(readTarget('/%61!')).toMatchObject({ key: 'a!', path: '/a%21', isCanonical: false, query: null });
    expect(readTarget('/~a/b')).toMatchObject({ key: '~a/b', native: null });
    expect(readTarget('/~a/b', true)).toMatchObject({ key: 'b', native: '~a' });
  });
});
