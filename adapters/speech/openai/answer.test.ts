import fc from 'fast-check';
import { segmentsOfAnswer } from './answer.ts';
import { languageTag } from './language.ts';

const read = (answer: unknown, language: string | null = null) =>
  segmentsOfAnswer(JSON.stringify(answer), { seconds: 10, language });

describe('answers of speech servers', () => {
  it('have words beside the segments', () => {
    const answer = {
      language: 'english',
      duration: 4.2,
      text: 'Hello there. Good bye.',
      segments: [
        { id: 1, start: 2, end: 4, text: ' Good bye.' },
        { id: 0, start: 0, end: 1.5, text: ' Hello there.' },
      ],
      words: [
        { word: 'Hello', start: 0, end: 0.5 },
        { word: 'there', start: 0.6, end: 1.2 },
        { word: 'Good', start: 1.9, end: 2.4 },
        { word: 'bye', start: 2.5, end: 4.1 },
      ],
    };
    expect(read(answer)).toEqual([
      {
        text: 'Hello there.',
        start: 0,
        end: 1.5,
        speaker: null,
        language: 'en',
        timingPrecision: 'word',
        words: [
          { text: 'Hello', start: 0, end: 0.5, confidence: null },
          { text: 'there', start: 0.6, end: 1.2, confidence: null },
        ],
      },
      {
        text: 'Good bye.',
        start: 1.9,
        end: 4.1,
        speaker: null,
        language: 'en',
        timingPrecision: 'word',
        words: [
          { text: 'Good', start: 1.9, end: 2.4, confidence: null },
          { text: 'bye', start: 2.5, end: 4.1, confidence: null },
        ],
      },
    ]);
  });

  it('have words inside the segments, with what they are sure of, and speakers', () => {
    const answer = {
      text: 'ja',
      segments: [
        {
          start: 0,
          end: 2,
          text: 'ja',
          speaker: 'SPEAKER_01',
          language: 'de',
          words: [{ word: ' ja', start: 0.5, end: 0.9, probability: 0.87654, t_dtw: -1 }],
        },
      ],
    };
    expect(read(answer)).toEqual([
      {
        text: 'ja',
        start: 0,
        end: 2,
        speaker: 'SPEAKER_01',
        language: 'de',
        timingPrecision: 'word',
        words: [{ text: 'ja', start: 0.5, end: 0.9, confidence: 0.877 }],
      },
    ]);
  });

  it('have segments alone', () => {
    expect(read({ segments: [{ start: 1, end: 25, text: 'one two' }] }, 'nl')).toEqual([
      { text: 'one two', start: 1, end: 10, speaker: null, language: 'nl', words: [], timingPrecision: 'segment' },
    ]);
  });

  it('have words alone', () => {
    expect(
      read(
        {
          words: [
            { text: 'a', start: 0, end: 1 },
            { text: 'b', start: 1.1, end: 2 },
            { text: 'c', start: 4, end: 5 },
          ],
        },
        'en',
      ).map(({ text, start, end }) => [text, start, end]),
    ).toEqual([
      ['a b', 0, 2],
      ['c', 4, 5],
    ]);
  });

  it('have text alone, whose language is then told from it', () => {
    expect(read({ text: ' Das Wetter ist heute nicht so gut wie es gestern war.\n' })).toEqual([
      {
        text: 'Das Wetter ist heute nicht so gut wie es gestern war.',
        start: 0,
        end: 10,
        speaker: null,
        language: 'de',
        words: [],
        timingPrecision: 'segment',
      },
    ]);
    expect(read({ text: '' })).toEqual([]);
    expect(read({ text: '', segments: [], words: [] })).toEqual([]);
  });

  it.each([1e3, 1e6, 1e9])('may tell times as parts of a second: %d', (parts) => {
    const answer = {
      segments: [
        { start: 0, end: 2.4 * parts, text: 'one', words: [{ word: 'one', start: 0.5 * parts, end: 2 * parts }] },
        { start: 2.4 * parts, end: 9 * parts, text: 'two' },
      ],
    };
    expect(
      read(answer).map(({ text, start, end, words }) => [
        text,
        start,
        end,
        ...words.map((word) => [word.start, word.end]),
      ]),
    ).toEqual([
      ['one', 0, 2.4, [0.5, 2]],
      ['two', 2.4, 9],
    ]);
  });

  it('may tell that speech ended after the sound did', () => {
    expect(read({ segments: [{ start: 1, end: 30, text: 'one' }] }).map(({ start, end }) => [start, end])).toEqual([
      [1, 10],
    ]);
    const segments = [
      { start: 1, end: 2, text: 'one' },
      { start: 2, end: 3, text: 'two' },
      { start: 3, end: 4e9, text: 'three' },
    ];
    expect(read({ segments }).map(({ start, end }) => [start, end])).toEqual([
      [1, 2],
      [2, 3],
      [3, 10],
    ]);
  });

  it('lose what has no usable times, and no more', () => {
    const answer = {
      text: 'a b',
      segments: [
        { start: null, end: 1, text: 'a' },
        { start: 2, end: 1, text: 'b' },
        'c',
        { start: 3, end: 4, text: ' ' },
      ],
    };
    expect(read(answer).map(({ text, start, end }) => [text, start, end])).toEqual([['b', 2, 2]]);
    expect(
      read({ text: 'all of it', segments: [{ text: 'all of it' }] }).map(({ text, start, end }) => [text, start, end]),
    ).toEqual([['all of it', 0, 10]]);
  });

  it('that say nothing of speech are refused', () => {
    for (const answer of [null, 3, [], {}, { error: { message: 'x' } }, { text: 7 }])
      expect(() => read(answer)).toThrow(/answered/);
    expect(() => read({ segments: Array.from({ length: 20_001 }, () => ({})) })).toThrow('20001');
  });

  it('give segments in order and inside the sound, whatever they hold', () => {
    const anything = fc.oneof(
      fc.double(),
      fc.string({ unit: 'binary' }),
      fc.constant(null),
      fc.integer({ min: -5, max: 20 }),
    );
    const item = fc.record(
      {
        start: anything,
        end: anything,
        text: anything,
        word: anything,
        probability: anything,
        speaker: anything,
        language: anything,
      },
      { requiredKeys: [] },
    );
    const segment = fc.tuple(item, fc.option(fc.array(item))).map(([fields, words]) => ({ ...fields, words }));
    fc.assert(
      fc.property(
        fc.record({ text: fc.string(), language: anything, segments: fc.array(segment), words: fc.array(item) }),
        (answer) => {
          let last = 0;
          for (const { start, end, text, speaker, words, timingPrecision } of read(answer)) {
            expect(text.trim()).toBe(text);
            expect(text.isWellFormed() && (speaker ?? '').isWellFormed()).toBe(true);
            expect([start >= 0, end >= start, end <= 10]).toEqual([true, true, true]);
            expect(timingPrecision).toBe(words.length > 0 ? 'word' : 'segment');
            let from = start;
            for (const word of words) {
              expect([word.start >= from, word.end >= word.start, word.end <= end, word.text !== '']).toEqual([
                true,
                true,
                true,
                true,
              ]);
              from = word.start;
            }
            last = Math.max(last, start);
          }
          expect(last).toBeLessThanOrEqual(10);
        },
      ),
    );
  });
});

describe('what servers call languages', () => {
  it.each([
    ['english', 'en'],
    ['German', 'de'],
    ['en', 'en'],
    ['pt-BR', 'pt'],
    ['norwegian', 'no'],
    ['Chinese', 'zh'],
    ['', null],
    ['multi', null],
    [7, null],
    ['x'.repeat(100), null],
  ])('%s is %s', (named, tag) => {
    expect(languageTag(named)).toBe(tag);
  });
});
