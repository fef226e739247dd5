import fc from 'fast-check';
import { printable } from './terminal.ts';

describe('text for a terminal', () => {
  it('keeps letters of all scripts', () => {
    expect(printable('Prüfung, שלום, 検索 👩‍🔬')).toBe('Prüfung, שלום, 検索 👩‍🔬');
  });

  it.each([
    ['colours', '\u001b[31mred\u001b[0m', ' [31mred [0m'],
    ['a title', '\u001b]0;pwned\u0007', ' ]0;pwned '],
    ['one-byte control sequences', 'a\u009b31mb', 'a 31mb'],
    ['turned writing direction', 'invoice\u202efdp.exe', 'invoice fdp.exe'],
    ['lines', 'one\r\n  two', 'one two'],
  ])('removes %s', (_title, text, shown) => {
    expect(printable(text)).toBe(shown);
  });

  it('never contains control characters', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => expect(printable(text)).not.toMatch(/\p{Cc}/u)));
  });
});
