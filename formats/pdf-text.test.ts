import type { TextRun } from './pdf-lines.ts';
import { pageText } from './pdf-text.ts';

/** A run at a place of the page, in letters of height 10 that are 5 wide. */
const run = (str: string, left = 0, base = 0, hasEOL = true, dir = 'ltr'): TextRun => ({
  str,
  hasEOL,
  dir,
  width: str.length * 5,
  height: 10,
  transform: [10, 0, 0, 10, left, base],
});
const lines = (...texts: string[]): string => pageText(texts.map((str, index) => run(str, 0, 700 - index * 12)));

describe('text of a page', () => {
  it('keeps lines and joins hyphenated words', () => {
    expect(lines('The docu-', 'ment is well-', 'Known to us', 'and co\u00adoperative sub\u00ad', 'jects')).toBe(
      'The document is well-\nKnown to us\nand cooperative subjects',
    );
  });

  it('joins lines of scripts without spaces', () => {
    expect(lines('浅谈校长', '的魅力', 'Latin', '山')).toBe('浅谈校长的魅力\nLatin\n山');
  });

  it('separates titles, items and cells of scripts without spaces', () => {
    // Letters of these scripts are as wide as they are high.
    const line = (str: string, left: number, base: number, hasEOL = true): TextRun => ({
      ...run(str, left, base, hasEOL),
      width: str.length * 10,
    });
    const body = ['本公司董事会保证本报告所载资料不存', '在虚假记载或者重大遗漏并对其内容的', '真实性承担责任'];
    const prose = body.map((str, row) => line(str, row === 0 ? 20 : 0, 700 - row * 15));
    expect(
      pageText([line('重要提示', 60, 720), ...prose, line('第一节公司简介', 0, 640), line('联系地址', 0, 620)]),
    ).toBe(`重要提示\n${body.join('')}\n第一节公司简介\n联系地址`);
    expect(
      pageText([
        line('项目', 0, 700, false),
        line('金额', 100, 700),
        line('税金', 0, 688, false),
        line('三元', 100, 688),
      ]),
    ).toBe('项目 金额\n税金 三元');
    expect(pageText([line('北京', 0, 700), line('上海', 0, 680), line('航空', 100, 700), line('技术', 100, 688)])).toBe(
      '北京\n上海\n航空技术',
    );
    expect(
      pageText([
        line('一', 0, 700, false),
        line('本公司董事会保证本报告所载资料', 30, 700),
        line('不存在虚假记载', 30, 685),
      ]),
    ).toBe('一 本公司董事会保证本报告所载资料不存在虚假记载');
  });

  it('joins lines of scripts without spaces across columns and in vertical text', () => {
    const line = (str: string, left: number, base: number): TextRun => ({
      ...run(str, left, base),
      width: str.length * 10,
    });
    const downward = (str: string, left: number): TextRun => ({ ...run(str, left, 700), width: 10, height: 80 });
    const [one, two, three] = ['本公司董事会保证本报告', '所载资料不存在虚假记载', '或者重大遗漏并对其内容'];
    expect(pageText([line(one, 0, 700), line(two, 0, 685), line(three, 150, 700)])).toBe(one + two + three);
    expect(pageText([downward('春はあけぼのやう', 200), downward('やう白くなりゆく', 180)])).toBe(
      '春はあけぼのやうやう白くなりゆく',
    );
  });

  it('drops empty lines, control characters and double spaces', () => {
    expect(
      pageText([run('a  ', 0, 100, false), run(' b\u0004', 15, 100), run(' \u0001', 0, 88), run('c', 0, 76, false)]),
    ).toBe('a b\nc');
    expect(pageText([])).toBe('');
    expect(lines('Overview\u0002of\u0002the\u0002Model:\u0002\u0002', 'T\u0000w\u0000o', '\u0003\u0004')).toBe(
      'Overview of the Model:\nTwo',
    );
  });

  it('drops duplicates and separates words that jump back', () => {
    expect(
      pageText([run('Bold', 0, 100, false), run('Bold', 0.4, 100), run('second', 100, 80, false), run('first', 0, 80)]),
    ).toBe('Bold\nsecond first');
  });
});

