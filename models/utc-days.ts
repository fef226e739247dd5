import { dayText } from './calendar-day.ts';
import { invalid } from './errors.ts';

const dayMs = 86_400_000;

/** UTC days, both counted, as days since 1970-01-01. */
export interface UtcPeriod {
  from: number;
  to: number;
}

/** The UTC day of a time in milliseconds, as days since 1970-01-01. */
export function utcDayOf(milliseconds: number): number {
  return Math.floor(milliseconds / dayMs);
}

/** Days since 1970-01-01 of `YYYY-MM-DD`; null if there is no such day. */
export function utcDay(text: string): number | null {
  const milliseconds = Date.parse(`${text}T00:00:00Z`);
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text) || Number.isNaN(milliseconds)) return null;
  // Some days that do not exist, such as the 30th of February, are read as later ones.
  return dayText(milliseconds / dayMs) === text ? milliseconds / dayMs : null;
}

/** First and last day of the month (`YYYY-MM`). */
export function daysOfMonth(month: string): UtcPeriod {
  const [year = 0, number = 1] = month.split('-').map(Number);
  const at = (months: number): number => new Date(0).setUTCFullYear(year, months, 1) / dayMs;
  return { from: at(number - 1), to: at(number) - 1 };
}

/** The months (`YYYY-MM`) of a period, ascending. */
export function monthsOf({ from, to }: UtcPeriod): string[] {
  const months: string[] = [];
  for (let day = from; day <= to;) {
    const month = dayText(day).slice(0, 7);
    months.push(month);
    day = daysOfMonth(month).to + 1;
  }
  return months;
}

/**
 * Checks a period of a query.
 * @throws Refusal `validation_error` of `to` where it lies before `from`, or is too far off
 */
export function checkPeriod({ from, to }: UtcPeriod, maxDays: number): void {
  if (to < from) throw invalid(['query', 'to'], 'query.to must not lie before query.from.');
  if (to - from >= maxDays) throw invalid(['query', 'to'], `The period must have at most ${maxDays} days.`);
}

/** UTC days whose figures may still change: the running one and the two before. */
export function isProvisional(day: number, now: number): boolean {
  return day >= utcDayOf(now) - 2;
}
