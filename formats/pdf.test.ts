import { buildPdf, textAt, unicodeMap } from './testing/pdf.ts';
import { encryptContent, encryptPdf } from './testing/pdf-encryption.ts';
import { outcomeOf, tightPool } from '../services/extractor/testing/pool.ts';

const pool = tightPool();
afterAll(() => pool.close());

/** Texts of the pages, or the code. */
async function pagesOf(pdf: Buffer): Promise<string[] | string> {
  const { code, first } = await outcomeOf(pool, 'pdf', pdf);
  return code === 'read' ? first.map(({ text }) => text) : code;
}

const left = ['The first column begins', 'with lines of prose', 'that fill the width', 'and it ends down here.'];
const right = ['Then the second column', 'goes on with the text', 'in lines of its own', 'until the page is full.'];
const title = 'A title that runs across the whole width of the page';

describe('a table of contents in a PDF', () => {
  it('is marked, and other pages are not', async () => {
    const page = (...lines: string[]) => ({
      operators: lines.map((line, row) => textAt(60, 700 - row * 14, line)).join(''),
    });
    const { first } = await outcomeOf(
      pool,
      'pdf',
      buildPdf([
        page('Contents', ...['Lamps', 'Oil', 'Wicks', 'Fog'].map((name, at) => `${name} ........ ${at + 3}`)),
        page(...left),
      ]),
    );
    expect(first.map(({ location, isContents }) => [location.page, isContents])).toEqual([
      [1, true],
      [2, undefined],
    ]);
  });
});

describe('reading order of a PDF', () => {
  const across = left
    .map((line, row) => textAt(60, 700 - row * 14, line) + textAt(320, 700 - row * 14, right[row] ?? ''))
    .join('');

  it('follows columns, however they are written', async () => {
    const oneByOne =
      left.map((line, row) => textAt(60, 700 - row * 14, line)).join('') +
      right.map((line, row) => textAt(320, 700 - row * 14, line)).join('');
    const text = [title, ...left, ...right].join('\n');
    expect(
      await pagesOf(
        buildPdf([{ operators: textAt(60, 740, title) + across }, { operators: textAt(60, 740, title) + oneByOne }]),
      ),
    ).toEqual([text, text]);
  });

  it('is the same on rotated pages', async () => {
    const turned = (matrix: string): string =>
      across.replaceAll(
        /BT \/F1 11 Tf 1 0 0 1 (\S+) (\S+) Tm/g,
        (_, x: string, y: string) =>
          `BT /F1 11 Tf ${matrix} ${matrix.startsWith('0 1') ? `${792 - Number(y)} ${x}` : matrix.startsWith('-1') ? `${612 - Number(x)} ${792 - Number(y)}` : `${Number(y) - 100} ${792 - Number(x)}`} Tm`,
      );
    const text = [...left, ...right].join('\n');
    expect(
      await pagesOf(
        buildPdf([
          { operators: turned('0 1 -1 0'), rotate: 90 },
          { operators: turned('-1 0 0 -1'), rotate: 180 },
          { operators: turned('0 -1 1 0'), rotate: 270 },
        ]),
      ),
    ).toEqual([text, text, text]);
  });

  it('joins words hyphenated at the end of a column', async () => {
    const [before, after] = [
      [...left.slice(0, 3), 'and a word is hyphen-'],
      ['ated at the end of it', ...right.slice(1)],
    ];
    const operators = before
      .map((line, row) => textAt(60, 700 - row * 14, line) + textAt(320, 700 - row * 14, after[row] ?? ''))
      .join('');
    expect(await pagesOf(buildPdf([{ operators }]))).toEqual([
      [...left.slice(0, 3), 'and a word is hyphenated at the end of it', ...right.slice(1)].join('\n'),
    ]);
  });

  it('keeps table rows, and drops duplicates', async () => {
    const rows = Array.from({ length: 6 }, (_, row) => [`Item ${row}`, `${row * 7}`, `${row * 19}.50`]);
    const table = rows
      .map((row, at) => row.map((cell, column) => textAt(60 + column * 150, 600 - at * 14, cell)).join(''))
      .join('');
    expect(
      await pagesOf(
        buildPdf([{ operators: textAt(60, 700, 'Bold heading') + textAt(60.4, 700, 'Bold heading') + table }]),
      ),
    ).toEqual([['Bold heading', ...rows.map((row) => row.join(' '))].join('\n')]);
    expect(
      await pagesOf(buildPdf([{ operators: textAt(60, 720, 'Heading') + table + textAt(60, 720, 'Heading') + table }])),
    ).toEqual([['Heading', ...rows.map((row) => row.join(' '))].join('\n')]);
  });
});

