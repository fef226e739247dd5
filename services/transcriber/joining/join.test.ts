import fc from 'fast-check';
import type { HeardSegment } from '../../../adapters/speech/port.ts';
import type { Segment, SpokenWord } from '../../../models/transcript.ts';
import { joinChunks, type HeardChunk } from './join.ts';
import { segmentLimits } from './segments.ts';

interface Spoken {
  text: string;
  start: number;
  end: number;
}

async function* each<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}

async function join(chunks: readonly HeardChunk[]): Promise<Segment[]> {
  const segments: Segment[] = [];
  for await (const segment of joinChunks(each(chunks))) segments.push(segment);
  return segments;
}

const textOf = (segments: readonly Segment[]): string => segments.map(({ text }) => text).join(' ');

/** One segment of words with times from the start of the piece. */
function heard(words: readonly SpokenWord[], fields: Partial<HeardSegment> = {}): HeardSegment {
  return {
    text: words.map(({ text }) => text).join(' '),
    start: words[0]?.start ?? 0,
    end: words.at(-1)?.end ?? 0,
    speaker: null,
    language: 'en',
    words: [...words],
    timingPrecision: 'word',
    ...fields,
  };
}

const words = (text: string, start: number, each = 0.4): SpokenWord[] =>
  text.split(' ').map((word, index) => ({
    text: word,
    start: start + index * each,
    end: start + index * each + each * 0.8,
    confidence: 0.9,
  }));

/** Speech of a few distinct words, so that neighbours are often equal, each with a time of its own. */
const speech: fc.Arbitrary<Spoken[]> = fc
  .array(
    fc.record({
      text: fc.constantFrom('no', 'yes', 'pump', 'valve', 'the', 'of'),
      length: fc.integer({ min: 150, max: 600 }),
      pause: fc.integer({ min: 20, max: 1500 }),
    }),
    { minLength: 1, maxLength: 60 },
  )
  .map((items) => {
    let at = 0;
    return items.map(({ text, length, pause }) => {
      const start = at + pause / 1000;
      at = start + length / 1000;
      return { text, start, end: at };
    });
  });

/** The starts of the pieces: each is 6 s long and begins some seconds before the end of the previous one. */
const cuts = fc.array(fc.record({ overlap: fc.integer({ min: 1500, max: 2900 }) }), { minLength: 12, maxLength: 12 });

/**
 * The simulated transcript of a piece: its complete words at slightly different times, and half a word at an end that
 * truncates one.
 */
function piecesOf(
  spoken: readonly Spoken[],
  overlaps: readonly number[],
  random: (index: number) => number,
  garbled: boolean,
): HeardChunk[] {
  const length = (spoken.at(-1)?.end ?? 0) + 1;
  const chunks: HeardChunk[] = [];
  let start = 0;
  for (let index = 0; start < length && index < 40; index++) {
    const end = Math.min(length, start + 6);
    const inside: SpokenWord[] = [];
    spoken.forEach((word, at) => {
      const jitter = (random(index * 1000 + at) - 0.5) * 0.08;
      const [from, to] = [word.start - start + jitter, word.end - start + jitter];
      if (word.start >= start && word.end <= end)
        inside.push({
          text: word.text,
          start: Math.max(0, from),
          end: Math.min(end - start, Math.max(0, to)),
          confidence: null,
        });
      else if (garbled && word.start < end && word.end > start)
        inside.push({ text: 'uh', start: Math.max(0, from), end: Math.min(end - start, to), confidence: null });
    });
    chunks.push({ chunk: { name: `${index}.wav`, start, end }, segments: inside.length === 0 ? [] : [heard(inside)] });
    if (end >= length) break;
    start = end - (overlaps[index % overlaps.length] ?? 2);
  }
  return chunks;
}

const pseudoRandom =
  (seed: number) =>
  (index: number): number => {
    const value = Math.sin(seed * 12.9898 + index * 78.233) * 43758.5453;
    return value - Math.floor(value);
  };

