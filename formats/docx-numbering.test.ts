import { buildDocx, paragraph } from './testing/office.ts';
import { blocksOf } from './testing/read.ts';
import { readDocx } from './docx.ts';

/** A level of a list: its format, its text, and further elements of it. */
const level = (at: number, format: string, text: string, more = ''): string =>
  `<w:lvl w:ilvl="${at}"><w:start w:val="1"/><w:numFmt w:val="${format}"/>${more}<w:lvlText w:val="${text}"/></w:lvl>`;
const definition = (id: number, content: string): string =>
  `<w:abstractNum w:abstractNumId="${id}">${content}</w:abstractNum>`;
const list = (id: number, of: number, content = ''): string =>
  `<w:num w:numId="${id}"><w:abstractNumId w:val="${of}"/>${content}</w:num>`;
const start = (at: number, value: number): string =>
  `<w:lvlOverride w:ilvl="${at}"><w:startOverride w:val="${value}"/></w:lvlOverride>`;
const inList = (id: number, at: number): string => `<w:numPr><w:ilvl w:val="${at}"/><w:numId w:val="${id}"/></w:numPr>`;
/** A paragraph that is an item of a list. */
const item = (id: number, at: number, text: string, more = ''): string =>
  `<w:p><w:pPr>${inList(id, at)}${more}</w:pPr><w:r><w:t>${text}</w:t></w:r></w:p>`;

async function texts(numbering: string, body: string, styles = ''): Promise<string[]> {
  const parts = [
    { type: 'numbering', name: 'numbering.xml', xml: `<w:numbering xmlns:mc="urn:mc">${numbering}</w:numbering>` },
    { type: 'styles', name: 'styles.xml', xml: `<w:styles>${styles}</w:styles>` },
  ];
  return (await blocksOf(readDocx, buildDocx(body, parts))).map(({ text }) => text);
}