describe('fonts of a PDF', () => {
  const descriptor =
    '/FontDescriptor << /Type /FontDescriptor /FontName /Absent /Flags 4 /FontBBox [0 -200 1000 900] /ItalicAngle 0 /Ascent 900 /Descent -200 /CapHeight 700 /StemV 80 >>';
  const composite = (subtype: string, ordering: string, encoding: string, more = ''): string =>
    `<< /Type /Font /Subtype /Type0 /BaseFont /Absent /Encoding /${encoding} ${more} /DescendantFonts [<< /Type /Font /Subtype /${subtype} /BaseFont /Absent /DW 1000 /CIDSystemInfo << /Registry (Adobe) /Ordering (${ordering}) /Supplement 2 >> ${descriptor} >>] >>`;
  const shown = (hexadecimal: string): string => `BT /F1 12 Tf 60 700 Td <${hexadecimal}> Tj ET`;

  it('with two-byte codes are read by their Unicode map', async () => {
    const map = unicodeMap({ '\x00\x01': 'Ж', '\x00\x02': 'ffi', '\x00\x03': '語', '\x00\x04': '😀' });
    const pdf = buildPdf([{ operators: shown('00010002000300010004') }], {
      fontObject: composite('CIDFontType2', 'Identity', 'Identity-H', '/ToUnicode 6 0 R'),
      objects: [map],
    });
    expect(await pagesOf(pdf)).toEqual(['Жffi語Ж😀']);
  });

  it.each([
    ['Japan1', '90ms-RKSJ-H', '93fa967b8cea', '日本語'],
    ['GB1', 'GBK-EUC-H', 'd6d0b9fa', '中国'],
    ['Korea1', 'KSCms-UHC-H', 'c7d1b1b9', '한국'],
    ['CNS1', 'ETen-B5-H', 'a4a4a4e5', '中文'],
    ['Japan1', 'UniJIS-UTF16-H', '65e5672c', '日本'],
  ])('without a map use the known character maps of %s, %s', async (ordering, encoding, hexadecimal, text) => {
    expect(
      await pagesOf(
        buildPdf([{ operators: shown(hexadecimal) }], { fontObject: composite('CIDFontType0', ordering, encoding) }),
      ),
    ).toEqual([text]);
  });

  it('name their ligatures, which become letters', async () => {
    const fontObject =
      '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding << /BaseEncoding /WinAnsiEncoding /Differences [167 /fi 182 /fl] >> >>';
    expect(await pagesOf(buildPdf([{ lines: ['\xa7ne and \xb6uent'] }], { fontObject }))).toEqual(['fine and fluent']);
  });
});

