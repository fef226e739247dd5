import { buildCourse, courseItem, courseResource, scormManifest } from '../formats/testing/course.ts';
import { buildDocx, buildXlsx, paragraph } from '../formats/testing/office.ts';
import { buildPdf } from '../formats/testing/pdf.ts';
import { buildZip, type TestEntry } from '../formats/testing/zip.ts';

/** Creates a malicious file. Its name has the format and the attack. */
export type MakeHostile = () => Buffer;

const mebibyte = 2 ** 20;
const page = '<p>a page of a course</p>';
const manifest: TestEntry = {
  name: 'imsmanifest.xml',
  content: scormManifest(courseItem('Page', 'r'), courseResource('r', 'a.html')),
};

/** Rows or elements with different numbers, so that they compress like real ones. */
function many(count: number, make: (at: number) => string): string {
  return Array.from({ length: count }, (_, at) => make((at * 7919) % 1_000_003)).join('');
}

const laughs = `<!DOCTYPE d [<!ENTITY a "ha">${Array.from({ length: 9 }, (_, at) => `<!ENTITY ${'bcdefghij'[at]} "${`&${'abcdefghi'[at]};`.repeat(10)}">`).join('')}]>`;

const texts: Readonly<Record<string, MakeHostile>> = {
  // Above the maximum size of a document.
  'line-of-a-gibibyte.txt': () => Buffer.alloc(1024 * mebibyte, 'an endless line of words '),
  // Longer ones are read in time as well, but embedding all of their text takes as long as for normal text.
  'line-without-end.txt': () => Buffer.alloc(mebibyte / 4, 'an endless line of words '),
  'line-without-end.csv': () => Buffer.alloc(mebibyte / 4, 'an endless line of words, '),
  'line-without-end.html': () => Buffer.alloc(mebibyte / 4, 'an endless line of words, '),
  'nothing-but-nul.txt': () => Buffer.alloc(100 * mebibyte),
  'surrogates.md': () => Buffer.from([0x61, 0xed, 0xa0, 0x80, 0x62]),
  'broken-quotes.csv': () => Buffer.from(`id,text\n${many(100_000, (at) => `${at},"open ${at}\n`)}`),
  'nested-100000-deep.html': () =>
    Buffer.from(`<p>before</p>${'<div>'.repeat(100_000)}deep${'</div>'.repeat(100_000)}`),
  'nested-tables.html': () => Buffer.from(`${'<table><tr><td>'.repeat(50_000)}deep`),
  'elements-300000.html': () => Buffer.from('<p>a<i>b</i>'.repeat(300_000)),
  'attributes-300000.html': () => Buffer.from(`<p ${'a=b '.repeat(300_000)}>text</p><!--${'-'.repeat(mebibyte)}`),
};

const office: Readonly<Record<string, MakeHostile>> = {
  'entities-that-multiply.docx': () =>
    buildZip([
      { name: 'word/document.xml', content: `${laughs}<w:document><w:body>${paragraph('&j;')}</w:body></w:document>` },
    ]),
  'packed-a-thousandfold.docx': () => buildDocx(paragraph('x').repeat(1_000_000)),
  'attributes-100000.docx': () =>
    buildDocx(`<w:p${many(100_000, (at) => ` a${at}="x"`)}><w:r><w:t>still read</w:t></w:r></w:p>`),
  'nested-tables.docx': () =>
    buildDocx(`${'<w:tbl><w:tr><w:tc>'.repeat(20_000)}${paragraph('deep')}${'</w:tc></w:tr></w:tbl>'.repeat(20_000)}`),
  'columns-16384.xlsx': () =>
    buildXlsx([
      {
        name: 'Wide',
        rows: `<row>${many(16_384, (at) => `<c t="inlineStr"><is><t>cell ${at}</t></is></c>`)}</row>`.repeat(3),
      },
    ]),
  'rows-2000000.xlsx': () =>
    buildXlsx([{ name: 'Long', rows: many(2_000_000, (at) => `<row><c><v>${at}</v></c></row>`) }]),
  'formats-without-end.xlsx': () =>
    buildXlsx([{ name: 'S', rows: '<row><c s="0"><v>45000.5</v></c><c s="1"><v>45000.5</v></c></row>' }], {
      formats: ['#,'.repeat(30_000), '['.repeat(30_000)],
    }),
};

const saved = 'q '.repeat(400_000);

const pdfs: Readonly<Record<string, MakeHostile>> = {
  'states-400000.pdf': () => buildPdf([{ operators: saved }]),
  'states-400000-on-40-pages.pdf': () =>
    buildPdf(Array.from({ length: 40 }, () => ({ lines: ['words'], operators: saved }))),
  'nested-lists.pdf': () => buildPdf([{ operators: '['.repeat(200_000) }]),
  'nested-dictionaries.pdf': () => buildPdf([{ operators: '<< /A '.repeat(200_000) }]),
  'page-tree-of-itself.pdf': () =>
    Buffer.from(
      buildPdf([{ lines: ['words'] }])
        .toString('latin1')
        .replace('/Kids [4 0 R]', '/Kids [2 0 R]'),
      'latin1',
    ),
  'contents-20000-times.pdf': () =>
    Buffer.from(
      buildPdf([{ lines: ['words of a page'] }])
        .toString('latin1')
        .replace('/Contents 5 0 R', `/Contents [${'5 0 R '.repeat(20_000)}]`),
      'latin1',
    ),
  'forms-of-themselves.pdf': () =>
    Buffer.from(
      buildPdf([{ lines: ['around'], operators: '/X Do' }], {
        objects: [
          '<< /Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X 6 0 R >> >> /Length 11 >>\nstream\n/X Do /X Do\nendstream',
        ],
      })
        .toString('latin1')
        .replace('/Font << /F1 3 0 R >>', '/XObject << /X 6 0 R >> /Font << /F1 3 0 R >>'),
      'latin1',
    ),
  'objects-1000000.pdf': () => {
    const whole = buildPdf([{ lines: ['found among many'] }]);
    const at = whole.indexOf('xref\n');
    return Buffer.concat([
      whole.subarray(0, at),
      Buffer.from(
        many(1_000_000, (number) => `${number + 10} 0 obj\n<<>>\nendobj\n`),
        'latin1',
      ),
      whole.subarray(at),
    ]);
  },
  'words-100000-anywhere.pdf': () =>
    buildPdf([{ operators: many(100_000, (at) => `BT /F1 8 Tf 1 0 0 1 ${at % 600} ${at % 781} Tm (w${at}) Tj ET\n`) }]),
  'locked.pdf': () =>
    buildPdf([{ lines: ['secret'] }], {
      trailer: `/Encrypt << /Filter /Standard /V 1 /R 2 /O <${'0f'.repeat(32)}> /U <${'0f'.repeat(32)}> /P -4 >> /ID [<01> <01>]`,
    }),
  'cut-off.pdf': () => buildPdf([{ lines: ['words'] }]).subarray(0, 300),
};

const packages: Readonly<Record<string, MakeHostile>> = {
  'packed-tightly.zip': () => buildZip([manifest, { name: 'a.html', content: Buffer.alloc(30_000_000) }]),
  'archives-in-archives.zip': () =>
    buildZip([
      manifest,
      {
        name: 'x.zip',
        stored: true,
        content: [1, 2, 3, 4].reduce(
          (inner) => buildZip(Array.from({ length: 10 }, (_, at) => ({ name: `${at}.zip`, content: inner }))),
          buildZip([{ name: 'x', content: Buffer.alloc(5_000_000) }]),
        ),
      },
    ]),
  'bomb-inside.zip': () =>
    buildZip([manifest, { name: 'bomb.docx', content: buildDocx(paragraph('x').repeat(1_000_000)) }]),
  'shared-bytes.zip': () =>
    buildZip([manifest, { name: 'a.html', content: page }, { name: 'b.html', content: '', sameBytesAs: 1 }]),
  'lying-sizes.zip': () => buildZip([manifest, { name: 'a.html', content: page.repeat(500), claimedBytes: 100 }]),
  'names-that-climb.zip': () =>
    buildZip([
      manifest,
      { name: '../../etc/up.html', content: page },
      { name: '/abs.html', content: page },
      { name: 'link.html', content: '/etc/passwd', mode: 0o120777, stored: true },
    ]),
  'entries-100000.zip': () =>
    buildZip([
      manifest,
      ...Array.from({ length: 100_000 }, (_, at): TestEntry => ({ name: `${at}.html`, content: '', stored: true })),
    ]),
  'locked.zip': () => buildZip([manifest, { name: 'a.html', content: 'x', flags: 1 }]),
  'manifest-of-entities.zip': () =>
    buildZip([
      {
        name: 'imsmanifest.xml',
        content: scormManifest('', '')
          .replace('?>', `?>${laughs}`)
          .replace('<title>Course</title>', '<title>&j;</title>'),
      },
      { name: 'a.html', content: page },
    ]),
  'manifest-all-depends-on-all.zip': () =>
    buildZip([
      {
        name: 'imsmanifest.xml',
        content: scormManifest(
          courseItem('T', 'r0'),
          Array.from(
            { length: 300 },
            (_, at) =>
              `<resource identifier="r${at}" href="a.html">${Array.from({ length: 300 }, (_one, other) => `<dependency identifierref="r${other}"/>`).join('')}</resource>`,
          ).join(''),
        ),
      },
      { name: 'a.html', content: page },
    ]),
  'states-400000-inside.zip': () =>
    buildCourse({
      pages: Object.fromEntries(
        Array.from({ length: 20 }, (_, at) => [`${at}.pdf`, buildPdf([{ lines: [`page ${at}`], operators: saved }])]),
      ),
    }),
  'elements-inside.zip': () =>
    buildCourse({
      pages: { 'a.html': many(300_000, (at) => `<p>${at} word`), 'b.html': `${'<div>'.repeat(100_000)}deep` },
    }),
  'scripts-without-end.zip': () =>
    buildCourse({
      pages: {
        'a.html': page,
        'a.js': `x = ${'['.repeat(300_000)}`,
        'b.js': `x = {${many(200_000, (at) => `"text": "words ${at} of a script", `)}`,
        'c.json': '{"a":'.repeat(300_000),
      },
    }),
};

/** All malicious files by name. */
export const hostileFiles: Readonly<Record<string, MakeHostile>> = { ...texts, ...office, ...pdfs, ...packages };
