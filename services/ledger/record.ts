import type { AppContext } from '../../mixins/app-context.ts';
import { calendarDay, dayText } from '../../models/calendar-day.ts';
import { accounts } from '../../models/organization.ts';
import { systemScope } from '../../models/scope.ts';
import { usageEvents, type NewUsageEvent, type UsageEvent } from '../../models/usage-event.ts';
import { metricOf } from '../../models/usage-metric.ts';
import { utcDayOf } from '../../models/utc-days.ts';

/** The parts of the app that recording usage uses. */
export type RecordContext = Pick<AppContext, 'records'>;

/** The day (YYYY-MM-DD) that an event counts on. @param timeZone of the account */
export function dayOfEvent(
  { at, metric, day }: Pick<NewUsageEvent, 'at' | 'metric' | 'day'>,
  timeZone: string,
): string {
  if (day !== undefined) return day;
  return dayText(metricOf(metric).days === 'utc' ? utcDayOf(at) : calendarDay(at, timeZone));
}

/** The time zones of accounts; UTC for one that is not there any more. */
export async function timeZonesOf(
  { records }: Pick<AppContext, 'records'>,
  events: readonly Pick<UsageEvent, 'accountId'>[],
): Promise<(accountId: string) => string> {
  const ids = new Set(events.map(({ accountId }) => accountId));
  const read = await records.collection(accounts, systemScope).getMany([...ids]);
  const zones = new Map(read.map(({ _id, timeZone }) => [_id, timeZone]));
  return (accountId) => zones.get(accountId) ?? 'UTC';
}

/**
 * Appends events to the log: those whose id is not there yet. When the promise resolves they are on disk, and the
 * producer may forget them.
 * @returns how many were new. @throws StoreUnavailable
 */
export async function recordEvents({ records }: RecordContext, events: readonly NewUsageEvent[]): Promise<number> {
  const timeZone = await timeZonesOf({ records }, events);
  const receivedAt = records.time();
  const recorded = await records
    .collection(usageEvents, systemScope)
    .insertNew(events.map((event) => ({ ...event, day: dayOfEvent(event, timeZone(event.accountId)), receivedAt })));
  return recorded.length;
}