describe('letters of a PDF', () => {
  it('with letter spacing are words', async () => {
    const set = (operators: string): string => `BT /F1 10 Tf 3 Tc 1 0 0 1 60 700 Tm ${operators} ET`;
    expect(
      await pagesOf(
        buildPdf([
          { operators: set('(CHAPTER ONE) Tj') },
          { operators: set('[(CHAPTER) -400 (TWO)] TJ') },
          { operators: set('(A) Tj 60 0 Td (B) Tj 0 -20 Td 12 Tc (1234) Tj') },
          { operators: set('[(As) 300 (e) 300 (t)] TJ') },
        ]),
      ),
    ).toEqual(['CHAPTER ONE', 'CHAPTER TWO', 'A B\n1 2 3 4', 'A set']);
  });

  const lineOf = async (operators: string): Promise<string[] | string> =>
    pagesOf(buildPdf([{ operators: `BT /F1 10 Tf 1 0 0 1 60 700 Tm ${operators} ET` }]));

  it.each([
    ['6.5 Tc (CHAPTER OF IT) Tj', 'CHAPTER OF IT'],
    ['12 Tc (CHAPTER) Tj', 'CHAPTER'],
    ['12 Tc (AB) Tj', 'A B'],
    ['3 Tc (CHAPTE) Tj 0 Tc (R) Tj', 'CHAPTER'],
    ['2 Tc (o) Tj 0 Tc (f) Tj', 'of'],
    ['[(C) -200 (H) -180 (A) -210 (P) -200 (T) -220 (E) -200 (R) -500 (O) -200 (N) -200 (E)] TJ', 'CHAPTER ONE'],
    ['[(T) -200 (H) -200 (I) -200 (S ) -200 (D) -200 (A) -200 (Y)] TJ (, too) Tj', 'THIS DAY, too'],
  ])('with letter spacing by %s are words', async (operators, text) => {
    expect(await lineOf(operators)).toEqual([text]);
  });

  it.each([
    ['(wor) Tj 3 Tc (d) Tj 0 Tc (nex) Tj 3 Tc (t) Tj 0 Tc (end) Tj', 'word next end'],
    ['1.2 Tc (a) Tj 1.3 Tc (b) Tj 1.25 Tc (c) Tj 4 Tc (d) Tj 1.2 Tc (e) Tj (f) Tj', 'abcd ef'],
    ['[(one) -250 (two) -250 (three) -250 (four) -250 (five)] TJ', 'one two three four five'],
    ['[(A) -333 (B) -333 (C) -333 (D) -333 (E)] TJ', 'A B C D E'],
    ['[(1) -200 (2) -200 (3) -200 (4) -200 (5)] TJ', '1 2 3 4 5'],
    ['[(I) -250 (am) -250 (a) -250 (b) -250 (c)] TJ', 'I am a b c'],
  ])('do not join words separated by %s', async (operators, text) => {
    expect(await lineOf(operators)).toEqual([text]);
  });

  it.each([
    ['Internet', 'Internet'],
    ['klienty', 'klienty'],
    ['abcdefgh', 'a b c d e f g h'],
    ['BADCADE', 'B A D C A D E'],
    ['xyyx', 'x y y x'],
    ['TFFTTF', 'T F F T T F'],
    ['12345', '1 2 3 4 5'],
    ['aAbBcC'.repeat(6), 'a A b B c C '.repeat(6).trim()],
  ])('placed one by one are joined if they look like a word: %s', async (letters, text) => {
    const operators = Array.from(letters, (letter, at) => textAt(60 + at * 11, 700, letter)).join('');
    const fontObject = '<< /Type /Font /Subtype /Type1 /BaseFont /Courier /Encoding /WinAnsiEncoding >>';
    expect(await pagesOf(buildPdf([{ operators }], { fontObject }))).toEqual([text]);
  });

  it('that occur twice in a word are kept, whatever their width', async () => {
    const operators = Array.from('balloon', (letter, at) => textAt(60 + at * 4, 700, letter, 20)).join('');
    expect(await pagesOf(buildPdf([{ operators }]))).toEqual([expect.stringMatching(/^b ?a ?l ?l ?o ?o ?n$/)]);
  });

  it('of a right-to-left ligature keep their order', async () => {
    const map = unicodeMap({
      m: '\u0645',
      l: '\u0644\u0627',
      L: '\ufefb',
      k: '\ufccb',
      s: '\u0633',
      S: '\ufeb3',
      d: '\ufb30',
      x: '\u0633\u0644 m',
    });
    const pdf = buildPdf([{ lines: ['mls', 'mLS', 'mks', 'd', 'x'] }], { font: '/ToUnicode 6 0 R', objects: [map] });
    expect(await pagesOf(pdf)).toEqual([
      '\u0633\u0644\u0627\u0645\n\u0633\u0644\u0627\u0645\n\u0633\u0644\u062e\u0645\n\u05d0\u05bc\nm \u0633\u0644',
    ]);
  });
});

