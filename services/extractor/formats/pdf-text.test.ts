import { pageText } from './pdf-text.ts';

const lines = (...texts: string[]): string => pageText(texts.map((str) => ({ str, hasEOL: true })));

describe('text of a page', () => {
  it('keeps lines and joins words that a hyphen broke', () => {
    expect(lines('The docu-', 'ment is well-', 'Known to us', 'and co\u00adoperative sub\u00ad', 'jects')).toBe('The document is well-\nKnown to us\nand cooperative subjects');
  });

  it('joins lines of scripts without spaces', () => {
    expect(lines('浅谈校长', '的魅力', 'Latin', '山')).toBe('浅谈校长的魅力\nLatin\n山');
  });

  it('leaves out empty lines, control characters and doubled spaces', () => {
    expect(pageText([{ str: 'a  ', hasEOL: false }, { str: ' b\u0004', hasEOL: true }, { str: ' \u0001', hasEOL: true }, { str: 'c', hasEOL: false }])).toBe('a b\nc');
    expect(pageText([])).toBe('');
  });
});
