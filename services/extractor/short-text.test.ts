import { tmpdir } from 'node:os';
import fc from 'fast-check';
import { createExtractionPool, type ExtractedBatch } from './processes/pool.ts';
import { readShortText } from './short-text.ts';

const never = new AbortController().signal;
const pool = createExtractionPool({ slots: 1, memoryMegabytes: 256, seconds: 60, readableFolders: [tmpdir()] });
afterAll(() => pool.close());

type Outcome = { lines: string; blocks: number } | { code: unknown };

async function outcome(batches: () => AsyncIterable<ExtractedBatch> | Promise<ExtractedBatch>): Promise<Outcome> {
  try {
    const given = batches();
    const all = given instanceof Promise ? [await given] : await Array.fromAsync(given);
    return { lines: Buffer.concat(all.map(({ lines }) => lines)).toString('utf8'), blocks: all.reduce((sum, { blocks }) => sum + blocks, 0) };
  } catch (error) {
    return { code: error instanceof Error && 'code' in error ? error.code : error };
  }
}

describe('a short text', () => {
  it('comes to what a process makes of it', async () => {
    const line = fc.oneof(fc.string({ maxLength: 60 }), fc.string({ unit: 'binary', maxLength: 20 }), fc.constantFrom('# Title', '```', '~~~', '===', '---', '', '   ', 'a\0b', '\ufeffmarked', 'x'.repeat(9000)));
    const text = fc.array(fc.tuple(line, fc.constantFrom('\n', '\r\n', '\r')), { maxLength: 12 }).map((lines) => Buffer.from(lines.flat().join('')));
    const content = fc.oneof({ weight: 5, arbitrary: text }, { weight: 1, arbitrary: fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)) });
    await fc.assert(fc.asyncProperty(content, fc.constantFrom('text', 'markdown'), async (bytes, format) => {
      const apart = await outcome(() => pool.extract({ path: '/nowhere', bytes: bytes.byteLength, content: bytes, format }));
      expect(await outcome(() => readShortText(bytes, format, never))).toEqual(apart);
    }), { numRuns: 150 });
  });

  it('is refused where it is not UTF-8', async () => {
    await expect(readShortText(Buffer.from([0x61, 0xe9, 0x62]), 'text', never)).rejects.toMatchObject({ name: 'ExtractionFailure', code: 'text_encoding_must_be_utf8' });
  });

  const manyLines = Buffer.from('a\n'.repeat(16_000));

  it('leaves turns to others where it takes longer', async () => {
    let turns = 0;
    let isRead = false;
    const others = (): void => {
      turns++;
      if (!isRead) setImmediate(others);
    };
    setImmediate(others);
    expect(await readShortText(manyLines, 'markdown', never)).toMatchObject({ blocks: 16_000, progress: 100 });
    isRead = true;
    expect(turns).toBeGreaterThan(1);
  });

  it('is given up with its job', async () => {
    const job = new AbortController();
    setImmediate(() => job.abort(new Error('cancelled')));
    await expect(readShortText(manyLines, 'text', job.signal)).rejects.toThrow('cancelled');
  });
});
