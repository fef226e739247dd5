import fc from 'fast-check';
import { canonicalJson, sha256Of } from './canonical-json.ts';

describe('canonicalJson', () => {
  it.each<[unknown, string]>([
    // Sections 3.2.2 and 3.2.3 of RFC 8785: numbers, escapes, and names by their UTF-16 code units.
    [
      {
        numbers: [333333333.33333329, 1e30, 4.5, 2e-3, 0.000000000000000000000000001],
        string: '\u20ac$\u000F\u000aA\'\u0042\u0022\u005c\\"/',
        literals: [null, true, false],
      },
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
    ],
    [
      {
        '\u20ac': 'Euro',
        '\r': 'Return',
        '\ufb33': 'Dalet',
        1: 'One',
        '\u{1f600}': 'Smiley',
        '\u0080': 'Control',
        ö: 'o',
      },
      '{"\\r":"Return","1":"One","\u0080":"Control","ö":"o","€":"Euro","\u{1f600}":"Smiley","\ufb33":"Dalet"}',
    ],
    [{ b: undefined, a: [-0, []], c: {} }, '{"a":[0,[]],"c":{}}'],
  ])('writes %j as RFC 8785 says', (value, text) => {
    expect(canonicalJson(value)).toBe(text);
  });

  it('is the same JSON, whatever the order of members was', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = canonicalJson(value);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
        expect(canonicalJson(JSON.parse(text))).toBe(text);
      }),
    );
  });

  it.each([Number.NaN, Infinity, () => 1, undefined])('refuses %s, which has no form', (value) => {
    expect(() => canonicalJson([value])).toThrow('no JSON');
  });
});

it('sha256Of is the digest of the UTF-8 form', () => {
  expect(sha256Of('€')).toBe('c4cc90ed3d26f12d4b08a75140970a7904035c31cbb4515a83f19b9003c00d1d');
  expect(sha256Of('')).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
});
