import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { deflateRawSync } from 'node:zlib';
import { buildCourse, courseItem, courseResource, scormManifest } from '../testing/course.ts';
import { buildDocx, paragraph } from '../testing/office.ts';
import { blocksOf, codeOf, withFile } from '../testing/read.ts';
import type { TestEntry } from '../testing/zip.ts';
import { buildZip } from '../testing/zip.ts';
import { createExtractionPool } from '../../services/extractor/processes/pool.ts';
import { readerOf } from '../readers.ts';
import { packageReader } from './package.ts';

const read = await readerOf('package');
const page = '<p>a page of the course</p>';
const manifest: TestEntry = {
  name: 'imsmanifest.xml',
  content: scormManifest(courseItem('Page', 'r'), courseResource('r', 'a.html')),
};
const honest: TestEntry = { name: 'a.html', content: page };

/** What becomes of an archive: its code, or the paths of the files that were read. */
async function outcome(content: Uint8Array): Promise<string[] | string> {
  const code = await codeOf(read, content);
  return code === 'read' ? (await blocksOf(read, content)).map(({ location }) => location.resource ?? '') : code;
}

/**
 * An archive in which every local header's extra field reaches over the headers that follow to one common piece of
 * data (Fifield's quoting by extra fields). The headers lie so far apart that the directory alone shows no overlap.
 */
function sharedDataByExtraFields(count: number): Buffer {
  const content = Buffer.alloc(900_000, 'x');
  const packed = deflateRawSync(content);
  const archive = buildZip([
    ...Array.from({ length: count }, (_, at): TestEntry => ({
      name: `p${at}.html`,
      content: Buffer.alloc(packed.length + 200),
      stored: true,
    })),
    { name: 'kernel', content },
    manifest,
  ]);
  const kernelHeader =
    archive.indexOf(Buffer.from('PK\x03\x04')) + count * (30 + 'p0.html'.length + packed.length + 200);
  const kernelData = kernelHeader + 30 + 'kernel'.length;
  let record = archive.indexOf('PK\x01\x02', 'latin1');
  for (let at = 0; at < count; at++) {
    const local = at * (30 + 'p0.html'.length + packed.length + 200);
    for (const from of [local + 4, record + 6]) {
      archive.writeUInt16LE(8, from + 4);
      archive.writeUInt32LE(packed.length, from + 14);
      archive.writeUInt32LE(content.length, from + 18);
    }
    archive.writeUInt16LE(kernelData - local - 30 - 'p0.html'.length, local + 28);
    record += 46 + 'p0.html'.length;
  }
  return archive;
}

