import { analyse, analyseQuery } from '../../../models/analyser/analyser.ts';
import type { SearchItem } from '../../../models/api.ts';
import { markWords, stemIndex } from '../highlight.ts';
import type { Marking } from '../present.ts';
import type { Offered, Written } from './offered.ts';
import { quotesOf } from './quotes.ts';
import { sentencesOf } from './sentences.ts';

const item: SearchItem = {
  assetId: 'a',
  filename: 'a.txt',
  kind: 'document',
  revision: 1,
  score: 0.9,
  metadata: {},
  sourceReference: { externalId: 'a', sourceUrl: 'https://example.com/a', sourceVersion: 'v' },
  pinned: false,
  snippet: '',
  highlights: [],
  location: {},
  relevance: 0.9,
  confidence: 'high',
  matchType: 'both',
  speaker: null,
  language: null,
};

function quote(
  query: string,
  texts: readonly (string | { text: string; language: string; relevance?: number })[],
): Written {
  const passages = texts.map((each) => (typeof each === 'string' ? { text: each, language: 'en' } : each));
  const terms = analyseQuery(query, [...new Set(passages.map(({ language }) => language))])
    .filter(({ common }) => !common)
    .map(({ stems }) => stems);
  const stems = stemIndex(terms);
  const marking: Marking = {
    marksOf: (_candidate, _passage, words) => markWords(words, stems),
    weights: terms.map(() => 1),
    wordsOf: ({ text, analysedAs }) => analyse(text, analysedAs),
  };
  const offered = passages.map(({ text, language, ...more }, index): Offered => ({
    number: index + 1,
    item,
    hit: {
      candidate: {
        assetId: `${index}`,
        revision: 1,
        ordinal: 0,
        attributesVersion: 1,
        frequencies: [],
        positions: [],
        forms: null,
        length: 1,
        cosine: null,
        model: null,
        analysedAs: language,
      },
      createdAt: index,
      relevance: 0.9,
      score: 0.9,
      evidence: 2.2,
      ...more,
    },
    passage: {
      ordinal: 0,
      text,
      stems: '',
      length: 1,
      location: {},
      language: null,
      speaker: null,
      analysedAs: language,
    },
  }));
  return quotesOf(offered, marking);
}