describe('replacement text of structure elements', () => {
  /** A page of marked content with a structure tree; the elements are numbered from 8 on, and each names its mark. */
  function tagged(operators: string, elements: readonly string[]): Buffer {
    const kids = elements.map((_, mark) => `${8 + mark} 0 R`).join(' ');
    const objects = [
      '<< /Type /StructTreeRoot /K 7 0 R /ParentTree << /Nums [0 [' + kids + ']] >> >>',
      `<< /Type /StructElem /S /P /P 6 0 R /Pg 4 0 R /K [${kids}] >>`,
      ...elements.map((entries, mark) => `<< /Type /StructElem /P 7 0 R /Pg 4 0 R /K ${mark} ${entries} >>`),
    ];
    return buildPdf([{ operators, entries: '/StructParents 0' }], {
      objects,
      catalog: '/MarkInfo << /Marked true >> /StructTreeRoot 6 0 R',
    });
  }
  const marked = (tag: string, mark: number, operators: string): string =>
    `/${tag} << /MCID ${mark} >> BDC ${operators} EMC `;

  it('is read for spans, but not for figures', async () => {
    const pdf = tagged(
      marked('P', 0, textAt(60, 700, 'Call the')) +
        marked('Span', 1, textAt(112, 700, 'o') + textAt(118, 700, '/ce')) +
        marked('P', 2, textAt(140, 700, 'now')) +
        marked('Figure', 3, textAt(60, 600, 'Axis')) +
        marked('Span', 4, textAt(60, 500, 'as it is')),
      ['/S /P', '/S /Span /ActualText (office)', '/S /P', '/S /Figure /Alt (A chart)', '/S /Span'],
    );
    expect(await pagesOf(pdf)).toEqual(['Call the office now\nAxis\nas it is']);
  });

  it('may be the hyphen of a broken word', async () => {
    const pdf = tagged(
      marked('P', 0, textAt(60, 700, 'The whole Mac')) +
        marked('Span', 1, textAt(133, 700, '-')) +
        marked('P', 2, textAt(60, 686, 'Donald')),
      ['/S /P', '/S /Span /ActualText <FEFF00AD>', '/S /P'],
    );
    expect(await pagesOf(pdf)).toEqual(['The whole MacDonald']);
  });

  it.each([
    ['U+2010', { '~': '\u2010' }],
    ['a hyphen', { '~': '-' }],
    ['a hyphen that its font calls a soft one', { '~': '\u00ad' }],
  ])('joins a word at a line that ends with %s', async (_, hyphen) => {
    const letters = Object.fromEntries(Array.from('abcdefghijklmnopqrstuvwxyz ', (letter) => [letter, letter]));
    const pdf = buildPdf([{ lines: ['a care~', 'ful word'] }], {
      font: '/ToUnicode 6 0 R',
      objects: [unicodeMap({ ...letters, ...hyphen })],
    });
    expect(await pagesOf(pdf)).toEqual(['a careful word']);
  });

  it('joins a word at a Latin soft hyphen, and drops other ones', async () => {
    const letters = Object.fromEntries(Array.from('abcdefghijklmnopqrstuvwxyz ', (letter) => [letter, letter]));
    expect(await pagesOf(buildPdf([{ lines: ['a care\u00ad', 'ful word'] }]))).toEqual(['a careful word']);
    const digits = Object.fromEntries(Array.from('0123456789 ab', (letter) => [letter, letter]));
    const pdf = buildPdf([{ lines: ['some co~operation'] }], {
      font: '/ToUnicode 6 0 R',
      objects: [unicodeMap({ ...letters, '~': '\u00ad' })],
    });
    expect(await pagesOf(pdf)).toEqual(['some cooperation']);
    expect(
      await pagesOf(
        buildPdf([{ lines: ['2012~51 a', '~7 b'] }], {
          font: '/ToUnicode 6 0 R',
          objects: [unicodeMap({ ...digits, '~': '\u00ad' })],
        }),
      ),
    ).toEqual(['2012-51 a\n-7 b']);
  });
});

describe('form fields of a PDF', () => {
  it('are read next to their labels, except hidden ones and passwords', async () => {
    const field = (name: string, top: number, more: string): string =>
      `<< /Type /Annot /Subtype /Widget /FT /Tx /T (${name}) /Rect [160 ${top - 4} 400 ${top + 12}] ${more} /DA (/Helv 10 Tf) /AP << /N ${top} 0 R >> >>`;
    const appearance = (value: string): string => {
      const content = `/Tx BMC BT /Helv 10 Tf 2 4 Td (${value}) Tj ET EMC`;
      return `<< /Type /XObject /Subtype /Form /BBox [0 0 240 16] /Resources << /Font << /Helv 3 0 R >> >> /Length ${content.length} >>\nstream\n${content}\nendstream`;
    };
    const objects = [
      field('name', 700, '/V (Ana)').replace('700 0 R', '9 0 R'),
      field('town', 670, '/V (Arica) /F 2').replace('670 0 R', '10 0 R'),
      field('word', 640, '/V (secret) /Ff 8192').replace('640 0 R', '11 0 R'),
      ...['Ana', 'Arica', 'secret'].map(appearance),
    ];
    const pdf = buildPdf(
      [
        {
          operators: textAt(60, 700, 'Name:') + textAt(60, 670, 'Town:') + textAt(60, 640, 'Word:'),
          entries: '/Annots [6 0 R 7 0 R 8 0 R]',
        },
      ],
      { objects },
    );
    expect(await pagesOf(pdf)).toEqual(['Name: Ana\nTown:\nWord:']);
  });
});

