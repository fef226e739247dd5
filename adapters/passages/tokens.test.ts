import fc from 'fast-check';
import { indexText, indexToken, metadataMarks, primaryLanguage, principalMark } from './tokens.ts';
import { matchTerms } from './term-matches.ts';

describe('index tokens', () => {
  it('are short, alphanumeric and distinct for distinct stems', () => {
    const stem = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 300 });
    fc.assert(
      fc.property(stem, stem, (a, b) => {
        expect(indexToken(a)).toMatch(/^[a-z0-9]{1,210}$/);
        expect(indexToken(a) === indexToken(b)).toBe(a === b);
      }),
    );
  });

  it('keep plain stems readable and distinct from escaped ones', () => {
    expect(indexText('run 42 zz2d -')).toBe('run 42 zz7a7a3264 zz2d');
    expect(indexText('')).toBe('');
  });
});

describe('marks', () => {
  it('distinguish types and kinds of values', () => {
    const marks = [...metadataMarks('k', [1, '1', true, 'true']), principalMark('k'), ...metadataMarks('k1', '')];
    expect(new Set(marks).size).toBe(6);
    expect(metadataMarks('k', 1.0)).toEqual(metadataMarks('k', [1]));
  });

  it('compare languages by their primary subtag', () => {
    expect(['en-GB', 'EN', 'en_us', ''].map(primaryLanguage)).toEqual(['en', 'en', 'en', '']);
  });
});

describe('term matches', () => {
  it('equal a count over the split words', () => {
    const word = fc.constantFrom('a', 'aa', 'aaa', 'ab', 'b');
    fc.assert(
      fc.property(fc.array(word), fc.array(fc.uniqueArray(word)), (words, terms) => {
        const matches = matchTerms(words.join(' '), terms);
        expect(matches.frequencies).toEqual(terms.map((term) => words.filter((each) => term.includes(each)).length));
        expect(matches.positions).toEqual(
          words.flatMap((word, i) => terms.flatMap((term, number) => (term.includes(word) ? [i, number] : []))),
        );
      }),
    );
  });
});
