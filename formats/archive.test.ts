import { blocksOf, codeOf } from './testing/read.ts';
import { buildZip } from './testing/zip.ts';
import type { TestEntry } from './testing/zip.ts';
import { openArchive } from './archive.ts';
import type { FormatReader } from './reader.ts';

/** Reads every file of an archive as one block each. */
const readAll: FormatReader = async function* (file, limits) {
  const archive = await openArchive(file, limits);
  try {
    for (const name of archive.names()) {
      const chunks: Buffer[] = [];
      for await (const chunk of archive.read(name)) chunks.push(chunk);
      yield { text: `${name}: ${Buffer.concat(chunks).toString('utf8', 0, 50)}`, location: {}, group: '' };
    }
  } finally {
    archive.close();
  }
};

const zeros = (size: number): Buffer => Buffer.alloc(size);

describe('archives', () => {
  it('list files by normalized names, and none outside the archive', async () => {
    const blocks = await blocksOf(
      readAll,
      buildZip([
        { name: '/abs.txt', content: 'a' },
        { name: 'x\\y.txt', content: 'b', stored: true },
        { name: '../out.txt', content: 'c' },
        { name: 'folder/', content: '' },
      ]),
    );
    expect(blocks.map(({ text }) => text)).toEqual(['abs.txt: a', 'x/y.txt: b']);
  });

  it('are read with trailing bytes, in memory and from a file', async () => {
    const large = Buffer.from(Array.from({ length: 1_300_000 }, (_, index) => `${index}`).join(' '));
    for (const size of [0, large.length]) {
      const archive = buildZip([
        { name: 'a', content: 'text' },
        { name: 'b', content: large.subarray(0, size), stored: true },
        { name: 'c', content: large.subarray(0, size) },
      ]);
      for (const behind of ['\n', '\0'.repeat(4096), 'PK\x05\x06 is how an archive ends']) {
        const blocks = await blocksOf(readAll, Buffer.concat([archive, Buffer.from(behind)]));
        expect(blocks.map(({ text }) => text)).toEqual([
          'a: text',
          `b: ${large.toString('utf8', 0, Math.min(size, 50))}`,
          `c: ${large.toString('utf8', 0, Math.min(size, 50))}`,
        ]);
      }
      expect(await codeOf(readAll, archive.subarray(0, -1))).toBe('document_unreadable');
    }
  });

  it('reject too many entries, bytes, and compression ratios', async () => {
    const many = Array.from({ length: 30 }, (_, index): TestEntry => ({ name: `f${index}`, content: 'x' }));
    expect(await codeOf(readAll, buildZip(many), { maxArchiveEntries: 20 })).toBe('document_too_complex');
    expect(await codeOf(readAll, buildZip([{ name: 'a', content: zeros(3_000_000) }]))).toBe('document_too_complex');
    expect(
      await codeOf(readAll, buildZip([{ name: 'a', content: zeros(600_000), stored: true }]), {
        maxEntryBytes: 500_000,
      }),
    ).toBe('document_too_complex');
    expect(
      await codeOf(
        readAll,
        buildZip([1, 2, 3].map((index) => ({ name: `${index}`, content: zeros(400_000), stored: true }))),
        { maxArchiveBytes: 1_000_000 },
      ),
    ).toBe('document_too_complex');
  });

  it('may hold empty pictures, which are counted but not unpacked', async () => {
    const picture = { name: 'word/media/image1.emf', content: zeros(3_000_000) };
    const document = (entries: readonly TestEntry[]): Buffer => buildZip([...entries, picture]);
    const readFirst: FormatReader = async function* (file, limits) {
      const archive = await openArchive(file, limits);
      for await (const chunk of archive.read(archive.names()[0] ?? ''))
        yield { text: chunk.toString(), location: {}, group: '' };
      archive.close();
    };
    expect(await codeOf(readFirst, document([{ name: 'a', content: 'text' }]))).toBe('read');
    expect(await codeOf(readFirst, document([]))).toBe('document_too_complex');
    expect(await codeOf(readFirst, document([{ name: 'a', content: 'text' }]), { maxEntryBytes: 2_000_000 })).toBe(
      'document_too_complex',
    );
    expect(await codeOf(readFirst, document([{ name: 'a', content: 'text' }]), { maxArchiveBytes: 2_000_000 })).toBe(
      'document_too_complex',
    );
  });

  it('reject overlapping entries', async () => {
    expect(
      await codeOf(
        readAll,
        buildZip([
          { name: 'a', content: 'abc' },
          { name: 'b', content: 'abc', sameBytesAs: 0 },
        ]),
      ),
    ).toBe('document_too_complex');
  });

  it('stop at a wrong declared size', async () => {
    const words = Buffer.from(Array.from({ length: 5000 }, (_, index) => `${index * 7919}`).join(' '));
    expect(await codeOf(readAll, buildZip([{ name: 'a', content: words, claimedBytes: 100 }]))).toBe(
      'document_unreadable',
    );
    expect(await codeOf(readAll, buildZip([{ name: 'a', content: words, claimedBytes: 1_000_000 }]))).toBe(
      'document_unreadable',
    );
  });

  it('reject encrypted entries and truncated files', async () => {
    expect(await codeOf(readAll, buildZip([{ name: 'a', content: 'x', flags: 1 }]))).toBe('document_encrypted');
    expect(await codeOf(readAll, buildZip([{ name: 'a', content: 'x'.repeat(500) }]).subarray(0, 60))).toBe(
      'document_unreadable',
    );
  });
});