describe('annotations of a PDF', () => {
  const page = (annotations: readonly string[], catalog = ''): Buffer =>
    buildPdf(
      [
        {
          operators: textAt(60, 700, 'Name:') + textAt(60, 670, 'The lease ends'),
          entries: `/Annots [${annotations.map((_, index) => `${6 + index} 0 R`).join(' ')}]`,
        },
      ],
      { objects: annotations, catalog },
    );
  const comment = (subtype: string, contents: string, more = ''): string =>
    `<< /Type /Annot /Subtype /${subtype} /Rect [60 668 140 682] /Contents (${contents}) ${more} >>`;

  it('are read from fields without an appearance', async () => {
    const field =
      '<< /Type /Annot /Subtype /Widget /FT /Tx /T (name) /Rect [160 696 400 712] /V (Ana) /DA (/Helv 10 Tf) >>';
    expect(
      await pagesOf(
        page([field], '/AcroForm << /Fields [6 0 R] /NeedAppearances true /DR << /Font << /Helv 3 0 R >> >> >>'),
      ),
    ).toEqual(['Name: Ana\nThe lease ends']);
  });

  it('include comments after the text of the page, unless they repeat it', async () => {
    const notes = [
      comment('Text', 'Who says so?'),
      comment('Highlight', 'the lease', '/QuadPoints [60 682 140 682 60 668 140 668]'),
      comment('Highlight', 'The lease', '/QuadPoints [60 682 140 682 60 668 140 668]'),
      comment('Text', 'Who says so?'),
      comment('Popup', 'a pop-up'),
      comment('Text', 'not shown', '/F 2'),
      comment('Text', 'Accepted set by Ana', '/StateModel (Review) /State (Accepted) /IRT 6 0 R'),
      comment('Square', 'line one\\rline two'),
    ];
    expect(await pagesOf(page(notes))).toEqual(['Name:\nThe lease ends\nWho says so?\nthe lease\nline one\nline two']);
  });

  it('do not replace the text of a scanned page', async () => {
    expect(
      await pagesOf(buildPdf([{ entries: '/Annots [6 0 R]' }], { objects: [comment('Text', 'Who says so?')] })),
    ).toBe('ocr_required');
  });
});

describe('encrypted PDFs', () => {
  const plain = buildPdf([{ lines: ['not to be printed'] }]);

  it('are read if they open without a password', async () => {
    expect(await pagesOf(encryptPdf(plain, ''))).toEqual(['not to be printed']);
    expect(await pagesOf(encryptPdf(plain, 'password'))).toBe('document_encrypted');
  });

  it.each([
    ['', 'owner', ['kept from print']],
    ['password', '', ['kept from print']],
    ['password', 'owner', 'document_encrypted'],
  ])('with user password "%s" and owner password "%s" open if one is empty', async (user, owner, read) => {
    const { operators, trailer } = encryptContent(textAt(60, 700, 'kept from print'), user, owner);
    expect(await pagesOf(buildPdf([{ operators }], { trailer }))).toEqual(read);
    expect(await pagesOf(encryptPdf(buildPdf([{ lines: ['kept from print'] }]), user, owner))).toEqual(read);
  });

  it('are read if only attachments are encrypted', async () => {
    const { trailer } = encryptContent('', 'password', 'owner');
    expect(
      await pagesOf(
        buildPdf([{ lines: ['for all to read'] }], {
          trailer: trailer.replaceAll('/StmF /StdCF /StrF /StdCF', '/EFF /StdCF'),
        }),
      ),
    ).toEqual(['for all to read']);
  });

  it.each(['/Filter /Adobe.PubSec /V 4', '/Filter /MicrosoftIRMServices /V 1', '/Filter /Standard /V 3'])(
    'are reported as encrypted for other methods: %s',
    async (method) => {
      expect(
        await pagesOf(buildPdf([{ lines: ['secret'] }], { trailer: `/Encrypt << ${method} /R 4 >> /ID [<01> <01>]` })),
      ).toBe('document_encrypted');
    },
  );
});
