import { tmpdir } from 'node:os';
import type { Block } from '../../../models/block.ts';
import type { DocumentFormat } from '../../../models/formats.ts';
import { buildPdf, unicodeMap } from '../../../formats/testing/pdf.ts';
import { blocksIn } from '../testing/pool.ts';
import { withFile } from '../../../formats/testing/read.ts';
import { buildZip } from '../../../formats/testing/zip.ts';
import type { ExtractionPool, ExtractionPoolOptions } from './pool.ts';
import { createExtractionPool } from './pool.ts';

const pools: ExtractionPool[] = [];

function poolOf(options: Partial<ExtractionPoolOptions> = {}): ExtractionPool {
  const pool = createExtractionPool({
    slots: 2,
    memoryMegabytes: 256,
    seconds: 60,
    readableFolders: [tmpdir()],
    ...options,
  });
  pools.push(pool);
  return pool;
}

/** All blocks of a content, or the code that its reading ended with. */
function read(
  pool: ExtractionPool,
  format: DocumentFormat,
  content: string | Uint8Array,
  signal?: AbortSignal,
): Promise<Block[] | string> {
  return withFile(content, `file.${format}`, async (path, bytes) => {
    const blocks: Block[] = [];
    try {
      for await (const batch of pool.extract({ path, bytes, format, ...(signal === undefined ? {} : { signal }) }))
        blocks.push(...blocksIn(batch));
      return blocks;
    } catch (error) {
      return error instanceof Error && 'code' in error ? String(error.code) : String(error);
    }
  });
}

afterAll(() => Promise.all(pools.map((pool) => pool.close())));

describe('extraction in separate processes', () => {
  it('returns blocks, or codes of unreadable files', async () => {
    const pool = poolOf();
    expect(await read(pool, 'text', 'hello\nthere')).toEqual([
      expect.objectContaining({ text: 'hello' }),
      expect.objectContaining({ text: 'there' }),
    ]);
    expect(await read(pool, 'csv', Buffer.from([0x61, 0xe9, 0x62, 0x0a]))).toBe('text_encoding_must_be_utf8');
    expect(await read(pool, 'docx', 'no zip')).toBe('document_unreadable');
    expect(await read(pool, 'text', 'again')).toHaveLength(1);
  });

  it('reads many files with few processes, each once', async () => {
    const pool = poolOf();
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, index) => read(pool, 'text', `file number ${index}`)),
    );
    expect(answers.map((answer) => (typeof answer === 'string' ? answer : answer[0]?.text))).toEqual(
      answers.map((_, index) => `file number ${index}`),
    );
  });

  it('streams a large file: progress increases, and the process ends if the caller stops', async () => {
    const pool = poolOf({ slots: 1 });
    const lines = Array.from({ length: 200_000 }, (_, index) => `line ${index} of a long file`).join('\n');
    await withFile(lines, 'long.txt', async (path, bytes) => {
      let count = 0;
      let before = 0;
      for await (const { blocks, progress } of pool.extract({ path, bytes, format: 'text' })) {
        expect(progress).toBeGreaterThanOrEqual(before);
        before = progress;
        count += blocks;
      }
      expect([count, before]).toEqual([200_000, 100]);
      for await (const batch of pool.extract({ path, bytes, format: 'text' })) {
        expect(blocksIn(batch)[0]?.text).toBe('line 0 of a long file');
        break;
      }
    });
    expect(await read(pool, 'text', 'still works')).toHaveLength(1);
  });

  it('ends immediately if it is aborted, waiting or reading', async () => {
    const pool = poolOf({ slots: 1 });
    const long = 'word '.repeat(4_000_000);
    const first = new AbortController();
    const second = new AbortController();
    const reading = read(pool, 'text', long, first.signal);
    const waiting = read(pool, 'text', 'short', second.signal);
    setTimeout(() => {
      second.abort(new Error('not wanted'));
      first.abort(new Error('cancelled'));
    }, 30);
    expect(await waiting).toBe('Error: not wanted');
    expect(await reading).toBe('Error: cancelled');
    expect(await read(pool, 'text', 'next')).toHaveLength(1);
  });

  it('stops a file that takes too long or too much memory with a code', async () => {
    const slow = poolOf({ seconds: 1 });
    expect(await read(slow, 'csv', 'a,b\n'.repeat(15_000_000))).toBe('document_too_complex');
    const small = poolOf({ memoryMegabytes: 120 });
    const endless = `<w:document><w:body><w:p><w:r><w:t>${'a word '.repeat(9_000_000)}</w:t></w:r></w:p></w:body></w:document>`;
    expect(await read(small, 'docx', buildZip([{ name: 'word/document.xml', content: endless, stored: true }]))).toBe(
      'document_too_complex',
    );
    expect(await read(small, 'text', 'unharmed')).toHaveLength(1);
  });

  it('limits CPU time by the size of the file', async () => {
    // Time of the clock it has enough of.
    const limited = poolOf({
      slots: 1,
      seconds: 3600,
      allowance: { start: 1.5, perMebibyte: 0, perThousandCharacters: 0.1 },
    });
    expect(await read(limited, 'pdf', buildPdf([{ operators: 'q '.repeat(400_000) }]))).toBe('document_too_complex');
    expect(await read(limited, 'csv', 'some,words of a table\n'.repeat(300_000))).toHaveLength(300_000);
  }, 120_000);

  it('limits the time of each page', async () => {
    // A large file has enough of it; a page has no more than a small file.
    const limited = poolOf({
      slots: 1,
      seconds: 3600,
      allowance: { start: 1.5, perMebibyte: 100_000, perThousandCharacters: 0 },
    });
    const pages = Array.from({ length: 25 }, (_, at) => ({ lines: [`page ${at}`], operators: 'q '.repeat(3000) }));
    expect(await read(limited, 'pdf', buildPdf(pages))).toHaveLength(25);
    expect(await read(limited, 'pdf', buildPdf([{ lines: ['first'] }, { operators: 'q '.repeat(400_000) }]))).toBe(
      'document_too_complex',
    );
  });

  it('opens no file outside its folders', async () => {
    const pool = poolOf({ readableFolders: ['/nowhere'] });
    expect(await read(pool, 'text', 'out of reach')).toBe('document_unreadable');
  });
});

