import { isOfContents, stemsOnly } from '../../models/passage-words.ts';
import fc from 'fast-check';
import type { Block } from '../../models/block.ts';
import { wordCount } from './word-count.ts';
import { passagesOf, type NewPassage } from './passages.ts';

async function* each<T>(items: Iterable<T>): AsyncGenerator<T> {
  yield* items;
}

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

async function passages(blocks: Iterable<Block>, language = 'en'): Promise<NewPassage[]> {
  return collect(passagesOf(each(blocks), { language }));
}

const words = (count: number, word = 'word'): string =>
  Array.from({ length: count }, (_, index) => `${word}${index % 10}`).join(' ');
const block = (text: string, location: Block['location'] = {}, group = 'g'): Block => ({ text, location, group });

describe('passages', () => {
  it('join blocks of one group up to about 200 words, with line breaks between them', async () => {
    const found = await passages(
      Array.from({ length: 10 }, (_, index) =>
        block(words(50), {
          lineStart: index + 1,
          lineEnd: index + 1,
          charStart: index * 300,
          charEnd: index * 300 + 299,
        }),
      ),
    );
    expect(found.map((passage) => wordCount(passage.text))).toEqual([200, 200, 100]);
    expect(found.map((passage) => passage.location)).toEqual([
      { lineStart: 1, lineEnd: 4, charStart: 0, charEnd: 1199 },
      { lineStart: 5, lineEnd: 8, charStart: 1200, charEnd: 2399 },
      { lineStart: 9, lineEnd: 10, charStart: 2400, charEnd: 2999 },
    ]);
    expect(found[0]?.text.split('\n')).toHaveLength(4);
    expect(found.map((passage) => passage.ordinal)).toEqual([0, 1, 2]);
  });

  it('never cross a group', async () => {
    const found = await passages([
      block('page one', { page: 1 }, 'p1'),
      block('page two', { page: 2 }, 'p2'),
      block('still two', { page: 2 }, 'p2'),
    ]);
    expect(found.map((passage) => [passage.text, passage.location])).toEqual([
      ['page one', { page: 1 }],
      ['page two\nstill two', { page: 2 }],
    ]);
  });

  it('of speech span at most 60 seconds', async () => {
    const found = await passages(
      Array.from({ length: 8 }, (_, index) =>
        block('some words', { startSeconds: index * 20, endSeconds: index * 20 + 20 }),
      ),
    );
    expect(found.map(({ location }) => [location.startSeconds, location.endSeconds])).toEqual([
      [0, 60],
      [60, 120],
      [120, 160],
    ]);
  });

  it('of a block that is too long are cut at its sentences, with offsets moved', async () => {
    const text = Array.from({ length: 100 }, (_, index) => `Sentence ${index} has exactly these seven words.`).join(
      ' ',
    );
    const found = await passages([block(text, { page: 3, charStart: 0, charEnd: text.length })]);
    expect(found.length).toBeGreaterThanOrEqual(4);
    for (const passage of found) {
      expect(text.slice(passage.location.charStart, passage.location.charEnd)).toBe(passage.text);
      expect(passage.text).toMatch(/^Sentence .*words\.$/s);
      expect(wordCount(passage.text)).toBeLessThanOrEqual(240);
    }
  });

  it('take in a few words that would else stand alone', async () => {
    expect(await passages([block(words(195)), block(words(10))])).toHaveLength(1);
    expect(await passages([block(words(195)), block(words(60))])).toHaveLength(2);
  });

  it("have stems of the asset's language, or of the one detected, and no language of their own", async () => {
    const german = 'Das ist ein Vertrag über die Lieferung von Häusern und Gärten.';
    expect((await passages([block(german)], 'multi'))[0]).toMatchObject({
      analysedAs: 'de',
      stems: expect.stringContaining('haus'),
      language: null,
      speaker: null,
    });
    expect((await passages([block('running dogs')], 'en-GB'))[0]).toMatchObject({
      analysedAs: 'en',
      stems: 'run dog\n run=0ning dog=0s',
      length: 2,
    });
  });

  it('are found by the titles of what begins in them, whose words are no part of their text', async () => {
    const titled = (text: string, titles: string, group = 'g'): Block => ({ ...block(text, {}, group), titles });
    const found = await passages([
      titled('Carry a whistle.', 'Safety first\nWorking alone'),
      block('Others follow alone.'),
      titled(words(300), 'Long lesson', 'other'),
      titled('***', 'Silent page', 'third'),
      block('A last word.', {}, 'fourth'),
    ]);
    expect(found.map(({ text }) => text.slice(0, 16))).toEqual([
      'Carry a whistle.',
      words(3).slice(0, 16),
      expect.any(String),
      'A last word.',
    ]);
    expect(found[0]).toMatchObject({
      text: 'Carry a whistle.\nOthers follow alone.',
      stems: expect.stringMatching(/^carri a whistl other follow alon safeti first work\n/),
      length: 9,
    });
    expect(found.map(({ stems }) => stemsOnly(stems).endsWith('long lesson'))).toEqual([false, true, false, false]);
    expect(found[3]).toMatchObject({ stems: expect.stringMatching(/^a last word silent page\n/), length: 5 });
    expect(
      (await passages([titled('text', Array.from({ length: 5000 }, (_, index) => `title${index}`).join(' '))]))[0]
        ?.length,
    ).toBe(101);
  });

  it('of a table are found by its context, whose words are part of no text but of the vector', async () => {
    const row = (item: string, more: Partial<Block> = {}, group = 'g'): Block => ({
      ...block(`${item} ${words(120)}`, {}, group),
      ...more,
    });
    const found = await passages([
      row('Price | Item'),
      row('oil', { context: 'Stores\nPrice | Item' }),
      row('wick'),
      row('rope', { context: '' }),
      row('bell', {}, 'other'),
    ]);
    expect(found.map(({ text }) => text.slice(0, 4))).toEqual(['Pric', 'oil ', 'wick', 'rope', 'bell']);
    expect(found.map(({ stems }) => stemsOnly(stems).split(' ').slice(-3))).toEqual([
      ['word7', 'word8', 'word9'],
      ['store', 'price', 'item'],
      ['store', 'price', 'item'],
      ['word7', 'word8', 'word9'],
      ['word7', 'word8', 'word9'],
    ]);
    expect(found.map(({ meaning }) => meaning?.slice(0, 24))).toEqual([
      undefined,
      'Stores. Price | Item\noil',
      'Stores. Price | Item\nwic',
      undefined,
      undefined,
    ]);
  });

  it('of a table of contents stand alone, are marked, and have no vector', async () => {
    const found = await passages([
      block('Lamps'),
      { ...block('Lamps 3'), isContents: true },
      { ...block('Oil 12'), isContents: true },
      block('Lamps are lit.'),
    ]);
    expect(found.map(({ text, meaning, stems }) => [text, meaning, isOfContents(stems)])).toEqual([
      ['Lamps', undefined, false],
      ['Lamps 3\nOil 12', null, true],
      ['Lamps are lit.', undefined, false],
    ]);
  });

  it('without words are left out', async () => {
    expect(
      await passages([block('  \n '), block('— · —'), block('one', {}, 'other'), block('***', {}, 'third')]),
    ).toMatchObject([{ text: 'one', ordinal: 0 }]);
    expect(await passages([])).toEqual([]);
  });

  it('hold every word of the blocks once, in order, and are bounded', async () => {
    const text = fc.oneof(
      fc.integer({ min: 0, max: 500 }).map((count) => words(count)),
      fc.string({ unit: 'grapheme', maxLength: 100 }),
      fc.constantFrom('x'.repeat(9000), '学校'.repeat(800)),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ text, group: fc.constantFrom('a', 'b') }), { maxLength: 12 }),
        async (given) => {
          const found = await passages(given.map(({ text: content, group }) => block(content, {}, group)));
          const letters = (content: string): string => (content.match(/[\p{L}\p{N}]/gu) ?? []).join('');
          expect(letters(found.map((passage) => passage.text).join('\n'))).toBe(
            letters(given.map((one) => one.text).join('\n')),
          );
          for (const passage of found) {
            expect(wordCount(passage.text)).toBeLessThanOrEqual(260);
            expect(stemsOnly(passage.stems).split(' ')).toHaveLength(passage.length);
          }
        },
      ),
      { numRuns: 60 },
    );
  });
});
