import { evaluateConditions, requestedRange, type Validators } from './conditions.ts';

const changed = Date.parse('Tue, 03 Mar 2026 10:00:00 GMT');
const strong: Validators = { etag: '"v2"', lastModified: changed + 500 };
const weak: Validators = { etag: 'W/"v2"' };
const at = 'Tue, 03 Mar 2026 10:00:00 GMT';
const before = 'Mon, 02 Mar 2026 10:00:00 GMT';

describe('conditional requests', () => {
  it.each([
    ['GET', {}, strong, 200],
    ['GET', { 'if-none-match': '"v1", "v2"' }, strong, 304],
    ['HEAD', { 'if-none-match': 'W/"v2"' }, strong, 304],
    ['GET', { 'if-none-match': '"v2"' }, weak, 304],
    ['GET', { 'if-none-match': '"v1"' }, strong, 200],
    ['GET', { 'if-none-match': '*' }, {}, 304],
    ['PUT', { 'if-none-match': '*' }, strong, 412],
    // If-None-Match takes precedence over the date.
    ['GET', { 'if-none-match': '"v1"', 'if-modified-since': at }, strong, 200],
    ['GET', { 'if-modified-since': at }, strong, 304],
    ['GET', { 'if-modified-since': before }, strong, 200],
    ['GET', { 'if-modified-since': 'yesterday' }, strong, 200],
    ['PUT', { 'if-modified-since': at }, strong, 200],
    ['PUT', { 'if-match': '"v2"' }, strong, 200],
    ['PUT', { 'if-match': '"v1"' }, strong, 412],
    ['PUT', { 'if-match': '*' }, {}, 200],
    // Weak tags never match in a strong comparison.
    ['GET', { 'if-match': 'W/"v2"' }, weak, 412],
    ['PUT', { 'if-unmodified-since': at }, strong, 200],
    ['PUT', { 'if-unmodified-since': before }, strong, 412],
    ['PUT', { 'if-match': '"v2"', 'if-unmodified-since': before }, strong, 200],
    ['GET', { 'if-match': '"v2"', 'if-none-match': '"v2"' }, strong, 304],
  ])('%s %j of %j: %i', (method, headers, validators, status) => {
    expect(evaluateConditions({ method, headers }, validators)).toBe(status);
  });
});

describe('ranges', () => {
  it.each([
    [{ range: 'bytes=0-0' }, { from: 0, to: 0 }],
    [{ range: 'bytes=2-' }, { from: 2, to: 9 }],
    [{ range: 'Bytes=2-99999999999999999999' }, { from: 2, to: 9 }],
    [{ range: 'bytes=-3' }, { from: 7, to: 9 }],
    [{ range: 'bytes=-30' }, { from: 0, to: 9 }],
    [{ range: 'bytes=10-' }, 'unsatisfiable'],
    [{ range: 'bytes=-0' }, 'unsatisfiable'],
    [{}, null],
    [{ range: 'bytes=3-2' }, null],
    [{ range: 'bytes=-' }, null],
    [{ range: 'bytes=0-1,4-5' }, null],
    [{ range: 'lines=0-1' }, null],
    [
      { range: 'bytes=0-1', 'if-range': '"v2"' },
      { from: 0, to: 1 },
    ],
    [{ range: 'bytes=0-1', 'if-range': '"v1"' }, null],
    [
      { range: 'bytes=0-1', 'if-range': at },
      { from: 0, to: 1 },
    ],
    [{ range: 'bytes=0-1', 'if-range': before }, null],
    [{ range: 'bytes=0-1', 'if-range': 'W/"v2"' }, null],
  ])('GET %j of ten bytes: %j', (headers, range) => {
    expect(requestedRange({ method: 'GET', headers }, strong, 10)).toEqual(range);
    expect(requestedRange({ method: 'HEAD', headers }, strong, 10)).toBeNull();
  });

  it('of nothing cannot be satisfied', () => {
    for (const range of ['bytes=0-', 'bytes=-1'])
      expect(requestedRange({ method: 'GET', headers: { range } }, {}, 0)).toBe('unsatisfiable');
  });
});
