import { decoded, recordsOf, textContent } from './text-content.ts';

const bytes = (...values: number[]): ArrayBuffer => new Uint8Array(values).buffer;

it('text is read as UTF-8, UTF-16 with its mark, or Windows-1252', () => {
  expect(decoded(new TextEncoder().encode('Grüße').buffer)).toBe('Grüße');
  expect(decoded(bytes(0xff, 0xfe, 0x41, 0))).toBe('A');
  expect(decoded(bytes(0xfe, 0xff, 0, 0x41))).toBe('A');
  expect(decoded(bytes(0x47, 0xfc))).toBe('Gü');
  expect(decoded(bytes())).toBe('');
});

it('records keep quoted commas, quotes and line breaks', () => {
  expect(recordsOf('a,b\r\n"x, ""y""\nz",2\n\nlast,')).toEqual(['a | b', 'x, "y"\nz | 2', '', 'last']);
  expect(recordsOf('a;b;c\n1;2,5;3')).toEqual(['a | b | c', '1 | 2,5 | 3']);
  expect(recordsOf('')).toEqual([]);
});

it('lines end as each system ends them', () => {
  const content = new TextEncoder().encode('one\r\ntwo\rthree\nfour').buffer;
  expect(textContent(content, 'txt')).toEqual({ lines: ['one', 'two', 'three', 'four'], numbering: 'line' });
});
