import { calendarDay, dayText } from './calendar-day.ts';

describe('a calendar day', () => {
  it.each([
    ['2026-03-29T00:30:00Z', 'UTC', '2026-03-29'],
    ['2026-03-28T23:30:00Z', 'Europe/Berlin', '2026-03-29'],
    ['2026-03-29T21:59:59Z', 'Europe/Berlin', '2026-03-29'],
    ['2026-03-29T22:00:00Z', 'Europe/Berlin', '2026-03-30'],
    ['2026-01-01T09:59:59Z', 'Pacific/Honolulu', '2025-12-31'],
    ['2026-01-01T10:00:00Z', 'Pacific/Kiritimati', '2026-01-02'],
    ['2024-02-29T12:00:00Z', 'Asia/Kolkata', '2024-02-29'],
  ])('of %s in %s is %s', (instant, zone, day) => {
    expect(dayText(calendarDay(Date.parse(instant), zone))).toBe(day);
  });

  it('increases by one each day, across daylight saving changes', () => {
    const days = Array.from({ length: 400 }, (_, at) =>
      calendarDay(Date.UTC(2026, 0, 1, 12) + at * 86_400_000, 'America/New_York'),
    );
    expect(days.every((day, at) => at === 0 || day === (days[at - 1] ?? 0) + 1)).toBe(true);
  });

  it('throws for an unknown zone', () => {
    expect(() => calendarDay(0, 'Mars/Base')).toThrow(RangeError);
  });
});
