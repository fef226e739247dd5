import { monthAfter, monthOf, startOfDay, startOfMonth } from './zoned-month.ts';

describe('months of a time zone', () => {
  it.each([
    ['2031-03', 'UTC', '2031-03-01T00:00:00.000Z'],
    ['2031-03', 'Asia/Kathmandu', '2031-02-28T18:15:00.000Z'],
    ['2026-04', 'Europe/Paris', '2026-03-31T22:00:00.000Z'],
    ['2026-03', 'Europe/Paris', '2026-02-28T23:00:00.000Z'],
    ['2031-01', 'Pacific/Kiritimati', '2030-12-31T10:00:00.000Z'],
    ['2031-01', 'Pacific/Pago_Pago', '2031-01-01T11:00:00.000Z'],
  ])('%s begins in %s at %s', (month, timeZone, begins) => {
    const start = startOfMonth(month, timeZone);
    expect(new Date(start).toISOString()).toBe(begins);
    expect(monthOf(start, timeZone)).toBe(month);
    expect(monthOf(start - 1, timeZone)).toBe(monthAfter(month, -1));
  });

  it('begins a day at its first instant, also where midnight is left out', () => {
    const day = (text: string): number => Date.parse(`${text}T00:00:00Z`) / 86_400_000;
    // At midnight the clocks of Sao Paulo went to 01:00.
    expect(new Date(startOfDay(day('2018-11-04'), 'America/Sao_Paulo')).toISOString()).toBe('2018-11-04T03:00:00.000Z');
    // Apia had no 30 December.
    expect(startOfDay(day('2011-12-30'), 'Pacific/Apia')).toBe(startOfDay(day('2011-12-31'), 'Pacific/Apia'));
  });

  it('counts months over years', () => {
    expect(monthAfter('2031-12')).toBe('2032-01');
    expect(monthAfter('2031-01', -1)).toBe('2030-12');
    expect(monthAfter('2031-01', 14)).toBe('2032-03');
    expect(startOfMonth(monthAfter('9999-12'), 'UTC') - startOfMonth('9999-12', 'UTC')).toBe(31 * 86_400_000);
  });
});
