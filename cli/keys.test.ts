import { expiryOf, overlapOf } from './keys.ts';

const now = Date.parse('2026-11-22T12:00:00Z');

describe('the expiry of a key', () => {
  it.each<[string, string | null]>([
    ['2027-01-31', '2027-01-31T00:00:00.000Z'],
    ['2027-01-31T09:30:00+02:00', '2027-01-31T07:30:00.000Z'],
    ['90d', '2027-02-20T12:00:00.000Z'],
    ['1d', '2026-11-23T12:00:00.000Z'],
    ['never', null],
  ])('%s is %s', (given, at) => {
    const expiry = expiryOf(given, now);
    expect(expiry === null ? null : new Date(expiry).toISOString()).toBe(at);
  });

  it.each(['', 'tomorrow', '2027-02-30', '2027-1-1', '-1d', '1.5d', '1w', '2027-01-31T09:30:00'])(
    '%j is not a valid time',
    (given) => {
      expect(() => expiryOf(given, now)).toThrow(`${given} is not a valid time`);
    },
  );

  it.each(['0d', '2026-11-22', '2020-01-01T00:00:00Z'])('%s is in the past', (given) => {
    expect(() => expiryOf(given, now)).toThrow('is in the past');
  });
});

describe('the overlap of a rotation', () => {
  it.each([
    ['30m', 1_800_000],
    ['12h', 43_200_000],
    ['30d', 2_592_000_000],
  ])('%s is %d ms', (given, milliseconds) => {
    expect(overlapOf(given)).toBe(milliseconds);
  });

  it.each(['', '0h', '31d', '1w', '-1d', '1.5h', '721h'])('%j is not valid', (given) => {
    expect(() => overlapOf(given)).toThrow(`${given} is not a valid overlap`);
  });
});
