import { buildCompoundFile } from './testing/compound.ts';
import { buildDocx, paragraph } from './testing/office.ts';
import { blocksOf, codeOf } from './testing/read.ts';
import { buildZip } from './testing/zip.ts';
import { readDocx } from './docx.ts';

const texts = async (body: string): Promise<string[]> =>
  (await blocksOf(readDocx, buildDocx(body))).map(({ text }) => text);
const run = (content: string): string => `<w:p><w:r>${content}</w:r></w:p>`;

describe('Word', () => {
  it('reads embedded web pages, web archives and Word files', async () => {
    const archive = [
      'MIME-Version: 1.0',
      'Content-Type: multipart/related;',
      '\tboundary="--=part"',
      '',
      '----=part',
      'Content-Type: text/html; charset="windows-1252"',
      'Content-Transfer-Encoding: quoted-printable',
      'Content-Location: file:///C:/page.htm',
      '',
      '<h1>Caf=E9</h1><p>A long li=',
      'ne =3D one</p>',
      '----=part',
      'Content-Type: image/png',
      'Content-Transfer-Encoding: base64',
      '',
      'AAAA',
      '----=part--',
    ].join('\r\n');
    const inner = buildDocx(paragraph('inner'), [{ type: 'aFChunk', name: 'deeper.html', xml: '<p>too deep</p>' }]);
    const chunks = [
      { type: 'aFChunk', name: 'a.html', xml: '<meta charset=utf-8><h2>Of the page</h2><p>first \u00fc</p>' },
      { type: 'aFChunk', name: 'b.mht', xml: archive },
      { type: 'aFChunk', name: 'c.rtf', xml: '{\\rtf1 no}' },
      { type: 'aFChunk', name: 'd.docx', xml: inner },
    ];
    const blocks = await blocksOf(
      readDocx,
      buildDocx(`${paragraph('body')}<w:altChunk r:id="rId1"/>`, [
        ...chunks,
        { type: 'footer', name: 'footer.xml', xml: `<w:ftr>${paragraph('foot')}</w:ftr>` },
      ]),
    );
    expect(blocks.map(({ text, location }) => [text, location])).toEqual([
      ['body', { block: 1 }],
      ['Of the page', { block: 2, heading: 'Of the page' }],
      ['first \u00fc', { block: 3, heading: 'Of the page' }],
      ['Caf\u00e9', { block: 4, heading: 'Caf\u00e9' }],
      ['A long line = one', { block: 5, heading: 'Caf\u00e9' }],
      ['inner', { block: 6 }],
      ['foot', { block: 7 }],
    ]);
  });

  it('adds the caption and column names to the cells of a table', async () => {
    const row = (...cells: string[]): string =>
      `<w:tr>${cells.map((cell) => `<w:tc>${paragraph(cell)}</w:tc>`).join('')}</w:tr>`;
    const table = (rows: string): string => `<w:tbl>${rows}</w:tbl>`;
    const styles =
      '<w:styles><w:style w:type="paragraph" w:styleId="Beschriftung"><w:name w:val="caption"/></w:style></w:styles>';
    const blocks = await blocksOf(
      readDocx,
      buildDocx(
        paragraph('Table 1: Stores', 'Beschriftung') +
          table(row('Item', 'Price') + row('Oil', '212') + row('Wick', '9')) +
          paragraph('Figure 1: The lamp', 'Beschriftung') +
          paragraph('Text.') +
          table(row('a') + row('b')),
        [{ type: 'styles', name: 'styles.xml', xml: styles }],
      ),
    );
    expect(blocks.map(({ text, context }) => [text, context])).toEqual([
      ['Table 1: Stores', undefined],
      ['Item', 'Table 1: Stores'],
      ['Price', undefined],
      ['Oil', undefined],
      ['212', undefined],
      ['Wick', 'Table 1: Stores\nItem | Price'],
      ['9', undefined],
      ['Figure 1: The lamp', undefined],
      ['Text.', undefined],
      ['a', undefined],
      ['b', undefined],
    ]);
  });

  it('marks tables of contents and keeps them apart', async () => {
    const styles =
      '<w:styles><w:style w:type="paragraph" w:styleId="Verzeichnis1"><w:name w:val="toc 1"/></w:style></w:styles>';
    const blocks = await blocksOf(
      readDocx,
      buildDocx(
        `<w:sdt><w:sdtPr><w:docPartObj><w:docPartGallery w:val="Table of Contents"/></w:docPartObj></w:sdtPr><w:sdtContent>${paragraph('Contents', 'Title')}${paragraph('Lamps 3')}</w:sdtContent></w:sdt>` +
          paragraph('Oil 12', 'Verzeichnis1') +
          paragraph('Lamps are lit.'),
        [{ type: 'styles', name: 'styles.xml', xml: styles }],
      ),
    );
    expect(blocks.map(({ text, group, isContents }) => [text, group, isContents])).toEqual([
      ['Contents', 'body 0 contents', true],
      ['Lamps 3', 'body 0 contents', true],
      ['Oil 12', 'body 0 contents', true],
      ['Lamps are lit.', 'body 0', undefined],
    ]);
  });

  it('yields paragraphs with their heading and cells with row and column', async () => {
    const table = `<w:tbl><w:tr><w:tc><w:tcPr><w:gridSpan w:val="2"/></w:tcPr>${paragraph('wide')}</w:tc><w:tc>${paragraph('c')}${paragraph('d')}</w:tc></w:tr><w:tr><w:tc><w:p/></w:tc><w:tc>${paragraph('e')}</w:tc></w:tr></w:tbl>`;
    const styles =
      '<w:styles><w:style w:type="paragraph" w:styleId="Kop"><w:name w:val="heading 1"/></w:style><w:style w:type="paragraph" w:styleId="Mine"><w:basedOn w:val="Kop"/></w:style></w:styles>';
    const blocks = await blocksOf(
      readDocx,
      buildDocx(`${paragraph('before')}${paragraph('Chapter', 'Mine')}${paragraph('under')}${table}`, [
        { type: 'styles', name: 'styles.xml', xml: styles },
      ]),
    );
    expect(blocks.map(({ text, location }) => [text, location])).toEqual([
      ['before', { block: 1 }],
      ['Chapter', { block: 2, heading: 'Chapter' }],
      ['under', { block: 3, heading: 'Chapter' }],
      ['wide', { block: 4, heading: 'Chapter', row: 1, column: 1 }],
      ['c\nd', { block: 5, heading: 'Chapter', row: 1, column: 3 }],
      ['e', { block: 6, heading: 'Chapter', row: 2, column: 2 }],
    ]);
    expect(new Set(blocks.map(({ group }) => group)).size).toBe(3);
  });

  it('skips deleted text and keeps insertions', async () => {
    expect(
      await texts(
        '<w:p><w:r><w:t>a </w:t></w:r><w:ins><w:r><w:t>new </w:t></w:r></w:ins><w:del><w:r><w:delText>old</w:delText></w:r></w:del><w:moveFrom><w:r><w:t>gone</w:t></w:r></w:moveFrom><w:r><w:t>end</w:t></w:r></w:p>',
      ),
    ).toEqual(['a new end']);
  });

  it('reads a text box once', async () => {
    const box = paragraph('in the box');
    expect(
      await texts(
        run(
          `<w:t>around</w:t><mc:AlternateContent><mc:Choice><wps:txbx><w:txbxContent>${box}</w:txbxContent></wps:txbx></mc:Choice><mc:Fallback><v:textbox><w:txbxContent>${box}</w:txbxContent></v:textbox></mc:Fallback></mc:AlternateContent>`,
        ),
      ),
    ).toEqual(['around', 'in the box']);
  });

  it('reads the first alternative rendering, and WordArt', async () => {
    const choice = (requires: string, text: string): string =>
      `<mc:Choice Requires="${requires}"><w:r><w:t>${text}</w:t></w:r></mc:Choice>`;
    expect(
      await texts(
        `<w:p><mc:AlternateContent>${choice('w16', 'newest')}${choice('w14', 'newer')}<mc:Fallback><w:r><w:t>old</w:t></w:r></mc:Fallback></mc:AlternateContent><mc:AlternateContent><mc:Fallback><w:r><w:t> alone</w:t></w:r></mc:Fallback></mc:AlternateContent></w:p>`,
      ),
    ).toEqual(['newest alone']);
    expect(
      await texts(
        `<w:p><w:r><w:t>left</w:t><w:ptab w:alignment="right"/><w:t>right</w:t></w:r><w:r><w:pict><v:shapetype><v:textpath on="t"/></v:shapetype><v:shape><v:textpath string="TOP &amp; SECRET"/></v:shape></w:pict></w:r></w:p>`,
      ),
    ).toEqual(['left right', 'TOP & SECRET']);
  });

  it('reads charts and diagrams once, after the body', async () => {
    const names = (...texts: string[]): string =>
      `<c:strRef><c:f>Sheet1!A1</c:f><c:strCache>${texts.map((text, index) => `<c:pt idx="${index}"><c:v>${text}</c:v></c:pt>`).join('')}</c:strCache></c:strRef>`;
    const series = (name: string): string =>
      `<c:ser><c:tx>${names(name)}</c:tx><c:cat>${names('North', 'South')}</c:cat><c:val><c:numRef><c:numCache><c:pt><c:v>4.3</c:v></c:pt></c:numCache></c:numRef></c:val></c:ser>`;
    const chart = `<c:chartSpace xmlns:c="urn:c" xmlns:a="urn:a"><c:title><c:tx><c:rich><a:p><a:r><a:t>Yearly </a:t></a:r><a:r><a:t>sales</a:t></a:r></a:p></c:rich></c:tx></c:title>${series('2023')}${series('2024')}<c:txPr><a:p><a:endParaRPr/></a:p></c:txPr></c:chartSpace>`;
    const diagram =
      '<dgm:dataModel xmlns:dgm="urn:d" xmlns:a="urn:a"><dgm:pt><dgm:t><a:p><a:r><a:t>plan</a:t></a:r></a:p></dgm:t></dgm:pt><dgm:pt type="pres"/><dgm:pt><dgm:t><a:p><a:r><a:t>do</a:t></a:r></a:p></dgm:t></dgm:pt></dgm:dataModel>';
    const parts = [
      { type: 'diagramData', name: 'diagrams/data1.xml', xml: diagram },
      { type: 'chart', name: 'charts/chart1.xml', xml: chart },
      { type: 'footer', name: 'footer.xml', xml: `<w:ftr>${paragraph('foot')}</w:ftr>` },
    ];
    const read = async (parts: Parameters<typeof buildDocx>[1]): Promise<string[]> =>
      (await blocksOf(readDocx, buildDocx(paragraph('body'), parts))).map(({ text }) => text);
    expect(await read(parts)).toEqual(['body', 'Yearly sales', '2023', 'North', 'South', '2024', 'plan', 'do', 'foot']);
    // A corrupt part does not affect the others.
    expect(await read([{ type: 'chart', name: 'broken.xml', xml: '<c:chartSpace><' }, ...parts])).toEqual(
      await read(parts),
    );
  });

  it('reads parts in their own encoding', async () => {
    const document = (encoding: string): string =>
      `<?xml version="1.0" encoding="${encoding}"?><w:document><w:body>${paragraph('caf\u00e9')}</w:body></w:document>`;
    const wide = Buffer.from(document('UTF-16'), 'utf16le');
    for (const content of [
      document('utf-8'),
      Buffer.from(document('ISO-8859-1'), 'latin1'),
      document('UTF-16'),
      document('no-such-name'),
      wide,
      Buffer.from(wide).swap16(),
      Buffer.concat([Buffer.from([0xff, 0xfe]), wide]),
    ]) {
      expect(
        (await blocksOf(readDocx, buildZip([{ name: 'word/document.xml', content }]))).map(({ text }) => text),
      ).toEqual(['caf\u00e9']);
    }
  });

  it('skips text hidden by a style unless it is shown explicitly', async () => {
    const styles =
      '<w:styles><w:style w:type="paragraph" w:styleId="Form"><w:name w:val="Bottom of form"/><w:rPr><w:vanish/></w:rPr></w:style><w:style w:type="character" w:styleId="Note"><w:rPr><w:vanish w:val="true"/></w:rPr></w:style><w:style w:type="character" w:styleId="Memo"><w:basedOn w:val="Note"/></w:style><w:style w:type="character" w:styleId="Open"><w:basedOn w:val="Note"/><w:rPr><w:vanish w:val="0"/></w:rPr></w:style></w:styles>';
    const run = (properties: string, text: string): string =>
      `<w:r><w:rPr>${properties}</w:rPr><w:t xml:space="preserve">${text}</w:t></w:r>`;
    const runs =
      run('<w:rStyle w:val="Memo"/>', 'one ') +
      run('<w:rStyle w:val="Open"/>', 'two ') +
      run('<w:rStyle w:val="Note"/><w:vanish w:val="false"/>', 'three ') +
      run('', 'four');
    const blocks = await blocksOf(
      readDocx,
      buildDocx(`${paragraph('End of form', 'Form')}<w:p><w:pPr><w:rPr><w:vanish/></w:rPr></w:pPr>${runs}</w:p>`, [
        { type: 'styles', name: 'styles.xml', xml: styles },
      ]),
    );
    expect(blocks.map(({ text }) => text)).toEqual(['two three four']);
  });

  it('converts typed symbols of symbol fonts', async () => {
    const run = (font: string, text: string): string =>
      `<w:r><w:rPr><w:rFonts w:ascii="${font}" w:hAnsi="${font}"/></w:rPr><w:t xml:space="preserve">${text}</w:t></w:r>`;
    expect(
      await texts(
        `<w:p>${run('Arial', '5 ')}${run('Symbol', '\uf06d')}${run('Arial', 'g of it')}${run('Wingdings', '\uf0fc')}${run('Arial', 'done \ue037')}</w:p>`,
      ),
    ).toEqual(['5 μg of it done']);
  });

  it('reads field results, tabs, breaks, hyphens and symbols', async () => {
    const field =
      '<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>PAGE</w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:t>7</w:t></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r>';
    expect(
      await texts(
        `<w:p><w:r><w:t>page </w:t></w:r>${field}<w:r><w:tab/><w:t>x</w:t><w:noBreakHyphen/><w:t>ray co</w:t><w:softHyphen/><w:t>op</w:t><w:br/><w:t>beta</w:t><w:sym w:font="Symbol" w:char="F062"/></w:r><w:r><w:rPr><w:vanish/></w:rPr><w:t>secret</w:t></w:r></w:p>`,
      ),
    ).toEqual(['page 7 x-ray coop\nbetaβ']);
  });

  it('adds notes, comments, and each header and footer once', async () => {
    const header = (text: string): string => `<w:hdr>${paragraph(text)}</w:hdr>`;
    const blocks = await blocksOf(
      readDocx,
      buildDocx(paragraph('body'), [
        { type: 'header', name: 'header1.xml', xml: header('Acme Ltd') },
        { type: 'header', name: 'header2.xml', xml: header('Acme Ltd') },
        {
          type: 'footnotes',
          name: 'footnotes.xml',
          xml: `<w:footnotes><w:footnote w:type="separator">${paragraph('---')}</w:footnote><w:footnote w:id="2">${paragraph('a note')}</w:footnote></w:footnotes>`,
        },
        {
          type: 'comments',
          name: 'comments.xml',
          xml: `<w:comments><w:comment>${paragraph('a remark')}</w:comment></w:comments>`,
        },
      ]),
    );
    expect(blocks.map(({ text }) => text)).toEqual(['body', 'a note', 'a remark', 'Acme Ltd']);
  });

  it('reads strict files, unusual part names, and files without relationships', async () => {
    const strict = await blocksOf(
      readDocx,
      buildDocx(paragraph('strict'), [], 'http://purl.oclc.org/ooxml/wordprocessingml/main'),
    );
    const document = `<w:document><w:body>${paragraph('odd')}</w:body></w:document>`;
    const backslash = await blocksOf(readDocx, buildZip([{ name: 'word\\document.xml', content: document }]));
    const typed = await blocksOf(
      readDocx,
      buildZip([
        {
          name: '[Content_Types].xml',
          content:
            '<Types><Override PartName="/text/main.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>',
        },
        { name: '/text/main.xml', content: document },
      ]),
    );
    expect([strict, backslash, typed].map((blocks) => blocks[0]?.text)).toEqual(['strict', 'odd', 'odd']);
  });

  it('reads merged cells once, and tables within cells', async () => {
    const cell = (properties: string, text: string): string =>
      `<w:tc><w:tcPr>${properties}</w:tcPr>${text === '' ? '<w:p/>' : paragraph(text)}</w:tc>`;
    const inner = `<w:tbl><w:tr><w:tc>${paragraph('inside')}</w:tc></w:tr></w:tbl><w:p/>`;
    const table = `<w:tbl><w:tr>${cell('<w:vMerge w:val="restart"/>', 'tall')}${cell('', 'b')}</w:tr><w:tr>${cell('<w:vMerge/>', '')}${cell('', 'd')}</w:tr><w:tr>${cell('<w:gridSpan w:val="2"/>', 'wide')}<w:tc>${inner}</w:tc></w:tr></w:tbl>`;
    const blocks = await blocksOf(readDocx, buildDocx(table));
    expect(blocks.map(({ text, location: { row, column } }) => [text, row, column])).toEqual([
      ['tall', 1, 1],
      ['b', 1, 2],
      ['d', 2, 2],
      ['wide', 3, 1],
      ['inside', 1, 1],
    ]);
  });

  it('keeps right-to-left text in logical order', async () => {
    const date =
      '<w:sdt><w:sdtPr><w:date w:fullDate="2024-05-01T00:00:00Z"/></w:sdtPr><w:sdtContent><w:r><w:t>1 May 2024</w:t></w:r></w:sdtContent></w:sdt>';
    expect(
      await texts(
        `<w:p><w:pPr><w:bidi/></w:pPr><w:r><w:rPr><w:rtl/></w:rPr><w:t>\u05e9\u05dc\u05d5\u05dd \u05e2\u05d5\u05dc\u05dd</w:t></w:r></w:p><w:p><w:r><w:t xml:space="preserve">signed </w:t></w:r>${date}</w:p>`,
      ),
    ).toEqual(['\u05e9\u05dc\u05d5\u05dd \u05e2\u05d5\u05dc\u05dd', 'signed 1 May 2024']);
  });

  it('ignores dangling relationships, and reads absolute part names', async () => {
    const relationships =
      '<Relationships><Relationship Id="a" Type="x/header" Target="nowhere.xml"/><Relationship Id="b" Type="x/footer" Target="/word/foot.xml"/><Relationship Id="c" Type="x/image" Target="http://127.0.0.1/x" TargetMode="External"/></Relationships>';
    const blocks = await blocksOf(
      readDocx,
      buildZip([
        {
          name: '_rels/.rels',
          content:
            '<Relationships><Relationship Id="r" Type="http://purl.oclc.org/ooxml/officeDocument/relationships/officeDocument" Target="\\word\\document.xml"/></Relationships>',
        },
        { name: 'word/document.xml', content: `<w:document><w:body>${paragraph('body')}</w:body></w:document>` },
        { name: 'word/_rels/document.xml.rels', content: relationships },
        { name: 'word/foot.xml', content: `<w:ftr>${paragraph('foot')}</w:ftr>` },
      ]),
    );
    expect(blocks.map(({ text }) => text)).toEqual(['body', 'foot']);
  });

  it('rejects protected, broken and foreign files', async () => {
    const names = Array.from({ length: 9 }, (_, index) => `Stream ${index}`);
    const locked = buildCompoundFile([...names, 'EncryptionInfo', 'EncryptedPackage']);
    expect(await codeOf(readDocx, locked)).toBe('document_encrypted');
    expect(await codeOf(readDocx, buildCompoundFile(['ENCRYPTEDPACKAGE']))).toBe('document_encrypted');
    expect(await codeOf(readDocx, buildCompoundFile(['WordDocument', '1Table', ...names]))).toBe('document_unreadable');
    // Loops, sectors beyond the end, files cut off.
    for (const change of [
      { at: 512 + 4, value: 1 },
      { at: 48, value: 0xfffffff0 },
      { at: 76, value: 0x7fffffff },
    ]) {
      const broken = Buffer.from(locked);
      broken.writeUInt32LE(change.value, change.at);
      expect(await codeOf(readDocx, broken)).toBe('document_unreadable');
    }
    for (const bytes of [8, 100, 600, 1500])
      expect(await codeOf(readDocx, locked.subarray(0, bytes))).toBe('document_unreadable');
    expect(await codeOf(readDocx, 'no zip at all')).toBe('document_unreadable');
    expect(await codeOf(readDocx, buildZip([{ name: 'readme.txt', content: 'x' }]))).toBe('document_unreadable');
    expect(await codeOf(readDocx, buildDocx('<w:p><w:r><w:t>open'))).toBe('document_unreadable');
    expect(
      await codeOf(
        readDocx,
        buildZip([
          {
            name: 'word/document.xml',
            content:
              '<!DOCTYPE d [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><w:document><w:p><w:r><w:t>&b;</w:t></w:r></w:p></w:document>',
          },
        ]),
      ),
    ).toBe('document_unreadable');
    expect(await codeOf(readDocx, buildDocx('<w:sdt>'.repeat(5000) + '</w:sdt>'.repeat(5000)))).toBe(
      'document_too_complex',
    );
  });
});
