import fc from 'fast-check';
import { analyse } from './analyser.ts';
import { isCorrection, misspellingOf } from './misspelling.ts';
import { errorsBetween, isLetterReplaced, partsOfLikeness, partsOfStem } from './spelling.ts';

const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'd', 'e'), minLength: 3, maxLength: 14 });

/** Makes one typing error at a position. */
function mistyped(given: string, [kind, at, letter]: [number, number, string]): string {
  const position = at % given.length;
  if (kind === 0) return given.slice(0, position) + given.slice(position + 1);
  if (kind === 1) return given.slice(0, position) + letter + given.slice(position);
  if (kind === 2) return given.slice(0, position) + letter + given.slice(position + 1);
  return (
    given.slice(0, position) +
    given.slice(position + 1, position + 2) +
    given.charAt(position) +
    given.slice(position + 2)
  );
}

const error = fc.tuple(fc.nat(3), fc.nat(20), fc.constantFrom('a', 'x', 'é'));

describe('errors between words', () => {
  it.each([
    ['cat', 'cat', 0],
    ['cat', 'act', 1],
    ['cat', 'cart', 1],
    ['cat', 'at', 1],
    ['cat', 'bat', 1],
    ['organ', 'organz', 1],
    ['abcd', 'badc', 2],
    ['cat', 'dog', 3],
  ])('%s and %s: %d', (one, other, errors) => {
    expect(errorsBetween(one, other, 2)).toBe(errors);
    expect(errorsBetween(other, one, 2)).toBe(errors);
  });

  it('are at most as many as were made', () => {
    fc.assert(
      fc.property(word, error, (given, made) =>
        expect(errorsBetween(given, mistyped(given, made), 2)).toBeLessThanOrEqual(1),
      ),
    );
  });
});

describe('parts', () => {
  it('lead from a word to every word within one error, and to those of six letters and more within two', () => {
    fc.assert(
      fc.property(word, error, error, (given, first, second) => {
        const once = mistyped(given, first);
        const twice = mistyped(once, second);
        const parts = new Set(partsOfStem(given));
        if (once.length > 2) expect(partsOfLikeness(once, 1).some((part) => parts.has(part))).toBe(true);
        if (given.length >= 6 && errorsBetween(given, twice, 2) <= 2)
          expect(partsOfLikeness(twice, 2).some((part) => parts.has(part))).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  it('are few', () => {
    expect(partsOfStem('mainten')).toEqual(['7.0.ma', '7.1.in', '7.2.ten']);
    expect(partsOfLikeness('maintenance', 2).length).toBeLessThan(60);
    expect(partsOfLikeness('maintenance', 1).length).toBeLessThan(12);
    expect([partsOfStem('gx4471'), partsOfStem('ab'), partsOfStem('x'.repeat(41))]).toEqual([[], [], []]);
  });
});

describe('a misspelling', () => {
  it('allows for one error from five letters and two from eight, in words alone', () => {
    const editsOf = (typed: string) => misspellingOf(typed, [typed], ['und'])?.edits ?? 0;
    expect(['pump', 'pumps', 'seventh', 'eighteen', 'gx4471', '10000'].map(editsOf)).toEqual([0, 1, 1, 2, 0, 0]);
  });

  it.each([
    ['managment', 'management'],
    ['maintenanse', 'maintenance'],
    ['universty', 'university'],
    ['govermnent', 'government'],
    ['recieve', 'receive'],
    ['accomodation', 'accommodation'],
    ['seperate', 'separate'],
  ])('%s leads to %s', (typed, meant) => {
    const [stem = ''] = analyse(meant, 'en').map((each) => each.stem);
    const [own = ''] = analyse(typed, 'en').map((each) => each.stem);
    const misspelling = misspellingOf(typed, [own], ['en']);
    expect(
      misspelling?.forms.includes(stem) === true ||
        errorsBetween(own, stem, misspelling?.edits ?? 0) <= (misspelling?.edits ?? 0),
    ).toBe(true);
  });
});

describe('a correction', () => {
  it.each<[string, string, 1 | 2, string]>([
    ['managment', 'management', 2, 'en'],
    ['recieve', 'received', 1, 'en'],
    ['valbe', 'valve', 1, 'en'],
    ['maintenanse', 'maintenance', 2, 'en'],
    ['vertarg', 'vertrages', 1, 'de'],
  ])('of %s may be %s', (typed, form, edits, language) => {
    expect(isCorrection(typed, form, edits, language)).toBe(true);
  });

  it.each<[string, string, 1 | 2, string, string]>([
    ['organ', 'morgan', 1, 'en', 'the first letter'],
    ['decoding', 'decorative', 2, 'en', 'the ending'],
    ['unloved', 'uncovers', 1, 'en', 'the ending'],
    ['vary', 'vars', 1, 'en', 'too few letters'],
    ['bestand', 'beweand', 2, 'de', 'two errors in a short word'],
    ['geblieben', 'gebiet', 2, 'de', 'two errors in a short stem'],
    ['decoding', 'decided', 1, 'en', 'too few letters of the stem'],
  ])('of %s is not %s with %d errors in %s: %s', (typed, form, edits, language) => {
    expect(isCorrection(typed, form, edits, language)).toBe(false);
  });
});

describe('a replaced letter', () => {
  it.each([
    ['portal', 'postal', true],
    ['portal', 'portals', false],
    ['portal', 'potral', false],
    ['portal', 'portal', false],
  ])('is told between %s and %s: %s', (one, other, expected) => {
    expect(isLetterReplaced(one, other)).toBe(expected);
  });
});