describe('quotes', () => {
  it('are the sentences that contain most of the question, in the order of the passages', () => {
    const written = quote('How is the pump seal replaced?', [
      'The pump is blue. Replace the seal of the pump with the pump switched off. It is loud.',
      'A seal lives in the sea and eats fish. Nobody replaces it.',
    ]);
    expect(written.text).toMatch(/^Replace the seal of the pump with the pump switched off\. \[1\]/);
    expect(written.text).not.toContain('It is loud');
    expect(written.cited.has(1)).toBe(true);
  });

  it('are the relevant rows of a table, not the whole table', () => {
    const rows = [
      'Item | Category | Quantity | Vendor | Part number | Cost',
      'Motor mount, four pieces | Drive | 2 | RobotShop | RB-31 | $75.56',
      'Camera with depth sensor | Sensor | 1 | Newegg | N82E1687 | $138.99',
    ];
    expect(quote('what does the camera with a depth sensor cost', [rows.join('\n')]).text).toBe(
      `${rows[0] ?? ''} [1] ${rows[2] ?? ''} [1]`,
    );
  });

  it('contain no sentence twice, regardless of punctuation and letter case', () => {
    const written = quote('pump seal', [
      'Replace the pump seal every year.',
      'REPLACE the pump seal, every year!',
      'Replace the pump seal every year. Keep the old pump seal for the records of the yard.',
    ]);
    expect(written.text.toLowerCase().match(/replace/g)).toHaveLength(1);
    expect(written.text).toBe(
      'Replace the pump seal every year. [1] Keep the old pump seal for the records of the yard. [3]',
    );
  });

  it('are few, short and on one line', () => {
    const long = `The pump ${'turns and turns '.repeat(100)}until the seal breaks.`;
    const { text } = quote('pump seal', [
      long,
      'The pump\nof the yard\nhas a seal.',
      'Pump and seal are one thing here.',
      'Seal and pump are another thing there.',
    ]);
    expect(text.match(/\[\d\]/g)!.length).toBeLessThanOrEqual(3);
    expect(text.length).toBeLessThan(1100);
    expect(text).not.toContain('\n');
  });

  it('contain no text that looks like a citation', () => {
    const { text, cited } = quote('pump seal', ['The pump seal is old [2], says the manual [14, 15] and 【3】 too.']);
    expect(text).toBe('The pump seal is old (2), says the manual (14, 15) and (3) too. [1]');
    expect([...cited]).toEqual([1]);
  });

  it('quote the first sentence of a passage without query words', () => {
    expect(quote('canine training', ['Puppies learn to come when they are called. They need time.']).text).toMatch(
      /^Puppies learn to come when they are called\. \[1\]/,
    );
  });

  it.each([
    [
      'de',
      'Wann wird die Dichtung ersetzt?',
      'Der Motor ist leise. Die Dichtung wird z. B. im Mai ersetzt. Danach ist Ruhe.',
      'Die Dichtung wird z. B. im Mai ersetzt. [1]',
    ],
    [
      'ja',
      '密封はいつ交換しますか',
      'ポンプは青いです。密封は毎年交換します。音は静かです。',
      '密封は毎年交換します。 [1]',
    ],
    ['zh', '密封 更换', '水泵是蓝色的。密封每年更换一次。声音很小。', '密封每年更换一次。 [1]'],
    [
      'fr',
      'remplacer le joint',
      'La pompe est bleue. Il faut remplacer le joint chaque année. Elle est silencieuse.',
      'Il faut remplacer le joint chaque année. [1]',
    ],
    ['ar', 'استبدال الختم', 'المضخة زرقاء. يتم استبدال الختم كل عام. هل هي هادئة؟', 'يتم استبدال الختم كل عام. [1]'],
  ])('of %s', (language, question, text, expected) => {
    expect(quote(question, [{ text, language }]).text.startsWith(expected)).toBe(true);
  });

  it('are empty if nothing is offered or no passage contains a word', () => {
    expect(quote('pump', [])).toEqual({ text: '', cited: new Set() });
    expect(quote('pump', ['*** --- ***']).text).toBe('');
  });
});

describe('sentences', () => {
  const of = (text: string, language = 'en') =>
    sentencesOf(text, language).map(({ start, end }) => text.slice(start, end));
  it.each<[string, string[]]>([
    ['One is here. Two is there!  Three?', ['One is here.', 'Two is there!', 'Three?']],
    ['Dr. Smith met Mr. J. Doe. They left.', ['Dr. Smith met Mr. J. Doe.', 'They left.']],
    ['It costs 3.50 euro. See example.com for more.', ['It costs 3.50 euro.', 'See example.com for more.']],
    [
      'a heading\nThe first line of a text that was broken to fit a page goes\non here and ends. Next.',
      ['a heading', 'The first line of a text that was broken to fit a page goes\non here and ends.', 'Next.'],
    ],
    ['Name | Price\nPump | 3', ['Name | Price', 'Pump | 3']],
    [
      'Item | Category | Quantity | Vendor | Part number | Cost\nMotor mount, four pieces | Drive | 2 | RobotShop | RB-31 | $75.56\nWheels | Drive',
      [
        'Item | Category | Quantity | Vendor | Part number | Cost',
        'Motor mount, four pieces | Drive | 2 | RobotShop | RB-31 | $75.56',
        'Wheels | Drive',
      ],
    ],
    [
      '- Accrual begins on the first day of employment with the company\n- Usage begins after ninety days\n• The balance is carried over to the year that follows',
      [
        '- Accrual begins on the first day of employment with the company',
        '- Usage begins after ninety days',
        '• The balance is carried over to the year that follows',
      ],
    ],
    ['', []],
    [' \n ', []],
  ])('of %j', (text, expected) => {
    expect(of(text)).toEqual(expected);
  });
});
