import { buildPdf, textAt, unicodeMap, type TestPage } from './testing/pdf.ts';
import { outcomeOf, tightPool } from '../services/extractor/testing/pool.ts';

const pool = tightPool();
afterAll(() => pool.close());

/** The text of a PDF of one page. */
async function textOf(page: TestPage, extra: Parameters<typeof buildPdf>[1] = {}): Promise<string | undefined> {
  return (await outcomeOf(pool, 'pdf', buildPdf([page], extra))).first[0]?.text;
}

/** Operators within a text object at a place. */
const written = (operators: string, at = '60 700'): string => `BT /F1 11 Tf 14 TL 1 0 0 1 ${at} Tm ${operators} ET `;
const meaning = (text: string, operators: string): string => `/Span << /ActualText ${text} >> BDC ${operators} EMC `;

describe('replacement text in a PDF', () => {
  it('replaces the displayed text and keeps the spaces around it', async () => {
    const operators = written(
      `(a sta) Tj ${meaning('(tion)', '(\xb7) Tj')} (s of ) Tj ${meaning('<FEFF00660069>', '(\xb7) Tj')} (ve ) Tj ${meaning('<FEFF006C0069FB01>', '(\xb7) Tj (\xb7) Tj (\xb7) Tj')} (ve) Tj`,
    );
    expect(await textOf({ operators })).toBe('a stations of five lifive');
  });

  it('replaces several runs once, across lines and nested marks', async () => {
    const inner = `(o) Tj ${meaning('(never)', '(/) Tj')} 30 0 Td (ce) Tj`;
    const lines = `/P << /MCID 3 /ActualText (one text) >> BDC (o n e) Tj T* (t e x t) Tj EMC`;
    expect(
      await textOf({
        operators: written(`(the) Tj ( ) Tj ${meaning('(office)', inner)} (s) Tj`) + written(lines, '60 640'),
      }),
    ).toBe('the offices\none text');
  });

  it('may be in a named property list; broken ones are ignored', async () => {
    const operators = written(
      `(pu) Tj /Span /Of BDC (x) Tj EMC /Span /Absent BDC ( is) Tj EMC /Span /Broken BDC ( read) Tj EMC`,
    );
    const page = { operators, resources: '/Properties << /Of 6 0 R /Broken 99 0 R >>' };
    expect(await textOf(page, { objects: ['<< /ActualText (mp) >>'] })).toBe('pump is read');
  });

  it('may be the hyphen of a broken word, even a soft one', async () => {
    const letters = Object.fromEntries(Array.from('abcdefghijklmnopqrstuvwxyzMD ', (letter) => [letter, letter]));
    const operators = written(`(the whole mac) Tj ${meaning('<FEFF00AD>', '(~) Tj')} T* (Donald) Tj`);
    expect(await textOf({ operators })).toBe('the whole macDonald');
    expect(
      await textOf({ operators }, { font: '/ToUnicode 6 0 R', objects: [unicodeMap({ ...letters, '~': '\u00ad' })] }),
    ).toBe('the whole macDonald');
  });

  it('replaces unmapped glyphs', async () => {
    const operators = written(`(a) Tj ${meaning('(b)', '(~~~) Tj')} (c) Tj`);
    expect(
      await textOf({ operators }, { font: '/ToUnicode 6 0 R', objects: [unicodeMap({ a: 'a', c: 'c', '~': '' })] }),
    ).toBe('abc');
  });

  it('is ignored if it is meaningless or has no glyphs', async () => {
    const operators =
      written(
        `(one) Tj ${meaning('<FEFFE000>', '( two) Tj')} ${meaning('<FEFFFFFD>', '( three) Tj')} ${meaning('(gone)', '')}`,
      ) +
      textAt(60, 640, 'four') +
      written(meaning('()', '(nothing) Tj'), '60 600');
    expect(await textOf({ operators })).toBe('one two three\nfour');
  });

  it('is in logical order for right-to-left scripts', async () => {
    const [one, two] = ['05D005D105D2', '05D305D4'];
    const operators =
      written(meaning(`<FEFF${two}>`, '(xx) Tj'), '60 700') + written(meaning(`<FEFF${one}>`, '(yyy) Tj'), '74 700');
    expect(await textOf({ operators })).toBe('\u05d0\u05d1\u05d2 \u05d3\u05d4');
  });
});