describe('hostile archives', () => {
  it('with overlapping entries are rejected', async () => {
    expect(await outcome(buildZip([manifest, honest, { name: 'b.html', content: '', sameBytesAs: 1 }]))).toBe(
      'document_too_complex',
    );
    expect(await outcome(sharedDataByExtraFields(8))).toBe('document_too_complex');
  });

  it('that unpack to too much are rejected', async () => {
    expect(await outcome(buildZip([manifest, { name: 'a.html', content: Buffer.alloc(20_000_000) }]))).toBe(
      'document_too_complex',
    );
    const many = Array.from({ length: 5 }, (_, at): TestEntry => ({
      name: `p${at}.html`,
      content: Buffer.alloc(400_000, `<p>${at}`),
      stored: true,
    }));
    expect(await codeOf(read, buildZip([manifest, ...many]), { maxArchiveBytes: 1_500_000 })).toBe(
      'document_too_complex',
    );
    const bomb = buildDocx(paragraph('x').repeat(1_000_000));
    expect(await outcome(buildZip([manifest, { name: 'bomb.docx', content: bomb }]))).toBe('document_too_complex');
    const document = buildDocx(paragraph('some words of a document that is not small').repeat(4000));
    const documents = Array.from({ length: 20 }, (_, at): TestEntry => ({
      name: `d${at}.docx`,
      content: document,
      stored: true,
    }));
    expect(await codeOf(read, buildZip([manifest, ...documents]), { maxArchiveBytes: 6_000_000 })).toBe(
      'document_too_complex',
    );
    expect(await codeOf(read, buildZip([manifest, ...documents]))).toBe('read');
  });

  it('within the package are not unpacked', async () => {
    const nested = [1, 2, 3].reduce(
      (inner) =>
        buildZip([
          { name: 'x.zip', content: inner, stored: true },
          { name: 'imsmanifest.xml', content: '<manifest/>' },
        ]),
      buildZip([{ name: 'x', content: Buffer.alloc(900_000) }]),
    );
    expect(await outcome(buildZip([manifest, honest, { name: 'x.zip', content: nested, stored: true }]))).toEqual([
      'a.html',
    ]);
  });

  it('with wrong sizes lose only the affected entry', async () => {
    const words = Array.from({ length: 5000 }, (_, index) => `<p>${index * 7919}`).join('');
    for (const claimedBytes of [100, 900_000]) {
      expect(await outcome(buildZip([manifest, { name: 'a.html', content: words, claimedBytes }]))).toBe(
        'document_unreadable',
      );
      expect(
        await outcome(
          buildZip([manifest, { name: 'a.html', content: words, claimedBytes }, { name: 'b.html', content: page }]),
        ),
      ).toEqual(['b.html']);
    }
  });

  it('with unsafe names and links read only their own files', async () => {
    const entries: TestEntry[] = [
      { name: '../../etc/up.html', content: page },
      { name: 'x/../../up.html', content: page },
      { name: '/abs.html', content: page },
      { name: 'C:\\win\\w.html', content: page },
      { name: 'back\\slash.html', content: page },
      { name: 'link.html', content: '/etc/passwd', mode: 0o120777, stored: true },
      { name: 'a.html', content: '<p>the other one</p>' },
      { name: 'nul\0.html', content: page },
      { name: 'folder.html/', content: '' },
    ];
    expect(await outcome(buildZip([manifest, honest, ...entries]))).toEqual([
      'a.html',
      'abs.html',
      'back/slash.html',
      'nul.html',
      'win/w.html',
    ]);
  });

  it('with 100,000 entries or a wrong count are rejected immediately', async () => {
    const entries = Array.from({ length: 100_000 }, (_, at): TestEntry => ({
      name: `${at}.html`,
      content: '',
      stored: true,
    }));
    const before = process.cpuUsage().user;
    const archive = buildZip([manifest, ...entries]);
    const built = process.cpuUsage().user;
    expect(await outcome(archive)).toBe('document_too_complex');
    expect(process.cpuUsage().user - built).toBeLessThan(Math.max(2_000_000, built - before));
  });

  it('with zip64, data descriptors and unflagged names are read', async () => {
    const entries: TestEntry[] = [
      { name: 'b.html', content: page, zip64: true },
      { name: 'c.html', content: page, descriptor: true },
      { name: 'd.html', content: page, localExtraBytes: 5000 },
      { name: 'é', content: page, rawName: Buffer.from('é.html') },
      { name: '\x82', content: page, rawName: Buffer.from('\x82.htm', 'latin1') },
    ];
    expect(await outcome(buildZip([manifest, honest, ...entries]))).toEqual([
      'a.html',
      'b.html',
      'c.html',
      'd.html',
      'é.htm',
      'é.html',
    ]);
  });

  it('with a broken directory or truncation fail with a code', async () => {
    const archive = buildZip([manifest, honest]);
    for (const change of [
      (copy: Buffer) => copy.writeUInt32LE(0x7fffffff, copy.length - 6),
      (copy: Buffer) => copy.writeUInt16LE(500, copy.length - 12),
      (copy: Buffer) =>
        copy.fill(0xee, copy.indexOf('PK\x01\x02', 0, 'latin1') + 20, copy.indexOf('PK\x01\x02', 0, 'latin1') + 40),
    ]) {
      const copy = Buffer.from(archive);
      change(copy);
      expect(['document_unreadable', 'document_too_complex']).toContain(await outcome(copy));
    }
    for (let end = 0; end < archive.length; end += 37)
      expect(await outcome(archive.subarray(0, end))).toBe('document_unreadable');
  });
});

