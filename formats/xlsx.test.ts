import { buildXlsx } from './testing/office.ts';
import { blocksOf, codeOf } from './testing/read.ts';
import { buildZip, type TestEntry } from './testing/zip.ts';
import { numberWriter, writerOfId } from './number-format.ts';
import { readXlsx } from './xlsx.ts';

describe('Excel', () => {
  it('yields rows with sheet, number and displayed cells', async () => {
    const strings = '<si><t>Name</t></si><si><r><t>rich </t></r><r><t>text</t></r><rPh><t>furigana</t></rPh></si>';
    const rows =
      '<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c></row>' +
      '<row r="4"><c t="inlineStr"><is><t>inline</t></is></c><c t="b"><v>1</v></c><c t="e"><v>#DIV/0!</v></c><c t="str"><f>A1&amp;"x"</f><v>computed</v></c><c><f>1+1</f></c><c><v>0.1</v></c></row>' +
      '<row><c s="0"><v>45292</v></c><c s="1"><v>0.256</v></c><c s="2"><v>-1234.5</v></c></row>';
    const blocks = await blocksOf(
      readXlsx,
      buildXlsx(
        [
          { name: 'Data', rows },
          { name: 'Secret', rows, state: 'veryHidden' },
        ],
        { strings, formats: ['dd/mm/yyyy', '0.0%', '#,##0.00'] },
      ),
    );
    expect(blocks.map(({ text, location }) => [location.sheet, location.row, text])).toEqual([
      ['Data', 1, 'Name | rich text'],
      ['Data', 4, 'inline | TRUE | #DIV/0! | computed | 0.1'],
      ['Data', 5, '01/01/2024 | 25.6% | -1,234.50'],
    ]);
  });

  it('gives the sheet name to its blocks as context, unless it is a default', async () => {
    const rows = '<row><c><v>1</v></c></row><row><c><v>2</v></c></row>';
    const blocks = await blocksOf(
      readXlsx,
      buildXlsx(['Travel costs', 'Sheet1', 'Tabelle 2', '2024'].map((name) => ({ name, rows }))),
    );
    expect(blocks.map(({ context }) => context)).toEqual([
      'Travel costs',
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
      '2024',
      undefined,
    ]);
  });

  it('adds the column names to the rows below them', async () => {
    const row = (number: number, ...cells: string[]): string =>
      `<row r="${number}">${cells.map((cell) => `<c t="str"><v>${cell}</v></c>`).join('')}</row>`;
    const blocks = await blocksOf(
      readXlsx,
      buildXlsx([
        {
          name: 'Stores',
          rows: row(1, 'Autumn 1861') + row(3, 'Item', 'Price') + row(4, 'Oil', '212') + row(5, 'Wick', '9'),
        },
        { name: 'Sheet2', rows: row(1, 'Town', 'Since') + row(2, 'Hull', '1861') },
      ]),
    );
    expect(blocks.map(({ text, context }) => [text, context])).toEqual([
      ['Autumn 1861', 'Stores'],
      ['Item | Price', undefined],
      ['Oil | 212', 'Stores\nItem | Price'],
      ['Wick | 9', undefined],
      ['Town | Since', undefined],
      ['Hull | 1861', 'Town | Since'],
    ]);
  });

  it('reads comments, conversations and text boxes after the rows', async () => {
    const parts = (threads: boolean): TestEntry[] => [
      {
        name: 'xl/workbook.xml',
        content: '<workbook xmlns:r="urn:r"><sheets><sheet name="Plan" sheetId="1" r:id="rId1"/></sheets></workbook>',
      },
      {
        name: 'xl/_rels/workbook.xml.rels',
        content:
          '<Relationships><Relationship Id="rId1" Type="x/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
      },
      {
        name: 'xl/worksheets/sheet1.xml',
        content:
          '<worksheet><sheetData><row r="3"><c t="inlineStr"><is><t>cell</t></is></c></row></sheetData></worksheet>',
      },
      {
        name: 'xl/worksheets/_rels/sheet1.xml.rels',
        content: `<Relationships><Relationship Id="a" Type="x/comments" Target="../comments1.xml"/><Relationship Id="b" Type="x/drawing" Target="../drawings/drawing1.xml"/>${threads ? '<Relationship Id="c" Type="http://schemas.microsoft.com/office/2017/10/relationships/threadedComment" Target="../threads.xml"/>' : ''}</Relationships>`,
      },
      {
        name: 'xl/comments1.xml',
        content:
          '<comments><authors><author>Ann</author></authors><commentList><comment ref="B3"><text><r><t>Ann: </t></r><r><t>check this</t></r></text></comment><comment ref="AA12"><text><t>[Threaded comment] Your version of Excel\nComment: really?</t></text></comment></commentList></comments>',
      },
      {
        name: 'xl/threads.xml',
        content:
          '<ThreadedComments><threadedComment ref="AA12" id="1"><text>really?</text></threadedComment><threadedComment ref="AA12" parentId="1"><text>yes</text></threadedComment></ThreadedComments>',
      },
      {
        name: 'xl/drawings/drawing1.xml',
        content:
          '<xdr:wsDr xmlns:xdr="urn:x" xmlns:a="urn:a" xmlns:mc="urn:m"><xdr:twoCellAnchor><xdr:from><xdr:col>1</xdr:col><xdr:row>6</xdr:row></xdr:from><xdr:to><xdr:row>9</xdr:row></xdr:to><mc:AlternateContent><mc:Choice><xdr:sp><xdr:txBody><a:p><a:r><a:t>In a </a:t></a:r><a:r><a:t>box</a:t></a:r></a:p><a:p><a:r><a:t>two</a:t></a:r></a:p></xdr:txBody></xdr:sp></mc:Choice><mc:Fallback><xdr:sp><xdr:txBody><a:p><a:r><a:t>In a box</a:t></a:r></a:p></xdr:txBody></xdr:sp></mc:Fallback></mc:AlternateContent></xdr:twoCellAnchor><xdr:oneCellAnchor><xdr:from><xdr:row>0</xdr:row></xdr:from><xdr:sp><xdr:txBody><a:p/></xdr:txBody></xdr:sp></xdr:oneCellAnchor></xdr:wsDr>',
      },
    ];
    const readNotes = async (threads: boolean): Promise<unknown[]> =>
      (await blocksOf(readXlsx, buildZip(parts(threads)))).map(({ text, location, group }) => [
        location.row,
        text,
        group,
      ]);
    const notes = 'sheet 1 notes';
    expect(await readNotes(false)).toEqual([
      [3, 'cell', 'sheet 1'],
      [3, 'Ann: check this', notes],
      [12, '[Threaded comment] Your version of Excel\nComment: really?', notes],
      [7, 'In a box\ntwo', notes],
    ]);
    const broken = parts(true).map((part) =>
      part.name === 'xl/comments1.xml' ? { ...part, content: '<comments><comment' } : part,
    );
    expect((await blocksOf(readXlsx, buildZip(broken))).map(({ text }) => text)).toEqual(['cell', 'really?', 'yes']);
    expect(await readNotes(true)).toEqual([
      [3, 'cell', 'sheet 1'],
      [12, 'really?', notes],
      [12, 'yes', notes],
      [3, 'Ann: check this', notes],
      [7, 'In a box\ntwo', notes],
    ]);
  });

  it('returns the text of charts and diagrams with their first row, and no string for a cell without a value', async () => {
    const anchor = (row: number, graphic: string): string =>
      `<xdr:twoCellAnchor><xdr:from><xdr:row>${row}</xdr:row></xdr:from><xdr:graphicFrame><a:graphicData>${graphic}</a:graphicData></xdr:graphicFrame></xdr:twoCellAnchor>`;
    const words = (text: string): string =>
      `<c:x xmlns:c="urn:c" xmlns:a="urn:a"><a:p><a:r><a:t>${text}</a:t></a:r></a:p><c:cat><c:strCache><c:pt><c:v>in a cell</c:v></c:pt></c:strCache></c:cat></c:x>`;
    const blocks = await blocksOf(
      readXlsx,
      buildZip([
        {
          name: 'xl/workbook.xml',
          content: '<workbook xmlns:r="urn:r"><sheets><sheet name="Plan" sheetId="1" r:id="rId1"/></sheets></workbook>',
        },
        {
          name: 'xl/_rels/workbook.xml.rels',
          content:
            '<Relationships><Relationship Id="rId1" Type="x/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
        },
        { name: 'xl/sharedStrings.xml', content: '<sst><si><t>first</t></si></sst>' },
        {
          name: 'xl/worksheets/sheet1.xml',
          content:
            '<worksheet><sheetData><row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"/></row><row r="2"><c r="A2" t="s"/></row></sheetData></worksheet>',
        },
        {
          name: 'xl/worksheets/_rels/sheet1.xml.rels',
          content:
            '<Relationships><Relationship Id="a" Type="x/drawing" Target="../drawings/drawing1.xml"/></Relationships>',
        },
        {
          name: 'xl/drawings/drawing1.xml',
          content: `<xdr:wsDr xmlns:xdr="urn:x" xmlns:a="urn:a" xmlns:r="urn:r">${anchor(4, '<c:chart r:id="c"/>')}${anchor(8, '<dgm:relIds r:dm="d" r:lo="l"/>')}${anchor(9, '<c:chart r:id="c"/>')}${anchor(9, '<c:chart r:id="nowhere"/>')}</xdr:wsDr>`,
        },
        {
          name: 'xl/drawings/_rels/drawing1.xml.rels',
          content:
            '<Relationships><Relationship Id="c" Type="x/chart" Target="../charts/chart1.xml"/><Relationship Id="d" Type="x/diagramData" Target="../diagrams/data1.xml"/></Relationships>',
        },
        { name: 'xl/charts/chart1.xml', content: words('Sales by month') },
        { name: 'xl/diagrams/data1.xml', content: words('Plan, do') },
      ]),
    );
    expect(blocks.map(({ text, location }) => [location.row, text])).toEqual([
      [1, 'first'],
      [5, 'Sales by month'],
      [9, 'Plan, do'],
    ]);
  });

  it('returns the text of a chart sheet', async () => {
    const blocks = await blocksOf(
      readXlsx,
      buildZip([
        {
          name: 'xl/workbook.xml',
          content:
            '<workbook xmlns:r="urn:r"><sheets><sheet name="Turnover" sheetId="1" r:id="rId1"/></sheets></workbook>',
        },
        {
          name: 'xl/_rels/workbook.xml.rels',
          content:
            '<Relationships><Relationship Id="rId1" Type="x/chartsheet" Target="chartsheets/sheet1.xml"/></Relationships>',
        },
        { name: 'xl/chartsheets/sheet1.xml', content: '<chartsheet xmlns:r="urn:r"><drawing r:id="a"/></chartsheet>' },
        {
          name: 'xl/chartsheets/_rels/sheet1.xml.rels',
          content:
            '<Relationships><Relationship Id="a" Type="x/drawing" Target="../drawings/drawing1.xml"/></Relationships>',
        },
        {
          name: 'xl/drawings/drawing1.xml',
          content:
            '<xdr:wsDr xmlns:xdr="urn:x" xmlns:r="urn:r"><xdr:absoluteAnchor><xdr:graphicFrame><c:chart xmlns:c="urn:c" r:id="c"/></xdr:graphicFrame></xdr:absoluteAnchor></xdr:wsDr>',
        },
        {
          name: 'xl/drawings/_rels/drawing1.xml.rels',
          content: '<Relationships><Relationship Id="c" Type="x/chart" Target="../charts/chart1.xml"/></Relationships>',
        },
        {
          name: 'xl/charts/chart1.xml',
          content: '<c:x xmlns:c="urn:c" xmlns:a="urn:a"><a:p><a:r><a:t>Sales of pears</a:t></a:r></a:p></c:x>',
        },
      ]),
    );
    expect(blocks.map(({ text, location, context }) => [text, location, context])).toEqual([
      ['Sales of pears', { sheet: 'Turnover', row: 1 }, 'Turnover'],
    ]);
  });

  it('supports the 1904 date system', async () => {
    const [block] = await blocksOf(
      readXlsx,
      buildXlsx([{ name: 'S', rows: '<row><c s="0"><v>0</v></c></row>' }], {
        formats: ['yyyy-mm-dd'],
        since1904: true,
      }),
    );
    expect(block?.text).toBe('1904-01-01');
  });

  it('reads a merged cell once, and filtered rows and columns', async () => {
    const sheet =
      '<worksheet><cols><col min="2" max="2" hidden="1"/></cols><sheetData><row r="1"><c r="A1" t="inlineStr"><is><t>merged</t></is></c><c r="B1"/><c r="C1"/></row><row r="2" hidden="1"><c r="A2" t="inlineStr"><is><t>filtered</t></is></c><c r="B2"><v>5</v></c></row></sheetData><mergeCells><mergeCell ref="A1:C1"/></mergeCells></worksheet>';
    const blocks = await blocksOf(
      readXlsx,
      buildZip([
        {
          name: 'xl/workbook.xml',
          content: '<workbook xmlns:r="urn:r"><sheets><sheet name="Plan" sheetId="1" r:id="rId1"/></sheets></workbook>',
        },
        {
          name: 'xl/_rels/workbook.xml.rels',
          content:
            '<Relationships><Relationship Id="rId1" Type="x/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
        },
        { name: 'xl/worksheets/sheet1.xml', content: sheet },
      ]),
    );
    expect(blocks.map(({ text, location }) => [location.row, text])).toEqual([
      [1, 'merged'],
      [2, 'filtered | 5'],
    ]);
  });

  it('reads strict files, unusual part names, and workbooks without relationships', async () => {
    const sheet = (text: string): string =>
      `<x:worksheet xmlns:x="http://purl.oclc.org/ooxml/spreadsheetml/main"><x:sheetData><x:row><x:c t="inlineStr"><x:is><x:t>${text}</x:t></x:is></x:c><x:c t="d"><x:v>2024-03-01T00:00:00</x:v></x:c></x:row></x:sheetData></x:worksheet>`;
    const workbook = (id: string): string =>
      `<x:workbook xmlns:x="http://purl.oclc.org/ooxml/spreadsheetml/main" xmlns:r="http://purl.oclc.org/ooxml/officeDocument/relationships"><x:sheets><x:sheet name="S" sheetId="1" ${id}/></x:sheets></x:workbook>`;
    const strict = buildZip([
      {
        name: '_rels/.rels',
        content:
          '<Relationships><Relationship Id="r" Type="http://purl.oclc.org/ooxml/officeDocument/relationships/officeDocument" Target="/book/main.xml"/></Relationships>',
      },
      { name: '/book/main.xml', content: workbook('r:id="s1"') },
      {
        name: 'book/_rels/main.xml.rels',
        content:
          '<Relationships><Relationship Id="s1" Type="http://purl.oclc.org/ooxml/officeDocument/relationships/worksheet" Target="/book/one.xml"/></Relationships>',
      },
      { name: '/book/one.xml', content: sheet('strict') },
    ]);
    const backslash = buildZip([
      { name: 'xl\\workbook.xml', content: workbook('') },
      { name: 'xl\\worksheets\\sheet1.xml', content: sheet('bare') },
    ]);
    for (const [file, text] of [
      [strict, 'strict'],
      [backslash, 'bare'],
    ] as const)
      expect((await blocksOf(readXlsx, file)).map((block) => block.text)).toEqual([`${text} | 2024-03-01`]);
  });

  it('enforces its limits', async () => {
    expect(await codeOf(readXlsx, buildXlsx([{ name: 'S', rows: '<row r="2000000"><c><v>1</v></c></row>' }]))).toBe(
      'document_too_complex',
    );
    expect(await codeOf(readXlsx, buildXlsx([]))).toBe('document_unreadable');
  });
});

