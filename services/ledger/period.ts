import { calendarDay, dayText } from '../../models/calendar-day.ts';
import { Refusal } from '../../models/errors.ts';
import type { usageQuery } from '../../models/schemas/usage.ts';
import type { Shape } from '../../models/schemas/schema.ts';
import { daysOfMonth } from '../../models/utc-days.ts';
import { monthAfter, startOfDay, startOfMonth } from '../../models/zoned-month.ts';

const dayMs = 86_400_000;

/** Calendar days, both included, as days since 1970-01-01. */
export interface Period {
  from: number;
  to: number;
  /** The month (YYYY-MM) that it is exactly; null for any other period. */
  month: string | null;
  timeZone: string;
}

/** The period of a whole month. */
export function wholeMonth(month: string, timeZone: string): Period {
  return { ...daysOfMonth(month), month, timeZone };
}

/**
 * The period that a query asks for: a month, or the days from `from` to `to`; without `from` from the first of the current
 * month, without `to` to the end of the month of `from`.
 * @throws Refusal `invalid_period`; `period_too_long` for more than `maxDays`
 */
export function periodOf(
  { month, from, to }: Shape<typeof usageQuery>,
  now: number,
  timeZone: string,
  maxDays = Infinity,
): Period {
  if (month !== undefined) {
    const other = from !== undefined ? 'from' : to !== undefined ? 'to' : null;
    if (other !== null)
      throw new Refusal('invalid_period', {
        fields: ['query', other],
        detail: `query.${other} must not be sent together with query.month.`,
      });
    return wholeMonth(month, timeZone);
  }
  const first = from ?? daysOfMonth(dayText(calendarDay(now, timeZone)).slice(0, 7)).from;
  const ofFirst = dayText(first).slice(0, 7);
  const last = to ?? daysOfMonth(ofFirst).to;
  if (last < first)
    throw new Refusal('invalid_period', {
      fields: ['query', 'to'],
      detail: 'query.to must not lie before the first day of the period.',
    });
  if (last - first >= maxDays)
    throw new Refusal('period_too_long', {
      fields: ['query', 'to'],
      detail: `The period must have at most ${maxDays} days.`,
    });
  const { from: begins, to: ends } = daysOfMonth(ofFirst);
  return { from: first, to: last, month: first === begins && last === ends ? ofFirst : null, timeZone };
}

/** A period as answers show it. */
export function periodAnswer({ from, to, month, timeZone }: Period): {
  kind: 'month' | 'range';
  from: string;
  to: string;
  timeZone: string;
} {
  return { kind: month === null ? 'range' : 'month', from: dayText(from), to: dayText(to), timeZone };
}

/** The months (YYYY-MM) of the first and the last day of a period. */
export function monthBounds({ from, to }: Pick<Period, 'from' | 'to'>): { first: string; last: string } {
  return { first: dayText(from).slice(0, 7), last: dayText(to).slice(0, 7) };
}

/** When the service of an account begins and ends, in milliseconds. */
export interface Service {
  serviceStartsAt?: number;
  serviceEndsAt?: number;
}

/** Days of a month, and the calendar days with service in it; null where it has none. */
export interface ServedDays {
  active: number;
  inMonth: number;
  from: string | null;
  to: string | null;
}

/**
 * Counts the days of a month in a time zone, and those of which any part is inside the service. A day that the zone's
 * calendar skips (Apia has no 30 December 2011) is none.
 */
export function servedDays(month: string, timeZone: string, { serviceStartsAt, serviceEndsAt }: Service): ServedDays {
  const begins = startOfMonth(month, timeZone);
  const ends = startOfMonth(monthAfter(month), timeZone);
  const inMonth = Math.round((ends - begins) / dayMs);
  const first = Math.max(begins, serviceStartsAt ?? begins);
  // The end is exclusive: what ends at midnight has no part in the next day.
  const last = Math.min(ends, serviceEndsAt ?? ends) - 1;
  if (last < first) return { active: 0, inMonth, from: null, to: null };
  const [from, to] = [calendarDay(first, timeZone), calendarDay(last, timeZone)];
  const active = Math.round((startOfDay(to + 1, timeZone) - startOfDay(from, timeZone)) / dayMs);
  return { active, inMonth, from: dayText(from), to: dayText(to) };
}