describe('list numbers in Word', () => {
  const outline =
    level(0, 'decimal', '%1.') +
    level(1, 'decimal', '%1.%2') +
    level(2, 'lowerLetter', '(%3)') +
    level(3, 'bullet', '\uf0b7');

  it('precede their paragraphs as displayed by Word', async () => {
    const body =
      item(1, 0, 'Scope') +
      item(1, 1, 'Goods') +
      item(1, 1, 'Termination') +
      item(1, 2, 'at once') +
      paragraph('between') +
      item(1, 2, 'later') +
      item(1, 3, 'point') +
      item(1, 0, 'Law') +
      item(1, 1, 'Courts') +
      item(0, 0, 'none') +
      item(9, 0, 'unknown');
    expect(await texts(definition(7, outline) + list(1, 7), body)).toEqual([
      '1. Scope',
      '1.1 Goods',
      '1.2 Termination',
      '(a) at once',
      'between',
      '(b) later',
      'point',
      '2. Law',
      '2.1 Courts',
      'none',
      'unknown',
    ]);
  });

  it('number headings by linked styles and levels', async () => {
    const styles = `<w:style w:type="paragraph" w:styleId="H1"><w:name w:val="heading 1"/><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style>
      <w:style w:type="paragraph" w:styleId="H2"><w:name w:val="heading 2"/><w:basedOn w:val="H1"/><w:pPr><w:numPr><w:ilvl w:val="1"/></w:numPr></w:pPr></w:style>
      <w:style w:type="paragraph" w:styleId="H3"><w:name w:val="heading 3"/><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style><w:style w:type="paragraph" w:styleId="Mine"><w:basedOn w:val="H3"/></w:style>`;
    const levels =
      level(0, 'upperRoman', 'Article %1', '<w:pStyle w:val="H1"/>') +
      level(1, 'decimal', '%1.%2', '<w:isLgl/>') +
      level(2, 'decimal', '%1.%2.%3', '<w:pStyle w:val="H3"/>');
    const parts = [
      {
        type: 'numbering',
        name: 'numbering.xml',
        xml: `<w:numbering>${definition(0, levels)}${list(1, 0)}</w:numbering>`,
      },
      { type: 'styles', name: 'styles.xml', xml: `<w:styles>${styles}</w:styles>` },
    ];
    const plain = `<w:p><w:pPr><w:pStyle w:val="H1"/><w:numPr><w:numId w:val="0"/></w:numPr></w:pPr><w:r><w:t>Annex</w:t></w:r></w:p>`;
    const blocks = await blocksOf(
      readDocx,
      buildDocx(
        paragraph('Parties', 'H1') +
          paragraph('Buyer', 'H2') +
          paragraph('Seller', 'H2') +
          paragraph('Agents', 'Mine') +
          paragraph('Term', 'H1') +
          plain +
          paragraph('text'),
        parts,
      ),
    );
    expect(blocks.map(({ text, location }) => [text, location['heading']])).toEqual([
      ['Article I Parties', 'Article I Parties'],
      ['1.1 Buyer', '1.1 Buyer'],
      ['1.2 Seller', '1.2 Seller'],
      ['I.2.1 Agents', 'I.2.1 Agents'],
      ['Article II Term', 'Article II Term'],
      ['Annex', 'Annex'],
      ['text', 'Annex'],
    ]);
  });

  it.each([
    ['decimalZero', ['01', '02', '09', '10', '27', '100']],
    ['upperLetter', ['A', 'B', 'I', 'J', 'AA', 'VVVV']],
    ['lowerRoman', ['i', 'ii', 'ix', 'x', 'xxvii', 'c']],
    ['chineseCounting', ['一', '二', '九', '十', '二十七', '一百']],
    ['ideographTraditional', ['甲', '乙', '壬', '癸', '27', '100']],
    ['russianUpper', ['А', 'Б', 'И', 'К', 'Э', 'НННН']],
    ['ordinal', ['1st', '2nd', '9th', '10th', '27th', '100th']],
    ['cardinalText', ['One', 'Two', 'Nine', 'Ten', 'Twenty-seven', '100']],
    ['ordinalText', ['First', 'Second', 'Ninth', 'Tenth', 'Twenty-seventh', '100th']],
    ['arabicAbjad', ['1', '2', '9', '10', '27', '100']],
  ])('are written in the format %s', async (format, shown) => {
    const lists = [1, 2, 9, 10, 27, 100].map((value, index) => list(index + 1, 0, start(0, value))).join('');
    const english =
      '<w:docDefaults><w:rPrDefault><w:rPr><w:lang w:val="en-GB"/></w:rPr></w:rPrDefault></w:docDefaults>';
    const body = [1, 2, 3, 4, 5, 6].map((id) => item(id, 0, 'x')).join('');
    expect(await texts(definition(0, level(0, format, '%1')) + lists, body, english)).toEqual(
      shown.map((number) => `${number} x`),
    );
  });

  it('are padded in custom formats, and in digits for words of other languages', async () => {
    const custom =
      '<mc:AlternateContent><mc:Choice Requires="w14"><w:numFmt w:val="custom" w:format="001, 002, 003, ..."/></mc:Choice><mc:Fallback><w:numFmt w:val="decimal"/></mc:Fallback></mc:AlternateContent>';
    const numbering =
      definition(0, `<w:lvl w:ilvl="0"><w:start w:val="7"/>${custom}<w:lvlText w:val="R-%1:"/></w:lvl>`) +
      definition(1, level(0, 'ordinalText', '%1')) +
      list(1, 0) +
      list(2, 1);
    const french = '<w:docDefaults><w:rPrDefault><w:rPr><w:lang w:val="fr-FR"/></w:rPr></w:rPrDefault></w:docDefaults>';
    expect(await texts(numbering, item(1, 0, 'must') + item(1, 0, 'may') + item(2, 0, 'un'), french)).toEqual([
      'R-007: must',
      'R-008: may',
      '1 un',
    ]);
  });

  it('continue within a definition and restart on request', async () => {
    const numbering =
      definition(
        0,
        level(0, 'decimal', '%1.') +
          level(1, 'decimal', '%2)', '<w:lvlRestart w:val="0"/>') +
          level(2, 'lowerRoman', '%3.', '<w:lvlRestart w:val="1"/>'),
      ) +
      list(1, 0) +
      list(2, 0) +
      list(3, 0, start(0, 5)) +
      list(4, 0, `<w:lvlOverride w:ilvl="0">${level(0, 'upperLetter', '[%1]')}</w:lvlOverride>`);
    const body =
      item(1, 0, 'a') +
      item(2, 0, 'b') +
      item(3, 0, 'c') +
      item(3, 0, 'd') +
      item(1, 0, 'e') +
      item(4, 0, 'f') +
      item(1, 1, 'g') +
      item(1, 2, 'h') +
      item(1, 1, 'i') +
      item(1, 2, 'j') +
      item(1, 0, 'k') +
      item(1, 1, 'l') +
      item(1, 2, 'm');
    expect(await texts(numbering, body)).toEqual([
      '1. a',
      '2. b',
      '5. c',
      '6. d',
      '7. e',
      '[H] f',
      '1) g',
      'i. h',
      '2) i',
      'ii. j',
      '9. k',
      '3) l',
      'i. m',
    ]);
  });

  it('count skipped levels', async () => {
    expect(
      await texts(
        definition(7, outline) + list(1, 7),
        item(1, 1, 'deep') + item(1, 0, 'next') + item(1, 2, 'deeper') + item(1, 1, 'back'),
      ),
    ).toEqual(['1.1 deep', '2. next', '(a) deeper', '2.2 back']);
  });

  it('follow numbering styles', async () => {
    const numbering =
      definition(0, '<w:numStyleLink w:val="House"/>') +
      definition(1, '<w:styleLink w:val="House"/>' + level(0, 'decimal', '§ %1')) +
      definition(2, '<w:numStyleLink w:val="Loop"/>') +
      list(1, 0) +
      list(2, 1) +
      list(3, 2);
    const styles =
      '<w:style w:type="numbering" w:styleId="House"><w:pPr><w:numPr><w:numId w:val="2"/></w:numPr></w:pPr></w:style><w:style w:type="numbering" w:styleId="Loop"><w:pPr><w:numPr><w:numId w:val="3"/></w:numPr></w:pPr></w:style>';
    expect(await texts(numbering, item(1, 0, 'one') + item(2, 0, 'two') + item(3, 0, 'none'), styles)).toEqual([
      '§ 1 one',
      '§ 2 two',
      'none',
    ]);
  });

  it('ignore deleted and hidden paragraphs', async () => {
    const numbering =
      definition(
        0,
        level(0, 'decimal', '%1.') +
          level(1, 'decimal', '%2.', '<w:rPr><w:vanish/></w:rPr>') +
          level(2, 'decimal', 'Part %3', '<w:suff w:val="nothing"/>'),
      ) + list(1, 0);
    const deleted = `<w:p><w:pPr>${inList(1, 0)}<w:rPr><w:del w:id="1"/></w:rPr></w:pPr><w:del><w:r><w:delText>gone</w:delText></w:r></w:del></w:p>`;
    const hidden = `<w:p><w:pPr>${inList(1, 0)}<w:rPr><w:vanish/></w:rPr></w:pPr><w:r><w:rPr><w:vanish/></w:rPr><w:t>secret</w:t></w:r></w:p>`;
    const changed = `<w:p><w:pPr><w:pPrChange><w:pPr>${inList(1, 0)}</w:pPr></w:pPrChange></w:pPr><w:r><w:t>once an item</w:t></w:r></w:p>`;
    const body =
      item(1, 0, 'a') +
      deleted +
      hidden +
      changed +
      item(1, 0, 'b') +
      item(1, 0, '') +
      item(1, 0, 'd') +
      item(1, 1, 'e') +
      item(1, 2, '') +
      item(1, 2, ': end');
    expect(await texts(numbering, body)).toEqual([
      '1. a',
      'once an item',
      '2. b',
      '4. d',
      'e',
      'Part 1',
      'Part 2: end',
    ]);
  });

  it('count each part of a file separately, including cells', async () => {
    const parts = [
      {
        type: 'numbering',
        name: 'numbering.xml',
        xml: `<w:numbering>${definition(7, outline)}${list(1, 7)}</w:numbering>`,
      },
      {
        type: 'footnotes',
        name: 'footnotes.xml',
        xml: `<w:footnotes><w:footnote>${item(1, 0, 'note')}</w:footnote></w:footnotes>`,
      },
    ];
    const table = `<w:tbl><w:tr><w:tc>${item(1, 0, 'left')}${item(1, 0, 'below')}</w:tc><w:tc>${item(1, 0, 'right')}</w:tc></w:tr></w:tbl>`;
    expect((await blocksOf(readDocx, buildDocx(table, parts))).map(({ text }) => text)).toEqual([
      '1. left\n2. below',
      '3. right',
      '1. note',
    ]);
  });

  it('have a maximum length, and survive a broken part', async () => {
    const levels = level(0, 'lowerLetter', '%1'.repeat(5000)) + level(1, 'lowerRoman', '%2');
    const numbering =
      definition(0, levels) +
      list(1, 0, start(0, 2_000_000_000) + start(1, 2_000_000_000)) +
      list(2, 0, start(1, -3)) +
      list(3, 0, start(1, 1e300));
    const read = await texts(
      numbering,
      item(1, 0, 'a') + item(1, 1, 'b') + item(2, 1, 'c') + item(3, 1, 'd') + item(1, 700, 'e'),
    );
    expect(read.map((text) => (text.length < 110 ? text.slice(-12) : 'too long'))).toEqual([
      expect.stringMatching(/ a$/),
      '2000000000 b',
      '-3 c',
      '0 d',
      'e',
    ]);
    expect(await texts(`${definition(7, outline)}${list(1, 7)}<`, item(1, 0, 'first'))).toEqual(['1. first']);
  });
});
