import { readFileSync } from 'node:fs';
import { inflateRawSync } from 'node:zlib';
import type { ReadableFormat } from '../../formats/reader.ts';
import { buildDocx, buildPptx, buildXlsx, paragraph, slideShape } from '../../formats/testing/office.ts';
import { buildPdf, textAt } from '../../formats/testing/pdf.ts';
import { outcomeOf, tightPool } from '../../services/extractor/testing/pool.ts';
import { sampleDocuments } from '../../formats/testing/samples.ts';
import { buildZip } from '../../formats/testing/zip.ts';
import type { ArchiveEntry, Mutation } from './mutations.ts';
import { archiveMutation, byteMutations } from './mutations.ts';
import type { FuzzedFormat, FuzzReader } from './trial.ts';

/** Larger samples are skipped: they take longer without finding more. */
const largestSample = 400_000;
const prose = 'The lease is renewed every ten seconds, and nothing else changes it. ';

const made: Record<ReadableFormat, readonly Buffer[]> = {
  pdf: [
    buildPdf([{ lines: [prose, prose] }, { lines: ['second page'], rotate: 90 }]),
    buildPdf([
      {
        operators: Array.from(
          { length: 12 },
          (_, row) => textAt(50, 700 - row * 14, prose.slice(0, 40)) + textAt(320, 700 - row * 14, prose.slice(20, 60)),
        ).join(''),
      },
    ]),
  ],
  docx: [
    buildDocx(paragraph(prose).repeat(20)),
    buildDocx(
      `${paragraph('Title', 'Heading1')}<w:tbl><w:tr><w:tc>${paragraph('a')}</w:tc><w:tc>${paragraph('b')}</w:tc></w:tr></w:tbl>`,
      [
        {
          type: 'footnotes',
          name: 'footnotes.xml',
          xml: `<w:footnotes><w:footnote w:id="2">${paragraph('a note')}</w:footnote></w:footnotes>`,
        },
      ],
    ),
  ],
  xlsx: [
    buildXlsx([{ name: 'S', rows: '<row><c t="s"><v>0</v></c><c s="0"><v>45000</v></c></row>'.repeat(20) }], {
      strings: '<si><t>word</t></si>',
      formats: ['dd/mm/yyyy'],
    }),
    buildXlsx(
      [
        { name: 'A', rows: '<row r="1"><c t="inlineStr"><is><t>text</t></is></c><c t="b"><v>1</v></c></row>' },
        { name: 'B', rows: '<row/>', state: 'hidden' },
      ],
      { formats: ['#,##0.00;[Red](#,##0.00)', '0%'] },
    ),
  ],
  presentation: [
    buildPptx(
      Array.from({ length: 5 }, () => ({
        shapes: slideShape(['Title'], 'title') + slideShape([prose, prose], 'body'),
      })),
    ),
    buildPptx([
      {
        shapes: `<p:graphicFrame><a:tbl><a:tr><a:tc><a:p><a:r><a:t>cell</a:t></a:r></a:p></a:tc></a:tr></a:tbl></p:graphicFrame>${slideShape([prose])}`,
        parts: [
          {
            type: 'notesSlide',
            name: 'notes.xml',
            xml: `<p:notes xmlns:p="urn:p" xmlns:a="urn:a">${slideShape([prose], 'body')}</p:notes>`,
          },
          {
            type: 'comments',
            name: 'comments.xml',
            xml: '<p:cmLst xmlns:p="urn:p"><p:cm><p:text>a comment</p:text></p:cm></p:cmLst>',
          },
        ],
      },
    ]),
  ],
  csv: [
    Buffer.from('a,b,c\n"quoted, text",2,3\n'.repeat(20)),
    Buffer.from('name;city\r\n"Two\r\nlines";"a ""b"""\r\n'.repeat(10)),
  ],
  text: [Buffer.from(`${prose}\nÜber 😀\n`.repeat(20)), Buffer.from(`\ufeff${prose}\r${prose}`)],
  markdown: [
    Buffer.from(`# Title\n\n${prose}\n`.repeat(20)),
    Buffer.from(`Title\n=====\n\n\`\`\`\n# code\n\`\`\`\n- ${prose}\n`),
  ],
  package: ['1.2', '2004 4th Edition'].map((version) =>
    buildZip([
      {
        name: 'imsmanifest.xml',
        content: `<?xml version="1.0"?><manifest identifier="m" xmlns="http://www.imsproject.org/xsd/imscp_rootv1p1p2" xmlns:adlcp="http://www.adlnet.org/xsd/adlcp_rootv1p2"><metadata><schema>ADL SCORM</schema><schemaversion>${version}</schemaversion></metadata><organizations default="o"><organization identifier="o"><title>Course</title><item identifier="i" identifierref="r"><title>Lesson</title></item></organization></organizations><resources><resource identifier="r" type="webcontent" adlcp:scormtype="sco" href="page.html"><file href="page.html"/><file href="notes.txt"/></resource></resources></manifest>`,
      },
      { name: 'page.html', content: `<html><body><h1>Lesson</h1><p>${prose}</p></body></html>` },
      { name: 'notes.txt', content: prose },
    ]),
  ),
  html: [
    Buffer.from(`<!doctype html><main><h1>T</h1><p class="x">${prose}</p><table><tr><td>1</table></main>`.repeat(5)),
    Buffer.from(
      `<?xml version="1.0" encoding="utf-8"?><html><body><nav><a href="x">y</a></nav><pre>a\n b</pre><p>caf&eacute; &#x1F600; ${prose}</p></body></html>`,
    ),
  ],
};