describe('joining pieces of sound', () => {
  it.each([false, true])(
    'gives every word once, in order, near its time (words cut through at the ends: %s)',
    async (garbled) => {
      await fc.assert(
        fc.asyncProperty(speech, cuts, fc.integer({ min: 0, max: 10_000 }), async (spoken, overlaps, seed) => {
          const segments = await join(
            piecesOf(
              spoken,
              overlaps.map(({ overlap }) => overlap / 1000),
              pseudoRandom(seed),
              garbled,
            ),
          );
          const found = segments.flatMap((segment) => segment.words);
          expect(found.map(({ text }) => text)).toEqual(spoken.map(({ text }) => text));
          found.forEach((word, index) => expect(Math.abs(word.start - (spoken[index]?.start ?? 0))).toBeLessThan(0.1));
        }),
        { numRuns: 300 },
      );
    },
  );

  it('creates segments in order, within the limits, from their words, with consecutive ids', async () => {
    await fc.assert(
      fc.asyncProperty(speech, cuts, fc.integer({ min: 0, max: 10_000 }), async (spoken, overlaps, seed) => {
        const segments = await join(
          piecesOf(
            spoken,
            overlaps.map(({ overlap }) => overlap / 1000),
            pseudoRandom(seed),
            true,
          ),
        );
        let last = 0;
        segments.forEach((segment, index) => {
          expect(segment.id).toBe(String(index + 1));
          expect(segment.text).toBe(segment.words.map(({ text }) => text).join(' '));
          expect(segment.words.length).toBeLessThanOrEqual(segmentLimits.words);
          expect(segment.end - segment.start).toBeLessThanOrEqual(segmentLimits.seconds);
          expect([segment.words[0]?.start, segment.words.at(-1)?.end]).toEqual([segment.start, segment.end]);
          for (const word of segment.words) {
            expect(word.start).toBeGreaterThanOrEqual(last);
            expect(word.end).toBeGreaterThanOrEqual(word.start);
            last = word.start;
          }
        });
      }),
      { numRuns: 100 },
    );
  });

  it('is deterministic', async () => {
    const chunks = piecesOf(
      words('the pump turns the valve and the valve turns the pump off', 0).map((word) => ({ ...word })),
      [2],
      pseudoRandom(1),
      false,
    );
    expect(await join(chunks)).toEqual(await join(chunks));
  });

  it('joins texts whose words have no times', async () => {
    const first = heard([], {
      text: 'Open the main valve slowly. Then wait for the pressure to fall',
      start: 0,
      end: 8,
      timingPrecision: 'segment',
    });
    const second = heard([], {
      text: 'wait for the pressure to fall below two bar.',
      start: 0.2,
      end: 5,
      timingPrecision: 'segment',
    });
    const segments = await join([
      { chunk: { name: 'a', start: 0, end: 8 }, segments: [first] },
      { chunk: { name: 'b', start: 4.5, end: 10 }, segments: [second] },
    ]);
    expect(textOf(segments)).toBe('Open the main valve slowly. Then wait for the pressure to fall below two bar.');
    expect(segments.every((segment) => segment.timingPrecision === 'segment' && segment.words.length === 0)).toBe(true);
  });

  it('keeps words of only one of two overlapping pieces, and none twice if they differ', async () => {
    const one = { chunk: { name: 'a', start: 0, end: 10 }, segments: [heard(words('alpha bravo', 8.2, 0.8))] };
    const silent = { chunk: { name: 'b', start: 8, end: 16 }, segments: [] };
    expect(textOf(await join([one, silent]))).toBe('alpha bravo');
    expect(
      textOf(
        await join([
          { ...one, segments: [] },
          { chunk: { name: 'b', start: 8, end: 16 }, segments: [heard(words('charlie delta', 0.1, 0.8))] },
        ]),
      ),
    ).toBe('charlie delta');
    expect(
      textOf(
        await join([
          one,
          { chunk: { name: 'b', start: 8, end: 16 }, segments: [heard(words('alfred brave', 0.2, 0.8))] },
        ]),
      ),
    ).toBe('alpha brave');
  });

  it('continues a segment across the end of a piece, but not across a pause', async () => {
    const first = { chunk: { name: 'a', start: 0, end: 2 }, segments: [heard(words('we walk on', 0.7))] };
    const second = (start: number): HeardChunk => ({
      chunk: { name: 'b', start: 2, end: 6 },
      segments: [heard(words('until night', start))],
    });
    expect((await join([first, second(0.05)])).map(({ text }) => text)).toEqual(['we walk on until night']);
    expect((await join([first, second(1)])).map(({ text }) => text)).toEqual(['we walk on', 'until night']);
    const other = { ...second(0.05), segments: [{ ...heard(words('until night', 0.05)), speaker: 'B' }] };
    expect((await join([first, other])).map(({ speaker }) => speaker)).toEqual([null, 'B']);
  });

  it('keeps the punctuation of the text for words without it, in every script', async () => {
    const sure = words('er sagte halt und ging', 0);
    const german = heard(sure, { text: ' Er sagte: „Halt!“ Und ging.' });
    const chinese = heard(
      [
        { text: '今天', start: 10, end: 10.5, confidence: null },
        { text: '天气', start: 10.5, end: 11, confidence: null },
      ],
      { text: '今天天气。', start: 10, end: 11 },
    );
    const astray = heard(words('one two', 20), { text: 'something else entirely' });
    expect(
      (await join([{ chunk: { name: 'a', start: 0, end: 30 }, segments: [german, chinese, astray] }])).map(
        ({ text }) => text,
      ),
    ).toEqual(['Er sagte: „Halt!“ Und ging.', '今天天气。', 'one two']);
  });

  it('splits long segments at pauses and ends of sentences', async () => {
    const sentence = words('this is a sentence of ten words that ends here.', 0, 0.3);
    const long = Array.from({ length: 20 }, (_, index) =>
      sentence.map((word) => ({ ...word, start: word.start + index * 3.2, end: word.end + index * 3.2 })),
    ).flat();
    const segments = await join([{ chunk: { name: 'a', start: 0, end: 70 }, segments: [heard(long)] }]);
    expect(segments.length).toBeGreaterThan(3);
    for (const segment of segments) {
      expect(segment.text).toMatch(/here\.$/);
      expect(segment.words.length).toBeLessThanOrEqual(segmentLimits.words);
    }
    expect(segments.flatMap((segment) => segment.words)).toHaveLength(200);
  });

  it('handles one endless word and thousands of words at one time', async () => {
    const endless = heard([{ text: 'x'.repeat(100_000), start: 0, end: 1, confidence: null }]);
    const crowd = heard(Array.from({ length: 5000 }, () => ({ text: 'la', start: 4, end: 4, confidence: null })));
    const segments = await join([
      { chunk: { name: 'a', start: 0, end: 6 }, segments: [endless, crowd] },
      { chunk: { name: 'b', start: 3, end: 9 }, segments: [crowd] },
    ]);
    expect(Math.max(...segments.map(({ text }) => text.length))).toBeLessThanOrEqual(500);
    expect(segments.every((segment) => segment.words.length <= segmentLimits.words)).toBe(true);
  });
});
