import fc from 'fast-check';
import type { AnalyticsDimension } from '../../models/bucket.ts';
import type { ServedRow } from '../../models/traffic.ts';
import { dimensionValue, firstBytes } from './dimension-value.ts';

const rowOf = (key: string, query = '', isLinkValid: 0 | 1 = 0): ServedRow => [
  0,
  200,
  0,
  null,
  null,
  key,
  query,
  isLinkValid,
];
const rule = (fields: Partial<AnalyticsDimension>): AnalyticsDimension => ({ name: 'a', type: 'tag', ...fields });

describe('the value of a request', () => {
  it.each([
    [1, 'a/b/c.txt', 'a'],
    [3, 'a/b/c.txt', 'c.txt'],
    [4, 'a/b/c.txt', '(none)'],
    [1, '', '(none)'],
    [2, 'a//c', '(none)'],
    [1, 'ä b', 'ä b'],
  ])('of path segment %s of %s', (index, key, value) => {
    expect(dimensionValue(rule({ type: 'pathSegment', index }), rowOf(key))).toBe(value);
  });

  it.each([
    ['c=1', '1'],
    ['a=1&c=x%20y+z&c=2', 'x y z'],
    ['%63=1', '1'],
    ['c', '(none)'],
    ['c=', '(none)'],
    ['cc=1', '(none)'],
    ['c=%zz', '%zz'],
  ])('of a query parameter in %s', (query, value) => {
    expect(dimensionValue(rule({ type: 'queryParam', param: 'c' }), rowOf('a', query))).toBe(value);
  });

  it('of a tag is only the one that a valid link has', () => {
    const tag = rule({ type: 'tag', tag: 'customer' });
    expect(dimensionValue(tag, rowOf('a', 'tag.customer=c-1', 1))).toBe('c-1');
    expect(dimensionValue(tag, rowOf('a', 'tag.customer=c-1'))).toBe('(unverified)');
    expect(dimensionValue(tag, rowOf('a', 'tag.other=c-1'))).toBe('(none)');
  });

  it('of a pattern is what it captures in the first 2,048 bytes of the path', () => {
    const pattern = rule({ type: 'pattern', pattern: '^/(?:x+/)?(\\d*)end' });
    expect(dimensionValue(pattern, rowOf('17end'))).toBe('17');
    expect(dimensionValue(pattern, rowOf('end'))).toBe('(none)');
    expect(dimensionValue(pattern, rowOf('none'))).toBe('(none)');
    expect(dimensionValue(pattern, rowOf(`${'x'.repeat(2042)}/3end`))).toBe('3');
    expect(dimensionValue(pattern, rowOf(`${'x'.repeat(2043)}/3end`))).toBe('(none)');
  });

  it('is cut to 128 bytes between characters', () => {
    expect(dimensionValue(rule({ type: 'pathSegment', index: 1 }), rowOf(`a${'ä'.repeat(100)}`))).toBe(
      `a${'ä'.repeat(63)}`,
    );
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 80 }), fc.nat(100), (text, bytes) => {
        const first = firstBytes(text, bytes);
        expect(text.startsWith(first)).toBe(true);
        expect(Buffer.byteLength(first)).toBeLessThanOrEqual(bytes);
        const next = [...text.slice(first.length)][0] ?? '';
        expect(first === text || Buffer.byteLength(first + next) > bytes).toBe(true);
      }),
    );
  });
});
