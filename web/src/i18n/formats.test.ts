import fc from 'fast-check';
import { formatOf } from './formats.ts';

const at = '2031-04-01T23:30:00Z';

it('times are those of a zone', () => {
  expect(formatOf('de', 'Asia/Kathmandu').exactTime(at)).toContain('05:15:00');
  expect(formatOf('de', 'Asia/Kathmandu').time(at)).toContain('02.04.2031');
});

it.each([
  ['Asia/Kathmandu', '2031-04-01T00:10', '2031-03-31T18:25:00.000Z'],
  ['Pacific/Kiritimati', '2026-12-31T23:59', '2026-12-31T09:59:00.000Z'],
  // Repeated by the clocks, and left out by them.
  ['America/New_York', '2026-11-01T01:30', '2026-11-01T05:30:00.000Z'],
  ['America/New_York', '2026-03-08T02:30', '2026-03-08T07:30:00.000Z'],
])('what is written in a form is a time of the zone, too: in %s %s is %s', (timeZone, local, instant) => {
  expect(formatOf('en', timeZone).instant(local)).toBe(instant);
});

it('what is read from a form is shown as it was written', () => {
  const zones = ['UTC', 'Europe/Berlin', 'Australia/Lord_Howe', 'America/St_Johns'];
  fc.assert(
    fc.property(fc.constantFrom(...zones), fc.integer({ min: 0, max: 525_600 }), (timeZone, minute) => {
      const at = Date.UTC(2026, 0, 1) + minute * 60_000;
      const written = new Intl.DateTimeFormat('sv', { timeZone, dateStyle: 'short', timeStyle: 'short' });
      const local = written.format(at);
      expect(written.format(new Date(formatOf('en', timeZone).instant(local.replace(' ', 'T'))))).toBe(local);
    }),
  );
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
