import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { createExtractionPool } from './processes/pool.ts';
import { buildDocx, buildXlsx, paragraph } from '../../formats/testing/office.ts';
import { buildPdf } from '../../formats/testing/pdf.ts';
import { outcomeOf, outcomeOfFile, tightPool } from './testing/pool.ts';
import { withFile } from '../../formats/testing/read.ts';
import { buildZip } from '../../formats/testing/zip.ts';

/*
 * Documents that mean harm, each read in a process with less memory than a deployment gives, and each followed by a
 * harmless file through the same pool. What takes more memory or time than allowed is ended with
 * `document_too_complex`.
 */

const pool = tightPool();
afterAll(() => pool.close());
afterEach(async () => {
  expect(await outcomeOf(pool, 'text', 'unharmed')).toMatchObject({ code: 'read', blocks: 1 });
});

const mebibyte = 1024 * 1024;

describe('malicious XML', () => {
  const laughs = `<!DOCTYPE d [<!ENTITY a "ha">${Array.from({ length: 9 }, (_, index) => `<!ENTITY ${'bcdefghij'[index]} "${`&${'abcdefghi'[index]};`.repeat(10)}">`).join('')}]>`;
  const external = '<!DOCTYPE d [<!ENTITY e SYSTEM "file:///etc/hostname">]>';
  const document = (start: string, text: string): Buffer =>
    buildZip([
      { name: 'word/document.xml', content: `${start}<w:document><w:body>${paragraph(text)}</w:body></w:document>` },
    ]);

  it.each([
    ['entities that multiply', 'docx', document(laughs, '&j;')],
    ['an entity of another file', 'docx', document(external, '&e;')],
    [
      'parameter entities of another host',
      'docx',
      document(
        '<!DOCTYPE d SYSTEM "http://127.0.0.1:1/d.dtd" [<!ENTITY % p SYSTEM "http://127.0.0.1:1/p"> %p;]>',
        '&e;',
      ),
    ],
    [
      'entities in shared strings',
      'xlsx',
      buildZip([
        { name: 'xl/workbook.xml', content: '<workbook><sheets><sheet name="S"/></sheets></workbook>' },
        {
          name: 'xl/worksheets/sheet1.xml',
          content: '<worksheet><sheetData><row><c t="s"><v>0</v></c></row></sheetData></worksheet>',
        },
        { name: 'xl/sharedStrings.xml', content: `${laughs}<sst><si><t>&j;</t></si></sst>` },
      ]),
    ],
  ] as const)('%s are refused', async (_, format, content) => {
    expect((await outcomeOf(pool, format, content)).code).toBe('document_unreadable');
  });

  it('an element with a hundred thousand attributes, and a start tag of 8 MiB, cost little', async () => {
    const before = Date.now();
    const attributes = Array.from({ length: 100_000 }, (_, index) => ` a${index}="x"`).join('');
    expect(
      await outcomeOf(pool, 'docx', buildDocx(`<w:p${attributes}><w:r><w:t>still read</w:t></w:r></w:p>`)),
    ).toMatchObject({ code: 'read', blocks: 1 });
    const long = buildZip([
      {
        name: 'word/document.xml',
        content: `<w:document><w:body><w:p w:x="${'y'.repeat(8 * mebibyte)}"><w:r><w:t>read too</w:t></w:r></w:p></w:body></w:document>`,
        stored: true,
      },
    ]);
    expect(await outcomeOf(pool, 'docx', long)).toMatchObject({ code: 'read', blocks: 1 });
    expect(Date.now() - before).toBeLessThan(30_000);
  });

  it('characters that stores refuse are removed', async () => {
    const odd = await outcomeOf(
      pool,
      'xlsx',
      buildXlsx([{ name: 'S', rows: '<row><c t="inlineStr"><is><t>a_xD800_b_x0000_c</t></is></c></row>' }]),
    );
    expect(odd).toMatchObject({ code: 'read', sound: true });
    expect(odd.first[0]?.text).toBe('abc');
    expect((await outcomeOf(pool, 'docx', buildDocx(paragraph('a&#xD800;b')))).code).toMatch(
      /^(read|document_unreadable)$/,
    );
    expect(await outcomeOf(pool, 'html', '<p>a&#xD800;b&#0;c\0d</p>')).toMatchObject({ code: 'read', sound: true });
  });
});

