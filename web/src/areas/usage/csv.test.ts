import { csvOf } from './csv.ts';

describe('CSV', () => {
  it('quotes as RFC 4180 says, and leaves numbers and nothing as they are', () => {
    expect(csvOf([['a', 'b,c', 'say "x"', 'two\nlines', null, 1.5, -2]])).toBe(
      'a,"b,c","say ""x""","two\nlines",,1.5,-2\r\n',
    );
  });

  it.each(['=1+1', '+1', '-1', '@x', '\tx', '\rx', '＝1'])('does not let %j be run as a formula', (text) => {
    expect(csvOf([[text]]).replaceAll('"', '')).toBe(`'${text}\r\n`);
  });
});
