import fc from 'fast-check';
import type { Block } from '../../models/block.ts';
import type { Passage } from '../../models/passage.ts';
import { secondsAt } from '../../models/timings.ts';
import type { Segment } from '../../models/transcript.ts';
import { wordCount } from './word-count.ts';
import { recordingPassages } from './transcript-passages.ts';

async function* each<T>(items: Iterable<T>): AsyncGenerator<T> {
  yield* items;
}

async function passages(
  segments: Iterable<Segment>,
  { language = 'en', slides = [] }: { language?: string; slides?: Block[] } = {},
): Promise<Passage[]> {
  const all: Passage[] = [];
  for await (const passage of recordingPassages({ segments: each(segments), slides: each(slides) }, { language }))
    all.push(passage);
  return all;
}

/** A segment whose words take half a second each, with a tenth of a second between them. */
function spoken(text: string, start: number, more: Partial<Segment> = {}): Segment {
  const words = text.split(' ').map((word, index) => ({
    text: word.replace(/[.,"]/g, ''),
    start: start + index * 0.6,
    end: start + index * 0.6 + 0.5,
    confidence: 1,
  }));
  return {
    id: String(start),
    text,
    start,
    end: words.at(-1)?.end ?? start,
    speaker: null,
    language: 'en',
    words,
    timingPrecision: 'word',
    ...more,
  };
}

/** A segment whose own bounds alone are known. */
function timed(text: string, start: number, end: number, more: Partial<Segment> = {}): Segment {
  return {
    id: String(start),
    text,
    start,
    end,
    speaker: null,
    language: 'en',
    words: [],
    timingPrecision: 'segment',
    ...more,
  };
}

const words = (count: number, word = 'word'): string =>
  Array.from({ length: count }, (_, index) => `${word}${index}`).join(' ');

/** When a word of a passage is said. */
function saidAt(passage: Passage | undefined, word: string): number | null {
  if (passage === undefined || !passage.text.includes(word)) throw new Error(`no ${word} in the passage`);
  return secondsAt(passage, passage.text.indexOf(word));
}

describe('passages of speech', () => {
  it('join consecutive segments and tell when each word is said', async () => {
    const [passage, ...others] = await passages([
      spoken('Good morning, "everybody".', 10),
      spoken('The turbine is running.', 20),
    ]);
    expect(others).toEqual([]);
    expect(passage).toMatchObject({
      ordinal: 0,
      text: 'Good morning, "everybody". The turbine is running.',
      location: { startSeconds: 10, endSeconds: 22.3, timingPrecision: 'word' },
      language: 'en',
      speaker: null,
      analysedAs: 'en',
      stems: 'good morn everybodi the turbin is run\n morn=0ing everybodi=1y turbin=0e run=0ning',
    });
    for (const [word, second] of [
      ['Good', 10],
      ['morning', 10.6],
      ['everybody', 11.2],
      ['The', 20],
      ['turbine', 20.6],
      ['running', 21.8],
    ] as const)
      expect(saidAt(passage, word)).toBeCloseTo(second, 5);
    // No word is stretched over the pause behind it.
    expect(saidAt(passage, 'body"')).toBeLessThan(11.8);
  });

  it('never cross a change of speaker or of language', async () => {
    const found = await passages([
      spoken('We begin.', 0, { speaker: 'Ann' }),
      spoken('Very well.', 2, { speaker: 'Ann' }),
      spoken('I agree.', 4, { speaker: 'Bob' }),
      spoken('Die Häuser', 6, { speaker: 'Bob', language: 'de' }),
      spoken('ohne Namen', 8, { language: 'de' }),
    ]);
    expect(found.map(({ text, speaker, language, analysedAs }) => [text, speaker, language, analysedAs])).toEqual([
      ['We begin. Very well.', 'Ann', 'en', 'en'],
      ['I agree.', 'Bob', 'en', 'en'],
      ['Die Häuser', 'Bob', 'de', 'de'],
      ['ohne Namen', null, 'de', 'de'],
    ]);
    expect(found[2]?.stems).toContain('haus');
  });

  it('span at most 60 seconds and hold about 200 words', async () => {
    const slow = await passages(
      Array.from({ length: 8 }, (_, index) => timed('some words', index * 20, index * 20 + 20)),
    );
    expect(slow.map(({ location }) => [location.startSeconds, location.endSeconds])).toEqual([
      [0, 60],
      [60, 120],
      [120, 160],
    ]);
    const fast = await passages(Array.from({ length: 10 }, (_, index) => timed(words(50), index * 5, index * 5 + 5)));
    expect(fast.map(({ text }) => wordCount(text))).toEqual([200, 200, 100]);
  });

  it('are cut at words by their times where a segment is longer', async () => {
    const found = await passages([spoken(`${words(299)} end.`, 5)]);
    expect(found.map(({ location }) => [location.startSeconds, location.endSeconds])).toEqual([
      [5, 64.9],
      [65, 124.9],
      [125, 184.9],
    ]);
    expect(found.map(({ text }) => text).join(' ')).toBe(`${words(299)} end.`);
    expect(saidAt(found[1], 'word150')).toBeCloseTo(5 + 150 * 0.6, 5);
    const reckoned = await passages([timed(words(100), 0, 200)]);
    expect(reckoned).toHaveLength(4);
    for (const { location } of reckoned)
      expect((location.endSeconds ?? 0) - (location.startSeconds ?? 0)).toBeLessThanOrEqual(60);
    expect(saidAt(reckoned[2], 'word72')).toBeCloseTo((words(100).indexOf('word72') / words(100).length) * 200, 1);
  });

  it('have the precision of their least precise segment, whose words are reckoned by the share of characters', async () => {
    const [passage] = await passages([spoken('one two', 0), timed('aaaa bbbb', 10, 19, { speaker: null })]);
    expect(passage?.location).toEqual({ startSeconds: 0, endSeconds: 19, timingPrecision: 'segment' });
    expect(saidAt(passage, 'two')).toBeCloseTo(0.6, 5);
    expect(saidAt(passage, 'aaaa')).toBeCloseTo(10, 5);
    expect(saidAt(passage, 'bbbb')).toBeCloseTo(15, 5);
  });

  it('do without words that are not those of the text', async () => {
    const strange = spoken('completely different text here', 0, { text: 'what was corrected by hand' });
    const [passage] = await passages([{ ...strange, timingPrecision: 'word' }]);
    expect(passage?.location.timingPrecision).toBe('segment');
    expect(saidAt(passage, 'hand')).toBeGreaterThan(1);
  });

  it('take the language of the asset where a segment names none, and tell none where neither does', async () => {
    const german = timed('Das ist ein Vertrag über die Lieferung von Häusern und Gärten.', 0, 5, { language: null });
    expect((await passages([german], { language: 'de-AT' }))[0]).toMatchObject({ language: 'de-AT', analysedAs: 'de' });
    expect((await passages([german], { language: 'multi' }))[0]).toMatchObject({ language: null, analysedAs: 'de' });
  });

  it('stand in the order of time with what is shown on the screen', async () => {
    const slides: Block[] = [3, 100].map((second) => ({
      text: `Slide at ${second}`,
      location: { source: 'slide', startSeconds: second, endSeconds: second + 50 },
      group: `slide ${second}`,
    }));
    const found = await passages([timed('first', 0, 50), timed('second', 90, 140), timed('third', 200, 201)], {
      slides,
    });
    expect(found.map(({ text, ordinal }) => [text, ordinal])).toEqual([
      ['first', 0],
      ['Slide at 3', 1],
      ['second', 2],
      ['Slide at 100', 3],
      ['third', 4],
    ]);
    expect(found[1]).toMatchObject({
      location: { source: 'slide', startSeconds: 3, endSeconds: 53, timingPrecision: 'segment' },
      speaker: null,
    });
    expect(found[1]).not.toHaveProperty('timings');
  });

  it('leave out segments that were emptied, and are none where there is nothing', async () => {
    expect(
      (await passages([timed('', 0, 1), timed(' \n ', 1, 2), timed('left', 2, 3)])).map(({ text, location }) => [
        text,
        location.startSeconds,
      ]),
    ).toEqual([['left', 2]]);
    expect(await passages([])).toEqual([]);
  });

  it('hold every letter once, in order, within their bounds, whatever the segments are', async () => {
    const text = fc.oneof(
      fc.integer({ min: 0, max: 500 }).map((count) => words(count)),
      fc.string({ unit: 'grapheme', maxLength: 60 }),
      fc.constantFrom('学校'.repeat(400), 'x'.repeat(5000)),
    );
    const segment = fc.record({
      text,
      seconds: fc.integer({ min: 0, max: 200_000 }).map((each) => each / 1000),
      speaker: fc.constantFrom('a', null),
      precise: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(segment, { maxLength: 8 }), async (drawn) => {
        let start = 0;
        const given = drawn.map(({ text: content, seconds, speaker, precise }): Segment => {
          const spokenWords = content.split(/\s+/u).filter((word) => word !== '');
          const step = seconds / Math.max(1, spokenWords.length);
          const from = start;
          start += seconds;
          const timedWords = spokenWords.map((word, index) => ({
            text: word,
            start: from + index * step,
            end: from + (index + 1) * step,
            confidence: null,
          }));
          return {
            ...timed(content, from, from + seconds, { speaker }),
            ...(precise ? { words: timedWords, timingPrecision: 'word' as const } : {}),
          };
        });
        const found = await passages(given);
        const letters = (content: string): string => (content.match(/[\p{L}\p{N}]/gu) ?? []).join('');
        expect(letters(found.map((passage) => passage.text).join('\n'))).toBe(
          letters(given.map((one) => one.text).join('\n')),
        );
        for (const passage of found) {
          const { startSeconds = Number.NaN, endSeconds = Number.NaN } = passage.location;
          expect(wordCount(passage.text)).toBeLessThanOrEqual(245);
          expect(endSeconds - startSeconds).toBeLessThanOrEqual(60.001);
          let before = startSeconds;
          for (let offset = 0; offset < passage.text.length; offset += 7) {
            const second = secondsAt(passage, offset) ?? Number.NaN;
            expect(second).toBeGreaterThanOrEqual(before - 1e-6);
            expect(second).toBeLessThanOrEqual(endSeconds + 0.011);
            before = second;
          }
        }
      }),
      { numRuns: 50 },
    );
  });
});