describe('malicious text', () => {
  it('a single line of a gibibyte is split, with little memory', async () => {
    await withFile('', 'line.txt', async (path) => {
      const chunk = Buffer.alloc(mebibyte, 'an endless line of words ');
      const handle = await open(path, 'w');
      for (let written = 0; written < 1024; written++) await handle.write(chunk);
      await handle.close();
      const outcome = await outcomeOfFile(pool, 'text', path);
      expect(outcome).toMatchObject({ code: 'read', sound: true });
      expect(outcome.blocks).toBeGreaterThan(1024 * 16);
      expect(outcome.longest).toBeLessThanOrEqual(65_536);
    });
  });

  it.each(['csv', 'markdown', 'html'] as const)('a single line of 100 MiB as %s is split', async (format) => {
    const outcome = await outcomeOf(pool, format, Buffer.alloc(100 * mebibyte, 'an endless line of words, '));
    expect(outcome).toMatchObject({ code: 'read', sound: true });
    expect(outcome.longest).toBeLessThan(mebibyte / 2);
  });

  it('a gibibyte of NULs, and NULs among words, fail immediately', async () => {
    await withFile('', 'hole.txt', async (path) => {
      const handle = await open(path, 'w');
      await handle.truncate(1024 * mebibyte);
      await handle.close();
      for (const format of ['text', 'csv', 'markdown'] as const)
        expect((await outcomeOfFile(pool, format, path)).code).toBe('text_encoding_must_be_utf8');
    });
    expect(await outcomeOf(pool, 'text', `${'some words, '.repeat(20)}\0b\n\0\nc\0`)).toMatchObject({
      code: 'read',
      blocks: 2,
      sound: true,
    });
    expect(await outcomeOf(pool, 'csv', `${'some,words\n'.repeat(20)}a\0,b\n\0,\0\n`)).toMatchObject({
      code: 'read',
      sound: true,
    });
  });

  it('surrogates encoded as UTF-8 are invalid', async () => {
    const surrogate = Buffer.from([0x61, 0xed, 0xa0, 0x80, 0x62]);
    for (const format of ['text', 'markdown', 'csv'] as const)
      expect((await outcomeOf(pool, format, surrogate)).code).toBe('text_encoding_must_be_utf8');
    expect(await outcomeOf(pool, 'html', surrogate)).toMatchObject({ code: 'read', sound: true });
  });

  it('broken quotes in a CSV only affect their records', async () => {
    const rows = Array.from({ length: 100_000 }, (_, index) => `${index},"open ${index}`).join('\n');
    const outcome = await outcomeOf(pool, 'csv', `id,text\n${rows}\nlast,row`);
    expect(outcome).toMatchObject({ code: 'read', sound: true });
    expect(outcome.blocks).toBeGreaterThan(1);
  });

  it('HTML nested a hundred thousand deep, and hundreds of thousands of elements and attributes, are read', async () => {
    for (const tag of ['div', 'b', 'table', 'li'])
      expect(
        (await outcomeOf(pool, 'html', `<p>before</p>${`<${tag}>`.repeat(100_000)}deep${`</${tag}>`.repeat(100_000)}`))
          .code,
      ).toBe('read');
    expect(await outcomeOf(pool, 'html', '<p>a<i>b</i>'.repeat(300_000))).toMatchObject({
      code: 'read',
      blocks: 300_000,
    });
    expect(
      (await outcomeOf(pool, 'html', `<p ${'a=b '.repeat(300_000)}>text</p><!--${'-'.repeat(mebibyte)}`)).code,
    ).toBe('read');
  });
});

