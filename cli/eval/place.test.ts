import type { Location } from '../../models/block.ts';
import { isAt, parsePlace } from './place.ts';

const at = (place: string, location: Location, snippet = 'one\ntwo\nthree'): boolean => {
  const parsed = parsePlace(place);
  return parsed !== null && isAt(parsed, { location, snippet });
};

describe('a place', () => {
  it.each<[string, Location, boolean]>([
    ['page 3', { page: 3 }, true],
    ['Page 3', { page: 4 }, false],
    ['3', { page: 3, charStart: 0 }, true],
    ['12', { lineStart: 10, lineEnd: 14 }, true],
    ['line 15', { lineStart: 10, lineEnd: 14 }, false],
    ['slide 2', { slide: 2, title: 'Glazes' }, true],
    ['row 9', { row: 7 }, true],
    ['row 10', { row: 7 }, false],
    ['row 6', { row: 7 }, false],
    ['block 5', { block: 5, heading: 'Terms' }, true],
    ['element 3', { element: 1 }, true],
    ['sheet prices', { sheet: 'Prices', row: 40 }, true],
    ['sheet Prices row 41', { sheet: 'Prices', row: 40 }, true],
    ['sheet Prices, row 39', { sheet: 'Prices', row: 40 }, false],
    ['sheet Costs', { sheet: 'Prices', row: 40 }, false],
    ['heading Terms of use', { heading: 'Terms of Use', block: 4 }, true],
    ['1:05', { startSeconds: 60, endSeconds: 80 }, true],
    ['1:01:05', { startSeconds: 3660, endSeconds: 3680 }, true],
    ['1:25', { startSeconds: 60, endSeconds: 80 }, false],
    ['page 3', { startSeconds: 60, endSeconds: 80 }, false],
  ])('%s and %j: %j', (place, location, expected) => {
    expect(at(place, location)).toBe(expected);
  });

  it('may be behind the end of a shortened snippet', () => {
    expect([at('row 150', { row: 7 }, 'one\ntwo…'), at('row 300', { row: 7 }, 'one\ntwo…')]).toEqual([true, false]);
  });

  it.each(['somewhere', 'page', 'page 0', '1:75', 'chapter 3', '-4'])('is not %s', (text) => {
    expect(parsePlace(text)).toBeNull();
  });
});
