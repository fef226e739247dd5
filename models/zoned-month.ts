import { calendarDay, dayText } from './calendar-day.ts';

const dayMs = 86_400_000;

/** The calendar month (YYYY-MM) of an instant in an IANA time zone. */
export function monthOf(milliseconds: number, timeZone: string): string {
  return dayText(calendarDay(milliseconds, timeZone)).slice(0, 7);
}

/** The month that is so many after this one (YYYY-MM). */
export function monthAfter(month: string, months = 1): string {
  const [year = 0, number = 1] = month.split('-').map(Number);
  // Without the day and the time; years after 9999 have more digits and a sign.
  return new Date(Date.UTC(year, number - 1 + months, 1)).toISOString().slice(0, -'-01T00:00:00.000Z'.length);
}

/**
 * The first millisecond at which the calendar of an IANA time zone shows this day, or a later one: Apia has no 30
 * December 2011.
 */
export function startOfDay(day: number, timeZone: string): number {
  // No zone is more than a day from UTC.
  let [before, from] = [(day - 2) * dayMs, (day + 2) * dayMs];
  while (from - before > 1) {
    const middle = Math.floor((before + from) / 2);
    if (calendarDay(middle, timeZone) < day) before = middle;
    else from = middle;
  }
  return from;
}

/** The first millisecond of a calendar month (YYYY-MM) in an IANA time zone. */
export function startOfMonth(month: string, timeZone: string): number {
  return startOfDay(Date.parse(`${month}-01T00:00:00Z`) / dayMs, timeZone);
}