describe('malicious workbooks', () => {
  it('a sheet of 16,384 columns is read by row, with endless rows truncated', async () => {
    const row = (number: number): string =>
      `<row>${Array.from({ length: 16_384 }, (_, index) => `<c t="inlineStr"><is><t>cell ${index * 7919 + number} that says more than anybody wants to know about it</t></is></c>`).join('')}</row>`;
    const outcome = await outcomeOf(pool, 'xlsx', buildXlsx([{ name: 'Wide', rows: row(1) + row(2) + row(3) }]));
    // Each row as several blocks, because it is too long to be stored as one.
    expect(outcome).toMatchObject({ code: 'read', blocks: 12, sound: true });
    expect(outcome.longest).toBeLessThan(mebibyte / 2);
  });

  it('a sheet of two million rows is refused', async () => {
    expect(
      (
        await outcomeOf(
          pool,
          'xlsx',
          buildXlsx([
            {
              name: 'Long',
              rows: Array.from({ length: 2_000_000 }, (_, index) => `<row><c><v>${index * 7919}</v></c></row>`).join(
                '',
              ),
            },
          ]),
        )
      ).code,
    ).toBe('document_too_complex');
    expect(
      (await outcomeOf(pool, 'xlsx', buildXlsx([{ name: 'Long', rows: '<row r="2000000"><c><v>7</v></c></row>' }])))
        .code,
    ).toBe('document_too_complex');
  });

  it('unknown indexes and styles are empty cells', async () => {
    const rows = ['-1', '99999999999', '1e300', 'NaN', 'x']
      .map((index) => `<row><c t="s" s="${index}"><v>${index}</v></c><c s="${index}"><v>${index}</v></c></row>`)
      .join('');
    expect(
      await outcomeOf(
        pool,
        'xlsx',
        buildXlsx([{ name: 'S', rows: `${rows}<row><c t="inlineStr"><is><t>end</t></is></c></row>` }], {
          strings: '<si><t>only one</t></si>',
        }),
      ),
    ).toMatchObject({ code: 'read', sound: true });
  });

  it('endless number formats are cheap', async () => {
    const formats = [
      '0'.repeat(30_000),
      '#,'.repeat(30_000),
      `0.${'0'.repeat(30_000)}`,
      'yyyy'.repeat(10_000),
      '"'.repeat(9_999),
      '['.repeat(30_000),
      ';'.repeat(30_000),
      '\\'.repeat(30_000),
    ];
    const rows = formats.map((_, index) => `<row><c s="${index}"><v>45000.5</v></c></row>`).join('');
    const before = Date.now();
    expect((await outcomeOf(pool, 'xlsx', buildXlsx([{ name: 'S', rows }], { formats }))).code).toBe('read');
    expect(Date.now() - before).toBeLessThan(20_000);
  });
});