it('with too many pages are rejected, and excess scripts skipped', async () => {
  const small = packageReader(readerOf, { text: 10_000, scripts: 10_000 });
  const pages = Array.from({ length: 11 }, (_, at): TestEntry => ({ name: `p${at}.html`, content: page.padEnd(1000) }));
  expect(await codeOf(small, buildZip([manifest, ...pages]))).toBe('document_too_complex');
  const scripts = Array.from({ length: 3 }, (_, at): TestEntry => ({
    name: `s${at}.js`,
    content: `x = {text: "words of script ${at}"}`.padEnd(4000),
  }));
  expect(
    (await blocksOf(small, buildZip([manifest, honest, ...scripts]))).map(({ location }) => location.resource),
  ).toEqual(['a.html', 's0.js', 's1.js']);
});

describe('hostile manifests', () => {
  const withManifest = (content: string | Buffer): Buffer => buildZip([{ name: 'imsmanifest.xml', content }, honest]);

  it('with entities and external documents read neither', async () => {
    const bomb = `<!DOCTYPE m [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "${'&a;'.repeat(10)}"><!ENTITY c "${'&b;'.repeat(10)}"><!ENTITY f SYSTEM "file:///etc/passwd">]>`;
    for (const title of ['&c;', '&f;']) {
      const xml = scormManifest('', '')
        .replace('?>', `?>${bomb}`)
        .replace('<title>Course</title>', `<title>${title}</title>`);
      const blocks = await blocksOf(read, withManifest(xml));
      expect(JSON.stringify(blocks)).not.toMatch(/root:|aaaa/);
      expect(blocks).toHaveLength(1);
    }
  });

  it('that are huge or deeply nested are rejected', async () => {
    expect(
      await outcome(
        buildZip([
          {
            name: 'imsmanifest.xml',
            content: Buffer.concat([
              Buffer.from('<manifest>'),
              Buffer.alloc(100_000_000, ' '),
              Buffer.from('</manifest>'),
            ]),
            stored: true,
          },
          honest,
        ]),
      ),
    ).toBe('document_too_complex');
    expect(await outcome(withManifest(scormManifest('<item>'.repeat(5000) + '</item>'.repeat(5000), '')))).toBe(
      'document_too_complex',
    );
    expect(await outcome(withManifest(`${'<manifest xml:base="x/">'.repeat(500)}${'</manifest>'.repeat(500)}`))).toBe(
      'document_too_complex',
    );
    const noise = Array.from(
      { length: 300_000 },
      (_, at) => `<resource identifier="${(at * 7919) % 1_000_003}"/>`,
    ).join('');
    expect(await outcome(withManifest(scormManifest('', noise)))).toBe('document_too_complex');
  });

  it('with circular dependencies are planned in time', async () => {
    const all = Array.from({ length: 200 }, (_, at) => `<dependency identifierref="r${at}"/>`).join('');
    const resources = Array.from(
      { length: 200 },
      (_, at) => `<resource identifier="r${at}" href="a.html">${all}</resource>`,
    ).join('');
    const before = process.cpuUsage().user;
    expect(
      await outcome(
        withManifest(
          scormManifest(Array.from({ length: 200 }, (_, at) => courseItem('T', `r${at}`)).join(''), resources),
        ),
      ),
    ).toEqual(['a.html']);
    expect(process.cpuUsage().user - before).toBeLessThan(10_000_000);
  });
});

it('a package that exhausts memory only ends its own process', async () => {
  const pool = createExtractionPool({ slots: 1, memoryMegabytes: 256, seconds: 60, readableFolders: [tmpdir()] });
  const heavy = buildZip([
    manifest,
    {
      name: 'a.html',
      content: Buffer.from(Array.from({ length: 300_000 }, (_, at) => `<p>${at * 7919} word`).join('')),
    },
  ]);
  const codes = await Promise.all(
    [heavy, buildCourse({ pages: { 'a.html': page } })].map((content) =>
      withFile(content, 'c.zip', async (path, bytes) => {
        await writeFile(path, content);
        try {
          let blocks = 0;
          for await (const batch of pool.extract({ path, bytes, format: 'package' })) blocks += batch.blocks;
          return blocks > 0 ? 'read' : 'empty';
        } catch (error) {
          return error instanceof Error && 'code' in error ? String(error.code) : String(error);
        }
      }),
    ),
  );
  await pool.close();
  expect(codes).toEqual([expect.stringMatching(/^(read|document_too_complex)$/), 'read']);
});