describe('number formats', () => {
  it.each([
    ['General', 0.1 + 0.2, '0.3'],
    ['0', 2.5, '3'],
    ['0.00', -1, '-1.00'],
    ['#,##0', 1234567, '1,234,567'],
    ['#,##0.00;[Red](#,##0.00)', -5, '(5.00)'],
    ['0%', 0.5, '50%'],
    ['"€" #,##0.00', 12, '€ 12.00'],
    ['[$£-809]#,##0', 1, '£1'],
    ['0.00E+00', 12345, '1.23E+04'],
    ['#,##0,', 1_500_000, '1,500'],
    ['@', 7, '7'],
    ['0;0;"none"', 0, 'none'],
    ['# ?/?', 0.5, '0.5'],
    ['d mmm yyyy', 59, '28 Feb 1900'],
    ['yyyy-mm-dd hh:mm:ss', 45292.75, '2024-01-01 18:00:00'],
    ['h:mm AM/PM', 0.5, '12:00 PM'],
    ['[h]:mm', 1.5, '36:00'],
    ['mm:ss', 1 / 1440, '01:00'],
    ['dddd, mmmm d', 45292, 'Monday, January 1'],
    ['00\\ 00\\ 00\\ 00\\ 00', 123456789, '01 23 45 67 89'],
    ['000-00-0000', 12345678, '012-34-5678'],
    ['(###) ###-####', 5551234567, '(555) 123-4567'],
    ['[<=9999999]###-####;(###) ###-####', 5551234, '555-1234'],
    ['00000\\-0000', 123, '00000-0123'],
    ['0"h "00"m"', 1234, '12h 34m'],
    ['"a"#"b"#"c"0.0"d"0', 12345.6789, 'a123b4c5.6d8'],
    ['\\1\\.0#', 2, '1.02'],
    ['0.0#0', 1.5, '1.500'],
    ['# ##0', 1234567, '1234 567'],
    ['0-0', -12, '-1-2'],
    ['General', 42250557.5799999, '42250557.58'],
    ['General', 4 / 3, '1.333333333'],
    ['General', -0.5631388888889, '-0.563138889'],
    ['General', 0.1 + 0.7, '0.8'],
    ['General', 123456789012345, '123456789012345'],
    ['General', 1e-7, '1E-07'],
    ['General', 3.50685238956922e-6, '3.50685E-06'],
    ['General', -4.09471180613196e231, '-4.09471E+231'],
    ['General', 0.00001, '0.00001'],
    ['General', 1234567890.125, '1234567890'],
    ['yyyy-mm-dd', 0, '1900-01-00'],
    ['d-mmm-yy h:mm', 0.5, '0-Jan-00 12:00'],
    ['0%', 0.085, '9%'],
    ['0%', 0, '0%'],
    ['0.0%', 0.05, '5.0%'],
    ['#,##0%', 12.5, '1,250%'],
    ['0.00', 1.005, '1.01'],
    ['0%', 0.285, '29%'],
    ['0.0', 0.25, '0.3'],
    ['0.00', -2.675, '-2.68'],
    ['0', 0.5, '1'],
    ['0.000', 1e-9, '0.000'],
    ['#,##0', 1e20, '100,000,000,000,000,000,000'],
    ['0.00000000000000000000', 0.1, '0.10000000000000000000'],
    ['d/m/yy;@', -1, '-1'],
    ['0.0;@', -1, '-1.0'],
    ['0.0;', -1, '-1.0'],
    ['[Red]0;[Blue]0.0', -1, '1.0'],
    ['[=0]?;0%', 0.25, '25%'],
    ['[>999999]#,,"M";[>999]#,"K";#', 2_500_000, '3M'],
    ['[>999999]#,,"M";[>999]#,"K";#', 1200, '1K'],
    ['[>999999]#,,"M";[>999]#,"K";#', 7, '7'],
    ['[<0.5]"low";"high"', 0.1, 'low'],
    ['[<0.5]"low";"high"', 0.7, 'high'],
    ['[Red][<1]0.00;[>=100]0;0.0', 5, '5.0'],
    ['[>=1]0;[<=-1]0.0;General', -3, '-3.0'],
  ])('format %s', (format, value, shown) => {
    expect(numberWriter(format, false)(value)).toBe(shown);
  });

  it('include the built-in ids', () => {
    expect(writerOfId(14, new Map(), false)(45292)).toBe('1/1/2024');
    expect(writerOfId(9, new Map(), false)(1)).toBe('100%');
    expect([7, 44].map((id) => writerOfId(id, new Map(), false)(-1530))).toEqual(['($1,530.00)', '($1,530.00)']);
    expect(writerOfId(14, new Map([[14, 'yyyy']]), false)(45292)).toBe('2024');
  });
});