describe('malicious PDFs', () => {
  const edited = (pdf: Buffer, from: string, to: string): Buffer => {
    const text = pdf.toString('latin1');
    expect(text).toContain(from);
    return Buffer.from(text.replace(from, to), 'latin1');
  };

  it('cyclic page trees, forms, maps and object tables end', async () => {
    const page = buildPdf([{ lines: ['words of a page'] }]);
    const looping = [
      edited(page, '/Kids [4 0 R]', '/Kids [2 0 R]'),
      edited(page, '/Kids [4 0 R]', '/Kids [4 0 R 2 0 R 2 0 R]'),
      edited(page, '/Parent 2 0 R', '/Parent 4 0 R'),
      edited(page, '/Root 1 0 R', '/Root 1 0 R /Prev 9'),
      buildPdf([{ lines: ['around'], operators: '/X Do' }], {
        objects: [
          '<< /Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X 6 0 R >> >> /Length 5 >>\nstream\n/X Do\nendstream',
        ],
      }),
      edited(
        buildPdf([{ lines: ['around'], operators: '/X Do' }], {
          objects: [
            '<< /Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X 6 0 R >> >> /Length 11 >>\nstream\n/X Do /X Do\nendstream',
          ],
        }),
        '/Font << /F1 3 0 R >>',
        '/XObject << /X 6 0 R >> /Font << /F1 3 0 R >>',
      ),
      edited(page, '/Contents 5 0 R', `/Contents [${'5 0 R '.repeat(20_000)}]`),
      buildPdf([{ lines: ['mapped'] }], {
        font: '/ToUnicode 6 0 R',
        objects: ['<< /UseCMap 6 0 R /Length 9 >>\nstream\n/X usecmap\nendstream'],
      }),
    ];
    for (const pdf of looping)
      expect((await outcomeOf(pool, 'pdf', pdf)).code).toMatch(
        /^(read|document_unreadable|document_too_complex|ocr_required)$/,
      );
  });

  it('a million objects are read, with a table of them and without', async () => {
    const objects = Buffer.from(
      Array.from({ length: 1_000_000 }, (_, index) => `${index + 10} 0 obj\n<<>>\nendobj\n`).join(''),
      'latin1',
    );
    const page = buildPdf([{ lines: ['found among many'] }]);
    const at = page.indexOf('xref\n');
    const scanned = Buffer.concat([page.subarray(0, at), objects, page.subarray(at)]);
    expect((await outcomeOf(pool, 'pdf', scanned)).code).toMatch(/^(read|document_too_complex)$/);
    const table = '0000000015 00000 n \n'.repeat(1_000_000);
    const listed = edited(edited(page, 'xref\n0 6\n', 'xref\n0 1000006\n'), 'trailer', `${table}trailer`);
    expect(await outcomeOf(pool, 'pdf', listed)).toMatchObject({ code: 'read', first: [{ text: 'found among many' }] });
  });

  it('a declared million pages, boxes without size and endless numbers are harmless', async () => {
    const page = buildPdf([{ lines: ['one page'] }]);
    const claims = [
      edited(page, '/Count 1', '/Count 1000000'),
      edited(page, '/Count 1', '/Count -1'),
      edited(page, '[0 0 612 792]', '[0 0 1e38 -1e38]'),
      edited(page, '/F1 11 Tf', '/F1 1e300 Tf'),
      edited(page, '14 TL', `${'9'.repeat(1000)} TL`),
      buildPdf([{ operators: '['.repeat(200_000) }]),
      buildPdf([{ operators: '<< /A '.repeat(200_000) }]),
    ];
    for (const pdf of claims)
      expect((await outcomeOf(pool, 'pdf', pdf)).code).toMatch(
        /^(read|document_unreadable|document_too_complex|ocr_required)$/,
      );
  });

  it('a page with endless saved states is stopped in time, without effect on other files', async () => {
    const limited = createExtractionPool({ slots: 2, memoryMegabytes: 320, seconds: 6, readableFolders: [tmpdir()] });
    try {
      expect(await outcomeOf(limited, 'text', 'warm')).toMatchObject({ code: 'read' });
      let ended = false;
      const hostile = outcomeOf(limited, 'pdf', buildPdf([{ operators: 'q '.repeat(400_000) }])).finally(() => {
        ended = true;
      });
      let meanwhile = 0;
      for (; meanwhile < 20 && !ended; meanwhile++)
        expect(await outcomeOf(limited, 'text', 'unharmed')).toMatchObject({ code: 'read' });
      expect(meanwhile).toBeGreaterThan(1);
      expect((await hostile).code).toBe('document_too_complex');
    } finally {
      await limited.close();
    }
  });

  it('a page of a hundred thousand words at random positions is sorted in time', async () => {
    let state = 7;
    const next = (below: number): number => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
      return (state >>> 16) % below;
    };
    const operators = Array.from(
      { length: 100_000 },
      (_, index) => `BT /F1 8 Tf 1 0 0 1 ${next(600)} ${next(780)} Tm (w${index}) Tj ET`,
    ).join('\n');
    const before = Date.now();
    expect(await outcomeOf(pool, 'pdf', buildPdf([{ operators }]))).toMatchObject({ code: 'read', blocks: 3 });
    expect(Date.now() - before).toBeLessThan(40_000);
  });
});
