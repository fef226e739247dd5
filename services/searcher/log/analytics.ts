import type { AppContext } from '../../../mixins/app-context.ts';
import { settingsOf } from '../../../mixins/settings/settings.ts';
import { isoTime } from '../../../models/runtime.ts';
import type { SearchAnalytics, Suggestions } from '../../../models/analytics.ts';
import type { Caller } from '../../../models/api.ts';
import { calendarDay, dayText } from '../../../models/calendar-day.ts';
import { scopeOf } from '../../../models/scope.ts';
import { loggedQueries, searchDays, searchLogs, type SearchDay } from '../../../models/search-log.ts';
import { meanOf, medianOf } from './statistics.ts';
import { suggest } from './suggest.ts';
import { timeZones, type TimeZones } from './time-zone.ts';
import { topQueries } from './top-queries.ts';

const millisecondsOfADay = 86_400_000;

/** The parts of the app context that reading the log uses. */
export type ReadingContext = Pick<AppContext, 'runtime' | 'records'>;

/** Reads of the search log. */
export interface SearchLogReader {
  suggest(caller: Caller, prefix: string, limit: number): Promise<Suggestions>;
  analytics(caller: Caller, days: number, limit: number): Promise<SearchAnalytics>;
}

function summaryOf(days: readonly SearchDay[]): SearchAnalytics['summary'] {
  const sum = (field: 'searches' | 'withResults' | 'results' | 'answers'): number =>
    days.reduce((total, day) => total + day[field], 0);
  const latency = new Map<string, number>();
  for (const day of days)
    for (const [bucket, count] of Object.entries(day.latency)) latency.set(bucket, (latency.get(bucket) ?? 0) + count);
  const [searches, withResults] = [sum('searches'), sum('withResults')];
  return {
    searches,
    withResults,
    withoutResults: searches - withResults,
    answers: sum('answers'),
    meanResults: meanOf(sum('results'), searches),
    medianMilliseconds: medianOf(latency),
  };
}

function dailyOf(days: readonly SearchDay[], firstDay: number, lastDay: number): SearchAnalytics['daily'] {
  const byDay = new Map(days.map((day) => [day.day, day]));
  return Array.from({ length: lastDay - firstDay + 1 }, (_, at) => {
    const day = byDay.get(firstDay + at);
    return {
      day: dayText(firstDay + at),
      searches: day?.searches ?? 0,
      withoutResults: day === undefined ? 0 : day.searches - day.withResults,
    };
  });
}

async function analyticsOf(
  { runtime, records }: ReadingContext,
  zones: TimeZones,
  searchLogDays: number,
  caller: Caller,
  windowDays: number,
  limit: number,
): Promise<SearchAnalytics> {
  const scope = scopeOf(caller.organizationId);
  const now = runtime.now();
  const lastDay = calendarDay(now, await zones.ofAccount(caller.accountId));
  const firstDay = lastDay - windowDays + 1;
  const textDays = Math.min(windowDays, searchLogDays);
  const [days, state] = await Promise.all([
    records.collection(searchDays, scope).find({
      filter: { day: { $gte: firstDay, $lte: lastDay } },
      sort: [
        ['day', 1],
        ['_id', 1],
      ],
      limit: windowDays,
    }),
    records.collection(searchLogs, scope).get(caller.organizationId),
  ]);
  const firstTextDay = lastDay - textDays + 1;
  // A calendar day has at most 25 hours; one more allows for a change of the zone's offset.
  const since = now - textDays * millisecondsOfADay - millisecondsOfADay / 12;
  const searches = days.reduce((sum, { day, searches: ofDay }) => sum + (day >= firstTextDay ? ofDay : 0), 0);
  const { searches: top, withoutResults: without } = await topQueries(
    records.collection(loggedQueries, scope),
    { firstDay: firstTextDay, lastDay, since, searches },
    limit,
  );
  return {
    summary: summaryOf(days),
    topQueries: top.map(({ stored, searches, results }) => ({
      query: stored.query,
      searches,
      meanResults: meanOf(results, searches),
      lastSearchedAt: isoTime(stored.lastSearchedAt),
    })),
    daily: dailyOf(days, firstDay, lastDay),
    withoutResults: without.map(({ stored, withoutResults }) => ({
      query: stored.query,
      searches: withoutResults,
      lastSearchedAt: isoTime(stored.lastWithoutAt ?? stored.lastSearchedAt),
    })),
    windowDays,
    recordingSince: searchLogDays === 0 ? null : isoTime(state?.recordingSince ?? null),
  };
}

/**
 * Opens the search log for reading. Texts older than `searchLogDays` are excluded, even if they are not yet removed.
 */
export function searchLogReader(app: ReadingContext): SearchLogReader {
  const zones = timeZones(app);
  return {
    async suggest(caller, prefix, limit) {
      const { searchLogDays } = await settingsOf(app, caller.organizationId);
      if (searchLogDays === 0) return { prefix, items: [] };
      return suggest(app.records.collection(loggedQueries, scopeOf(caller.organizationId)), prefix, limit);
    },
    async analytics(caller, days, limit) {
      const { searchLogDays } = await settingsOf(app, caller.organizationId);
      return analyticsOf(app, zones, searchLogDays, caller, days, limit);
    },
  };
}
