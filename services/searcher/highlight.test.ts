import fc from 'fast-check';
import { analyse, analyseQuery } from '../../models/analyser/analyser.ts';
import { commonWordFilter, markWords, mergeMarks, stemIndex, type TextWord } from './highlight.ts';
import { planQuery } from './query.ts';
import { snippetOf } from './snippet.ts';

const vocabulary = [
  'wing',
  'wings',
  'Flow',
  'flowing',
  'the',
  'of',
  'GX-4471',
  'pump',
  'straße',
  '漢字',
  'naïve',
  '😀',
  'boundary',
  'layers',
  'layer',
];
const texts = fc
  .array(fc.tuple(fc.constantFrom(...vocabulary), fc.constantFrom(' ', ' ', ' ', '. ', ', ', '\n', ' – ')), {
    maxLength: 300,
  })
  .map((parts) => parts.map(([word, gap]) => word + gap).join(''));
const queries = fc
  .array(fc.constantFrom('wing', 'flow', 'gx-4471', 'layers', 'pumps', '漢字', 'strasse'), {
    minLength: 1,
    maxLength: 3,
  })
  .map((words) => words.join(' '));

function wordsOf(text: string): TextWord[] {
  return analyse(text, 'en');
}

function termsOf(query: string): string[][] {
  return analyseQuery(query, ['en'])
    .filter((word) => !word.common)
    .map((word) => word.stems);
}