describe('reading order', () => {
  const left = ['The first column begins', 'with lines of prose', 'that fill its width', 'and ends down here.'];
  const right = ['Then the second column', 'goes on with the text', 'in lines of its own', 'until the page ends.'];

  it('keeps columns written one after the other', () => {
    const runs = [
      ...left.map((text, row) => run(text, 0, 700 - row * 12)),
      ...right.map((text, row) => run(text, 150, 700 - row * 12)),
    ];
    expect(pageText(runs)).toBe([...left, ...right].join('\n'));
  });

  it('reorders columns written line by line, with titles between them', () => {
    const across = (top: number): TextRun[] =>
      left.flatMap((text, row) => [run(text, 0, top - row * 12, false), run(right[row] ?? '', 150, top - row * 12)]);
    const title = 'A title that runs across the whole of the page';
    expect(pageText([...across(700), run(title, 20, 640), ...across(620)])).toBe(
      [...left, ...right, title, ...left, ...right].join('\n'),
    );
  });

  it('finds three columns', () => {
    const third = ['A third one stands', 'on the outer edge of', 'the page and is read', 'after both others.'];
    const runs = left.flatMap((text, row) => [
      run(text, 0, 700 - row * 12, false),
      run(right[row] ?? '', 150, 700 - row * 12, false),
      run(third[row] ?? '', 300, 700 - row * 12),
    ]);
    expect(pageText(runs)).toBe([...left, ...right, ...third].join('\n'));
  });

  it('keeps a table line by line', () => {
    const rows = [
      ['Berlin', '3,700,000'],
      ['Hamburg', '1,900,000'],
      ['Munich', '1,500,000'],
      ['Cologne', '1,100,000'],
      ['Frankfurt', '770,000'],
    ];
    expect(
      pageText(
        rows.flatMap(([city = '', people = ''], row) => [
          run(city, 0, 700 - row * 12, false),
          run(people, 150, 700 - row * 12),
        ]),
      ),
    ).toBe(rows.map((row) => row.join(' ')).join('\n'));
  });

  it('reverses a page written from the bottom up', () => {
    expect(pageText(left.map((text, row) => run(text, 0, 700 - row * 12)).toReversed())).toBe(left.join('\n'));
  });

  it('does not guess columns written from the bottom up at different heights', () => {
    const runs = [
      ...left.map((text, row) => run(text, 0, 700 - row * 12)).toReversed(),
      ...right.map((text, row) => run(text, 150, 694 - row * 12)).toReversed(),
    ];
    expect(pageText(runs)).toBe([...left.toReversed(), ...right.toReversed()].join('\n'));
  });

  it('puts right-to-left lines in logical order', () => {
    const [one, two, three] = ['\u05d0\u05d1\u05d2', '\u05d3\u05d4', '\u05d5\u05d6'];
    // As it stands on the page, from its left edge: three, "Ply 2", two, one.
    expect(
      pageText([
        run(three, 0, 700, false, 'rtl'),
        run('Ply', 20, 700, false),
        run('2', 38, 700, false),
        run(two, 48, 700, false, 'rtl'),
        run(one, 62, 700, true, 'rtl'),
      ]),
    ).toBe(`${one} ${two} Ply 2 ${three}`);
    expect(
      pageText([run(one, 62, 700, false, 'rtl'), run(two, 48, 700, false, 'rtl'), run(three, 30, 700, true, 'rtl')]),
    ).toBe(`${one} ${two} ${three}`);
  });

  it('puts the value of a form field next to its label', () => {
    const labels = ['Name:', 'Country:'].map((text, row) => run(text, 0, 700 - row * 20));
    expect(
      pageText(labels, [
        { text: 'Chile', rectangle: [60, 678, 160, 692] },
        { text: 'Ana', rectangle: [60, 698, 160, 712] },
        { text: 'a note', rectangle: [400, 100, 500, 120] },
      ]),
    ).toBe('Name: Ana\nCountry: Chile\na note');
  });
});
