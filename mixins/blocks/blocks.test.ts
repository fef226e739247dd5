import fc from 'fast-check';
import type { Blobs } from '../../adapters/blobs/port.ts';
import type { Block } from '../../models/block.ts';
import { derivedKey, readBlocks, writeBlocks } from './blocks.ts';
import { splitBlock } from './split-block.ts';

/** Blobs in memory that are read in chunks of a given size. */
function memoryBlobs(pieceSize: number): Blobs & { bytes: Map<string, Buffer> } {
  const bytes = new Map<string, Buffer>();
  return {
    bytes,
    async write(key, body) {
      const parts: Uint8Array[] = [];
      if (ArrayBuffer.isView(body)) parts.push(body);
      else for await (const part of body) parts.push(part);
      bytes.set(key, Buffer.concat(parts));
      return bytes.get(key)?.length ?? 0;
    },
    async *read(key) {
      const content = bytes.get(key) ?? Buffer.alloc(0);
      for (let from = 0; from < content.length; from += pieceSize) yield content.subarray(from, from + pieceSize);
    },
    exists: (key) => Promise.resolve(bytes.has(key)),
    remove: () => Promise.resolve(),
    async *list() {},
    ping: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
}

async function* each<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

describe('stored blocks', () => {
  it('are read unchanged, with any size of chunks', async () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 50 });
    const block = fc.record(
      {
        text,
        location: fc.record({ page: fc.nat(), heading: text }),
        group: text,
        titles: text,
        context: text,
        isContents: fc.constant(true),
      },
      { requiredKeys: ['text', 'location', 'group'] },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(block, { maxLength: 20 }), fc.integer({ min: 1, max: 200 }), async (blocks, size) => {
        const blobs = memoryBlobs(size);
        const written = await writeBlocks(blobs, 'key', each(blocks));
        const progress: number[] = [];
        const read = await collect(readBlocks(blobs, 'key', (bytes) => progress.push(bytes)));
        expect(read).toEqual(blocks);
        expect(progress.at(-1) ?? 0).toBe(written);
      }),
      { numRuns: 60 },
    );
  });

  it('are split if they are very long', async () => {
    const blobs = memoryBlobs(65_536);
    const text = 'A sentence of some length stands here. '.repeat(20_000);
    await writeBlocks(blobs, 'key', each([{ text, location: { charStart: 0, charEnd: text.length }, group: '' }]));
    const read = await collect(readBlocks(blobs, 'key'));
    expect(read.length).toBeGreaterThan(2);
    expect(read.every((block) => text.slice(block.location.charStart, block.location.charEnd) === block.text)).toBe(
      true,
    );
  });

  it('have a key with asset and revision', () => {
    expect(derivedKey('o', 'a', 3, 'blocks.ndjson')).toBe('derived/o/a/3/blocks.ndjson');
  });

  it('are refused if they are damaged', async () => {
    const blobs = memoryBlobs(100);
    await blobs.write('key', Buffer.from('{"text":1}\n'));
    await expect(collect(readBlocks(blobs, 'key'))).rejects.toThrow('well formed');
  });
});

describe('splitting a block', () => {
  const cut = (
    text: string,
    room: number,
    location: Block['location'] = { charStart: 100, charEnd: 100 + text.length },
  ): Block[] => [...splitBlock({ text, location, group: 'g' }, room)];

  it('ends pieces at sentences, else at words, else anywhere', () => {
    expect(cut('One two three. Four five six.', 20).map((block) => block.text)).toEqual([
      'One two three.',
      'Four five six.',
    ]);
    expect(cut('eins zwei drei vier', 10).map((block) => block.text)).toEqual(['eins zwei', 'drei vier']);
    expect(cut('x'.repeat(25), 10).map((block) => block.text.length)).toEqual([10, 10, 5]);
    expect(cut('今天天气很好。我们去公园。', 8).map((block) => block.text)).toEqual(['今天天气很好。', '我们去公园。']);
  });

  it('gives titles and context to the first piece, and the table of contents flag to all', () => {
    const block: Block = {
      text: 'one two three',
      location: {},
      group: 'g',
      titles: 'T',
      context: 'C',
      isContents: true,
    };
    expect([...splitBlock(block, 6)]).toEqual([
      { text: 'one', location: {}, group: 'g', titles: 'T', context: 'C', isContents: true },
      { text: 'two', location: {}, group: 'g', isContents: true },
      { text: 'three', location: {}, group: 'g', isContents: true },
    ]);
  });

  it('moves offsets and lines with the text', () => {
    const pieces = cut('first line\nsecond line\nthird line', 12, {
      lineStart: 5,
      lineEnd: 7,
      charStart: 40,
      charEnd: 73,
    });
    expect(pieces.map(({ text, location }) => [text, location])).toEqual([
      ['first line', { lineStart: 5, lineEnd: 5, charStart: 40, charEnd: 50 }],
      ['second line', { lineStart: 6, lineEnd: 6, charStart: 51, charEnd: 62 }],
      ['third line', { lineStart: 7, lineEnd: 7, charStart: 63, charEnd: 73 }],
    ]);
  });

  it("keeps the block's bounds if its text is not that of the file character by character", () => {
    expect(cut('aaa bbb ccc', 4, { charStart: 0, charEnd: 50 }).map((block) => block.location)).toEqual(
      Array.from({ length: 3 }, () => ({ charStart: 0, charEnd: 50 })),
    );
  });

  it('loses only white space, respects the maximum length, and splits no surrogate pair', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), fc.integer({ min: 4, max: 80 }), (text, room) => {
        const pieces = cut(text, room);
        expect(
          pieces
            .map((piece) => piece.text)
            .join('')
            .replace(/\s+/g, ''),
        ).toBe(text.replace(/\s+/g, ''));
        for (const { text: piece, location } of pieces) {
          expect(piece.length).toBeLessThanOrEqual(room + 1);
          expect(piece.isWellFormed()).toBe(text.isWellFormed());
          expect(text.slice((location.charStart ?? 0) - 100, (location.charEnd ?? 0) - 100)).toBe(piece);
        }
      }),
    );
  });
});
