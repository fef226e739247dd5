import { timeZoneNamed } from './time-zone.ts';

describe('a time zone', () => {
  it.each([
    ['Europe/Berlin', 'Europe/Berlin'],
    ['europe/berlin', 'Europe/Berlin'],
    ['UTC', 'UTC'],
    ['Etc/GMT+5', 'Etc/GMT+5'],
    ['Asia/Kolkata', 'Asia/Kolkata'],
    ['America/Argentina/Buenos_Aires', 'America/Argentina/Buenos_Aires'],
  ])('%s is %s', (name, known) => {
    expect(timeZoneNamed(name)).toBe(known);
  });

  it.each(['', 'Nowhere', 'Europe/Atlantis', '+01:00', '-0500', ' UTC', 'Europe/Berlin\0', 'x'.repeat(10_000)])(
    'is not %j',
    (name) => {
      expect(timeZoneNamed(name)).toBeNull();
    },
  );
});
