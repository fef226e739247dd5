import { formatOf } from './formats.ts';

const at = '2031-04-01T23:30:00Z';

it('times are those of a zone', () => {
  expect(formatOf('de', 'Asia/Kathmandu').exactTime(at)).toContain('05:15:00');
  expect(formatOf('de', 'Asia/Kathmandu').time(at)).toContain('02.04.2031');
});

it('times are those of the browser where it does not know the zone', () => {
  expect(formatOf('en', 'Nowhere/Else').time(at)).toBe(formatOf('en').time(at));
});

it('languages have names, and what is no tag of one stays as it is', () => {
  const format = formatOf('en');
  expect(['de', 'pt-BR', 'en_US', 'x', 'Swiss German', ''].map(format.language)).toEqual([
    'German',
    'Brazilian Portuguese',
    'en_US',
    'x',
    'Swiss German',
    '',
  ]);
});
