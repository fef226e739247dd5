import fc from 'fast-check';
import { analyse } from '../../models/analyser/analyser.ts';
import { shownWords } from './shown-words.ts';
import type { TextWord, Words } from './words.ts';

function passage(text: string, analysedAs = 'en', stems = analyse(text, analysedAs).map(({ stem }) => stem).join(' ')) {
  return { text, analysedAs, stems };
}

function listOf(words: Words): TextWord[] {
  return Array.from({ length: words.length }, (_, place) => ({ start: words.startOf(place), end: words.endOf(place) ?? -1, stem: words.stemsOf(place, place + 1) }));
}

const pieces = ['a', 'B', 'gx', '4471', '1,000.5', '12', '-', '_', '.', '@', "'", "'s", "don't", ' ', ' ', '\n', 'running', 'Running', 'LOUDLY', 'getUserName', '%', '`', '[', 'é', '数据', '😀', ''];

describe('the words of shown passages', () => {
  const text = 'Running dogs barked loudly all night long, said the neighbours. '.repeat(5);

  it('are those that the analyser gives, whatever the text', () => {
    const words = shownWords(analyse);
    fc.assert(fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 14 }), fc.constantFrom('en', 'de', 'ko', 'und'), (parts, language) => {
      const made = parts.join('');
      expect(listOf(words(passage(made, language)))).toEqual(analyse(made, language));
    }), { numRuns: 1000 });
  });

  it('do not trust stems that do not go with the text', () => {
    const words = shownWords(analyse);
    for (const [place, stems] of ['', 'run', `${passage(text).stems} more`, passage(text).stems.slice(4), passage('GX-4471 barks').stems].entries()) {
      const made = `${text} GX-4471 ${place}`;
      expect(listOf(words(passage(made, 'en', stems)))).toEqual(analyse(made, 'en'));
    }
  });

  it('are looked for once, and forgotten when many others were shown', () => {
    let asked = 0;
    const words = shownWords((each, language) => {
      asked++;
      return analyse(each, language);
    });
    const accented = `é ${text}`;
    for (let time = 0; time < 3; time++) for (const language of ['en', 'und', 'de']) expect(listOf(words(passage(accented, language)))).toEqual(analyse(accented, language));
    expect(asked).toBe(3);
    for (let place = 0; place < 2000; place++) words(passage(`${accented}${place}`, 'en', ''));
    words(passage(accented));
    expect(asked).toBe(2004);
    const overlong = passage(accented.repeat(20));
    for (let time = 0; time < 2; time++) words(overlong);
    expect(asked).toBe(2006);
  });
});
