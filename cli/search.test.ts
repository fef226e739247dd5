import fc from 'fast-check';
import type { Location } from '../models/block.ts';
import { highlighted, describeLocation } from './search.ts';

describe('the location of a passage in words', () => {
  it.each<[Location, string]>([
    [{ page: 3, charStart: 10, charEnd: 90 }, 'page 3'],
    [{ sheet: 'Prices', row: 7 }, 'sheet Prices, row 7'],
    [{ lineStart: 4, lineEnd: 9 }, 'lines 4-9'],
    [{ lineStart: 4, lineEnd: 4 }, 'line 4'],
    [{ heading: 'Terms', block: 12 }, 'under "Terms", block 12'],
    [{ heading: 'Terms\u001b[2J', element: 2 }, 'under "Terms [2J", element 2'],
    [{ block: 4, row: 2, column: 3 }, 'row 2, column 3, block 4'],
    [
      { startSeconds: 58.2, endSeconds: 101.9, playFromSeconds: 65.99, timingPrecision: 'word' },
      'at 01:05 (00:58-01:41)',
    ],
    [
      { source: 'slide', startSeconds: 3700, endSeconds: 3765, playFromSeconds: 3700, timingPrecision: 'segment' },
      'at 1:01:40 (1:01:40-1:02:45), on the screen',
    ],
    [{ resource: 'player/data.js', title: 'Glazes', slide: 2 }, 'player/data.js, "Glazes", slide 2'],
    [{ resource: 'a.html', title: 'Glazes', heading: 'Glazes', element: 1 }, 'a.html, "Glazes", element 1'],
    [
      { resource: 'a.html', title: 'Glazes', heading: 'Firing', element: 7 },
      'a.html, "Glazes", under "Firing", element 7',
    ],
    [{}, ''],
  ])('%j is %s', (location, words) => {
    expect(describeLocation(location)).toBe(words);
  });
});

describe('a snippet with highlights', () => {
  it('has brackets in a file and bold words on a terminal', () => {
    const marks = [
      { start: 4, end: 7 },
      { start: 8, end: 11 },
    ];
    expect(highlighted('the red fox', marks, false)).toBe('the [red] [fox]');
    expect(highlighted('the red fox', marks, true)).toBe('the \u001b[1mred\u001b[0m \u001b[1mfox\u001b[0m');
  });

  it('counts in UTF-16 code units', () => {
    expect(highlighted('👍 red', [{ start: 3, end: 6 }], false)).toBe('👍 [red]');
  });

  it('removes control characters inside and outside highlights', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1 }), fc.nat(), fc.nat(), (text, one, other) => {
        const [start = 0, end = 0] = [one % text.length, other % text.length].sort((a, b) => a - b);
        expect(highlighted(text, [{ start, end }], false)).not.toMatch(/\p{Cc}/u);
      }),
    );
  });
});