describe('PDF', () => {
  const pool = poolOf();

  it('has a block per page with its characters', async () => {
    const pdf = buildPdf([{ lines: ['First page', 'with two lines'] }, {}, { lines: ['Turned page'], rotate: 90 }]);
    expect(await read(pool, 'pdf', pdf)).toEqual([
      { text: 'First page\nwith two lines', location: { page: 1, charStart: 0, charEnd: 25 }, group: 'page 1' },
      { text: 'Turned page', location: { page: 3, charStart: 0, charEnd: 11 }, group: 'page 3' },
    ]);
  });

  it('has rotated text, and joined hyphenated words', async () => {
    const sideways = 'BT /F1 12 Tf 0 1 -1 0 300 100 Tm (climbing words) Tj ET';
    expect(await read(pool, 'pdf', buildPdf([{ operators: sideways }, { lines: ['a hyphen-', 'ated word'] }]))).toEqual(
      [expect.objectContaining({ text: 'climbing words' }), expect.objectContaining({ text: 'a hyphenated word' })],
    );
  });

  it('has ligatures as letters and right-to-left text in logical order', async () => {
    const map = { '1': '\ufb01', '2': '\u05d0', '3': '\u05d1', '4': '\u05d2', n: 'n', e: 'e', ' ': ' ' };
    const pdf = buildPdf([{ lines: ['1ne'] }, { lines: ['432'] }], {
      font: '/ToUnicode 8 0 R',
      objects: [unicodeMap(map)],
    });
    expect(await read(pool, 'pdf', pdf)).toEqual([
      expect.objectContaining({ text: 'fine' }),
      expect.objectContaining({ text: '\u05d0\u05d1\u05d2' }),
    ]);
  });

  it('is read in ranges if it is large', async () => {
    const filler = `<< /Length 1000000 >>\nstream\n${'z'.repeat(1_000_000)}\nendstream`;
    const pdf = buildPdf(
      Array.from({ length: 5 }, (_, index) => ({ lines: [`page ${index + 1}`] })),
      { objects: Array.from({ length: 18 }, () => filler) },
    );
    expect((await read(pool, 'pdf', pdf)).at(-1)).toEqual(expect.objectContaining({ text: 'page 5' }));
  });

  it('fails with the specific code', async () => {
    expect(await read(pool, 'pdf', buildPdf([{ operators: '0 0 100 100 re f' }]))).toBe('ocr_required');
    expect(await read(pool, 'pdf', 'not a PDF')).toBe('document_unreadable');
    expect(await read(pool, 'pdf', '')).toBe('document_unreadable');
    const key = '<00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff>';
    expect(
      await read(
        pool,
        'pdf',
        buildPdf([{ lines: ['secret'] }], {
          trailer: `/Encrypt << /Filter /Standard /V 1 /R 2 /O ${key} /U ${key} /P -4 >> /ID [<01> <01>]`,
        }),
      ),
    ).toBe('document_encrypted');
    expect(await read(poolOf({ limits: { maxPdfPages: 3 } }), 'pdf', buildPdf([{}, {}, {}, { lines: ['x'] }]))).toBe(
      'document_too_complex',
    );
  });

  it('is readable with a broken cross-reference table or a cyclic page tree', async () => {
    const broken = Buffer.from(
      buildPdf([{ lines: ['found all the same'] }])
        .toString('latin1')
        .replace(/startxref\n\d+/, 'startxref\n7'),
      'latin1',
    );
    expect(await read(pool, 'pdf', broken)).toEqual([expect.objectContaining({ text: 'found all the same' })]);
    const looping = Buffer.from(
      buildPdf([{ lines: ['x'] }])
        .toString('latin1')
        .replace('/Kids [4 0 R]', '/Kids [2 0 R]'),
      'latin1',
    );
    expect(await read(pool, 'pdf', looping)).toBe('document_unreadable');
  });
});
