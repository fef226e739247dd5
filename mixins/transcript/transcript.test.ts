import fc from 'fast-check';
import { BlobNotFound, type Blobs } from '../../adapters/blobs/port.ts';
import type { Segment } from '../../models/transcript.ts';
import { maxSegmentLength, readTranscript, writeTranscript } from './transcript.ts';

/** Blobs in memory that are read in chunks of a given size. */
function memoryBlobs(pieceSize: number): Blobs {
  const stored = new Map<string, Buffer>();
  return {
    async write(key, body) {
      const parts: Uint8Array[] = [];
      if (ArrayBuffer.isView(body)) parts.push(body);
      else for await (const part of body) parts.push(part);
      stored.set(key, Buffer.concat(parts));
      return stored.get(key)?.length ?? 0;
    },
    async *read(key) {
      const content = stored.get(key);
      if (content === undefined) throw new BlobNotFound(key);
      for (let from = 0; from < content.length; from += pieceSize) yield content.subarray(from, from + pieceSize);
    },
    exists: (key) => Promise.resolve(stored.has(key)),
    remove: () => Promise.resolve(),
    async *list() {},
    ping: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
}

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

const text = fc.string({ unit: 'grapheme', maxLength: 40 });
const seconds = fc.integer({ min: 0, max: 43_200_000 }).map((milliseconds) => milliseconds / 1000);
const segment: fc.Arbitrary<Segment> = fc.record({
  id: text,
  text,
  start: seconds,
  end: seconds,
  speaker: fc.option(text),
  language: fc.option(text),
  words: fc.array(
    fc.record({
      text,
      start: seconds,
      end: seconds,
      confidence: fc.option(fc.integer({ min: 0, max: 1000 }).map((value) => value / 1000)),
    }),
    { maxLength: 5 },
  ),
  timingPrecision: fc.constantFrom('word' as const, 'segment' as const),
});

const plain: Segment = {
  id: '1',
  text: 'good morning',
  start: 0,
  end: 1,
  speaker: null,
  language: 'en',
  words: [],
  timingPrecision: 'segment',
};

describe('a stored transcript', () => {
  it('is read as it was written, in pieces of any size, with the bytes read so far', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(segment, { maxLength: 15 }),
        fc.integer({ min: 1, max: 300 }),
        async (segments, size) => {
          const blobs = memoryBlobs(size);
          const written = await writeTranscript(blobs, 'key', segments);
          const reads: number[] = [];
          expect(await collect(readTranscript(blobs, 'key', (bytes) => reads.push(bytes)))).toEqual(segments);
          expect(reads.at(-1) ?? 0).toBe(written);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('may be written from a stream, and may be empty', async () => {
    const blobs = memoryBlobs(100);
    await writeTranscript(
      blobs,
      'key',
      (async function* () {
        yield plain;
        yield { ...plain, id: '2' };
      })(),
    );
    expect((await collect(readTranscript(blobs, 'key'))).map(({ id }) => id)).toEqual(['1', '2']);
    await writeTranscript(blobs, 'key', []);
    expect(await collect(readTranscript(blobs, 'key'))).toEqual([]);
  });

  it('may contain the longest correction, and no longer segment', async () => {
    const blobs = memoryBlobs(65_536);
    const longest = { ...plain, text: '\u0001'.repeat(40_000) };
    await writeTranscript(blobs, 'key', [longest]);
    expect(await collect(readTranscript(blobs, 'key'))).toEqual([longest]);
    await expect(writeTranscript(blobs, 'other', [{ ...plain, text: 'x'.repeat(maxSegmentLength) }])).rejects.toThrow(
      'too long to be stored',
    );
    expect(await blobs.exists('other')).toBe(false);
  });

  it.each([
    '{"id":1}',
    '[]',
    'null',
    JSON.stringify({ ...plain, words: [{ text: 'a' }] }),
    JSON.stringify({ ...plain, timingPrecision: 'none' }),
  ])('that is damaged is refused: %s', async (line) => {
    const blobs = memoryBlobs(100);
    await blobs.write('key', Buffer.from(`${line}\n`));
    await expect(collect(readTranscript(blobs, 'key'))).rejects.toThrow('well formed');
  });

  it('that does not exist is reported as missing', async () => {
    await expect(collect(readTranscript(memoryBlobs(100), 'key'))).rejects.toMatchObject({ name: 'BlobNotFound' });
  });
});