async function originalsOf(format: ReadableFormat): Promise<readonly Buffer[]> {
  const samples = (await sampleDocuments()).filter(
    (sample) => sample.format === format && sample.bytes > 0 && sample.bytes <= largestSample,
  );
  return [...made[format], ...samples.map(({ path }) => readFileSync(path))];
}

const documentCodes = [
  'read',
  'ocr_required',
  'document_unreadable',
  'document_encrypted',
  'document_too_complex',
  'text_encoding_must_be_utf8',
];

/** Reads documents in a process pool, as the extractor does. */
function documentReader(format: ReadableFormat): FuzzReader {
  const pool = tightPool();
  return {
    read: async (content) => {
      const { code, reason, sound } = await outcomeOf(pool, format, content);
      if (!sound) return 'unsound text';
      // A small file that reaches the time limit counts as endless.
      return reason.includes('not read within') ? `hung: ${reason}` : code;
    },
    close: () => pool.close(),
  };
}

/** Files of an archive with a valid central directory; empty otherwise. */
function unpacked(archive: Buffer): ArchiveEntry[] {
  const entries: ArchiveEntry[] = [];
  const end = archive.lastIndexOf('PK\x05\x06', undefined, 'latin1');
  if (end < 0) return entries;
  let at = archive.readUInt32LE(end + 16);
  for (
    let count = archive.readUInt16LE(end + 10);
    count > 0 && archive.toString('latin1', at, at + 4) === 'PK\x01\x02';
    count--
  ) {
    const [packedBytes, nameBytes, extraBytes, commentBytes] = [
      archive.readUInt32LE(at + 20),
      archive.readUInt16LE(at + 28),
      archive.readUInt16LE(at + 30),
      archive.readUInt16LE(at + 32),
    ];
    const header = archive.readUInt32LE(at + 42);
    const start = header + 30 + archive.readUInt16LE(header + 26) + archive.readUInt16LE(header + 28);
    const packed = archive.subarray(start, start + packedBytes);
    entries.push({
      name: archive.toString('utf8', at + 46, at + 46 + nameBytes),
      content: archive.readUInt16LE(at + 10) === 8 ? inflateRawSync(packed) : Buffer.from(packed),
    });
    at += 46 + nameBytes + extraBytes + commentBytes;
  }
  return entries;
}

/** Cache of unpacked files by archive. */
const unpackedOnce = new WeakMap<Buffer, readonly ArchiveEntry[]>();

/** A mutation of the content of a zip archive, for packed formats. */
export const zipMutation: Mutation = archiveMutation((archive) => {
  let entries = unpackedOnce.get(archive);
  if (entries === undefined) unpackedOnce.set(archive, (entries = unpacked(archive)));
  return entries;
});

function document(format: ReadableFormat): FuzzedFormat {
  const isPacked = ['docx', 'xlsx', 'presentation', 'package'].includes(format);
  return {
    name: format,
    originals: () => originalsOf(format),
    // Three of four mutations of a packed format change its content.
    mutations: isPacked
      ? [...byteMutations, ...Array.from({ length: byteMutations.length * 3 }, () => zipMutation)]
      : byteMutations,
    open: () => documentReader(format),
    codes: format === 'package' ? [...documentCodes, 'not_a_scorm_package', 'document_empty'] : documentCodes,
  };
}

/** The mutated document formats. To add a format, add a row. */
export const fuzzedFormats: readonly FuzzedFormat[] = [
  document('pdf'),
  document('docx'),
  document('xlsx'),
  document('presentation'),
  document('csv'),
  document('text'),
  document('markdown'),
  document('html'),
  document('package'),
];
