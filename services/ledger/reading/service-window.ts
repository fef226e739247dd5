import { calendarDay } from '../../../models/calendar-day.ts';
import type { UsageEvent } from '../../../models/usage-event.ts';
import { isUsageMetric, metricOf, type UsageMetric } from '../../../models/usage-metric.ts';
import { utcDay, utcDayOf } from '../../../models/utc-days.ts';
import type { Service } from '../period.ts';
import { partsOf } from '../sums.ts';

/** Whether use of a metric counts by days of UTC. */
function isUtc(metric: string): boolean {
  return isUsageMetric(metric) && metricOf(metric).days === 'utc';
}

/** Whether use of a metric is counted for a day as a whole, and not when something happens. */
function isOfDay(metric: UsageMetric): boolean {
  const { base, unit } = metricOf(metric);
  return base === 'byte-day' || unit === 'day';
}

/** Days since 1970-01-01 of YYYY-MM-DD. */
export function dayNumber(day: string): number {
  return utcDay(day) ?? 0;
}

/**
 * Whether a use is inside the service and may be charged: from its begin until before its end; where days of UTC count, on
 * any day that has a part of the service.
 */
export function isServed(
  { metric, at, day }: Pick<UsageEvent, 'metric' | 'at'> & { day: string },
  { serviceStartsAt = -Infinity, serviceEndsAt = Infinity }: Service,
): boolean {
  if (isUtc(metric)) {
    const number = dayNumber(day);
    return number >= utcDayOf(serviceStartsAt) && number <= utcDayOf(serviceEndsAt - 1);
  }
  // What is counted for a day as a whole is counted just when the next one begins.
  const instant = isOfDay(metric) ? at - 1 : at;
  return instant >= serviceStartsAt && instant < serviceEndsAt;
}

/** Which part of a day's use is inside the service: all, none, or what its events say. */
export type DayPart = 'all' | 'none' | 'events';

/** Which part of a day (days since 1970-01-01) is inside the service, by the key of a sum. */
export function partOfDay(
  key: string,
  day: number,
  { serviceStartsAt = -Infinity, serviceEndsAt = Infinity }: Service,
  timeZone: string,
): DayPart {
  const isUtcKey = isUtc(partsOf(key).metric);
  const dayAt = (instant: number): number => {
    if (!Number.isFinite(instant)) return instant;
    return isUtcKey ? utcDayOf(instant) : calendarDay(instant, timeZone);
  };
  const [first, last] = [dayAt(serviceStartsAt), dayAt(serviceEndsAt - 1)];
  if (isUtcKey) return day < first || day > last ? 'none' : 'all';
  // A day that was counted in another time zone may reach up to a day further, on either side.
  if (day < first - 1 || day > last + 1) return 'none';
  return day > first + 1 && day < last - 1 ? 'all' : 'events';
}