describe('snippets and highlights', () => {
  it('mark exactly the words of the snippet whose stems the query has', () => {
    fc.assert(
      fc.property(texts, queries, (text, query) => {
        const stems = stemIndex(termsOf(query));
        const words = wordsOf(text);
        const { snippet, highlights } = snippetOf(
          text,
          words,
          markWords(words, stems),
          termsOf(query).map(() => 1),
        );
        let last = -1;
        for (const { start, end } of highlights) {
          expect(start > last && end > start && end <= snippet.length).toBe(true);
          last = end;
        }
        const covers = (start: number, end: number) =>
          highlights.some((mark) => mark.start <= start && mark.end >= end);
        for (const { start, end, stem } of analyse(snippet, 'en')) {
          if (stems.has(stem)) expect(covers(start, end)).toBe(true);
        }
        for (const { start, end } of highlights)
          expect(markWords(wordsOf(snippet.slice(start, end)), stems).length).toBeGreaterThan(0);
      }),
    );
  });

  it('are part of the passage, with an ellipsis only where something is left out', () => {
    fc.assert(
      fc.property(texts, queries, (text, query) => {
        const words = wordsOf(text);
        const { snippet } = snippetOf(text, words, markWords(words, stemIndex(termsOf(query))), [1, 1, 1]);
        const inner = snippet.replace(/^…/, '').replace(/…$/, '');
        expect(text).toContain(inner);
        expect(snippet.startsWith('…')).toBe(!text.startsWith(inner));
        expect(snippet.endsWith('…')).toBe(!text.endsWith(inner));
      }),
    );
  });

  it('show a mark whenever the passage has one', () => {
    fc.assert(
      fc.property(texts, queries, (text, query) => {
        const words = wordsOf(text);
        const marked = markWords(words, stemIndex(termsOf(query)));
        expect(snippetOf(text, words, marked, [1, 1, 1]).highlights.length > 0).toBe(marked.length > 0);
      }),
    );
  });

  it('show the only mark of a passage at any position, with and without sentences', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 200 }), fc.nat(), fc.constantFrom(' ', '. '), (count, at, gap) => {
        const text = Array.from({ length: count }, (_, index) => (index === at % count ? 'pump' : 'valley')).join(gap);
        const words = wordsOf(text);
        const { snippet, highlights } = snippetOf(text, words, markWords(words, stemIndex(termsOf('pump'))), [1]);
        expect(highlights.map(({ start, end }) => snippet.slice(start, end))).toEqual(['pump']);
        expect(analyse(snippet, 'en').length).toBeLessThanOrEqual(75);
      }),
    );
  });

  it('show a short passage whole', () => {
    const text = 'The pump runs. Its seal is new.';
    const words = wordsOf(text);
    expect(snippetOf(text, words, markWords(words, stemIndex(termsOf('seals'))), [1])).toEqual({
      snippet: text,
      highlights: [{ start: 19, end: 23 }],
    });
  });

  it('begin with a sentence near the marks of a long passage', () => {
    const filler = 'Nothing of note happened on that long and quiet day in the valley. '.repeat(12);
    const text = `${filler}The engine seal failed at noon. ${filler}`;
    const words = wordsOf(text);
    const { snippet, highlights } = snippetOf(text, words, markWords(words, stemIndex(termsOf('engine seal'))), [1, 1]);
    expect(snippet).toMatch(/^…(Nothing|The engine)/);
    expect(snippet).toMatch(/\.…$/);
    expect(highlights.map(({ start, end }) => snippet.slice(start, end))).toEqual(['engine seal']);
  });

  function excerptOf(text: string, query: string): string {
    const words = wordsOf(text);
    return snippetOf(
      text,
      words,
      markWords(words, stemIndex(termsOf(query))),
      termsOf(query).map(() => 1),
    ).snippet;
  }

  it('begin and end with rows of a table, and show the row of a mark to its end', () => {
    const rows = Array.from(
      { length: 40 },
      (_, row) =>
        `Part ${row} | KX-${row}99 | ${row === 20 ? 'pump' : 'valley'} | ${'deep river stone '.repeat(row % 4)} | $${row}.50`,
    );
    const inner = excerptOf(rows.join('\n'), 'pump').replace(/^…|…$/gu, '').split('\n');
    expect(inner.every((row) => rows.includes(row))).toBe(true);
    expect(inner).toContain(rows[20]);
  });

  it('begin with the sign of a list item, and end before the number of the next one', () => {
    const items = Array.from(
      { length: 30 },
      (_, item) =>
        `${item + 1}. ${item === 15 ? 'Seal the pump with the new ring' : 'Carry the long valley river stone'}`,
    );
    expect(excerptOf(items.join('\n'), 'pump')).toMatch(/^…16\. Seal the pump[^]* stone…$/u);
    const dashes = items.map((item) => item.replace(/^\d+\./u, '-'));
    expect(excerptOf(dashes.join('\n'), 'pump')).toMatch(/^…- Seal[^]* stone…$/u);
  });

  it('begin with the signs that belong to the first word', () => {
    const filler = 'Nothing of note happened on that long and quiet day in the valley. '.repeat(12);
    expect(excerptOf(`${filler}“Engine seals cost “much”. ${filler}`, 'engine seal')).toMatch(/^…(Nothing|“Engine)/u);
    expect(excerptOf(`${filler}${'river '.repeat(20)}**Engine** seals. ${filler}`, 'engine seal')).toMatch(/^…river/u);
    expect(excerptOf(`${filler}$12.50 is the price of a pump. ${filler}`, 'price pump')).toMatch(
      /^…(Nothing|\$12\.50)/u,
    );
  });

  it('do not begin inside a compound', () => {
    const codes = Array.from({ length: 80 }, (_, index) => (index === 50 ? 'pump' : `river.stone_${index}`)).join(' ');
    expect(excerptOf(codes, 'pump')).toMatch(/^…river\.stone_\d+ /u);
  });

  it('do not end with an abbreviation', () => {
    const filler = 'River '.repeat(60);
    for (const many of [48, 49, 50, 51, 52]) {
      expect(
        excerptOf(`${filler}The pump ${'runs '.repeat(many)}with oil (e.g. colza oil) and water. ${filler}`, 'pump'),
      ).toMatch(/and water\.…$/u);
    }
  });

  it('join adjacent marks, and not those of two sentences', () => {
    expect(
      mergeMarks('state-of-art flow. Flow', [
        { start: 0, end: 5 },
        { start: 6, end: 8 },
        { start: 9, end: 12 },
        { start: 13, end: 17 },
        { start: 19, end: 23 },
      ]),
    ).toEqual([
      { start: 0, end: 17 },
      { start: 19, end: 23 },
    ]);
  });
});

describe('marks of an abbreviation', () => {
  function markedIn(text: string, query: string): string[] {
    const plan = planQuery(analyseQuery(query, ['en']), [], true);
    const isCommonWord = commonWordFilter(query, plan);
    return markWords(wordsOf(text), stemIndex(plan.terms))
      .filter((mark) => !isCommonWord(mark, { text, analysedAs: 'en' }))
      .map(({ start, end }) => text.slice(start, end));
  }

  it('leave out the ordinary word', () => {
    expect(markedIn('The IT desk opens at nine. It helps when it can.', 'IT desk')).toEqual(['IT', 'desk']);
    expect(markedIn('Who is it? It is the desk.', 'who is it')).toEqual([]);
  });
});
