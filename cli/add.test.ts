import { summary } from './add.ts';
import { emptyTally } from './registration.ts';

describe('the summary of ply add', () => {
  it('is one line if all files are indexed', () => {
    expect(summary({ ...emptyTally(), skipped: 2 }, new Map([['ready', ['/a.txt']]]), 1.23)).toBe(
      '1 file indexed in 1.2 s; 0 unchanged, 2 of other formats skipped.',
    );
  });

  it('lists failures by code, with its meaning and some of the files', () => {
    const failed = ['1', '2', '3', '4', '5', '6', '7'].map((name) => `/${name}.pdf`);
    const lines = summary(
      emptyTally(),
      new Map([
        ['ready', []],
        ['ocr_required', failed],
        ['cancelled', ['/x.txt']],
      ]),
      0,
    ).split('\n');
    expect(lines[1]).toBe('7 ocr_required: The PDF has no text layer. Run OCR on it and register the new version.');
    expect(lines.slice(2, 8)).toEqual([
      '    /1.pdf',
      '    /2.pdf',
      '    /3.pdf',
      '    /4.pdf',
      '    /5.pdf',
      '    and 2 more',
    ]);
    expect(lines.slice(8)).toEqual(['1 cancelled: The job was stopped.', '    /x.txt']);
  });

  it('lists files that were not registered by reason', () => {
    const refused = [
      { name: '/a\u001b[2J.txt', why: 'it has no ETag' },
      { name: '/b.txt', why: 'it has no ETag' },
    ];
    expect(
      summary({ ...emptyTally(), refused }, new Map(), 0)
        .split('\n')
        .slice(1),
    ).toEqual(['2 not registered, it has no ETag', '    /a [2J.txt', '    /b.txt']);
  });
});
