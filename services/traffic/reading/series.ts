import { dayText } from '../../../models/calendar-day.ts';
import type { Caller } from '../../../models/api.ts';
import { invalid } from '../../../models/errors.ts';
import type { trafficAnalyticsAnswer } from '../../../models/schemas/answers/delivery-analytics.ts';
import type { trafficAnalyticsQuery } from '../../../models/schemas/delivery-analytics.ts';
import type { Infer, Shape } from '../../../models/schemas/schema.ts';
import { scopeOf } from '../../../models/scope.ts';
import { trafficValues } from '../../../models/traffic.ts';
import { checkPeriod, isProvisional, utcDay, type UtcPeriod } from '../../../models/utc-days.ts';
import { otherValue } from '../dimension-value.ts';
import { addSums, noSums, sumOfHours } from '../sums.ts';
import { hourlyDays } from './days.ts';
import { bucketNames, daysIn, monthsIn, pagesOf, type FiguresContext } from './figures.ts';
import { noticesOf } from './notices.ts';
import { byBytes, largestValues } from './ranking.ts';
import { Series, stepsOf, type Steps } from './steps.ts';
import { viewOf, type View } from './view.ts';

/** Answer of GET /analytics/delivery. */
export type TrafficAnalytics = Infer<typeof trafficAnalyticsAnswer>;
type Query = Shape<typeof trafficAnalyticsQuery>;

/** Longest period, in days. */
const maxDays = 403;
const maxCountries = 10;
/** Values that are read at a time. */
const valuesTogether = 5;

/**
 * What traffic analytics counted: series by value, bucket or organization, totals and countries.
 * @throws Refusal `validation_error`, `bucket_not_found`, `too_many_organizations`; StoreUnavailable
 */
export async function trafficAnalytics(
  app: FiguresContext,
  caller: Pick<Caller, 'accountId' | 'organizationId'>,
  query: Query,
): Promise<TrafficAnalytics> {
  const { from, to, bucketId, dimension, groupBy } = query;
  const period = { from, to };
  checkPeriod(period, maxDays);
  if (dimension !== undefined && groupBy !== 'value')
    throw invalid(['query', 'groupBy'], 'query.groupBy must be value where a dimension is asked for.');
  const view = await viewOf(app, caller, bucketId);
  const steps = stepsOf(period);
  const summary = await summaryOf(app, view, period);
  const full = new Map<string, Set<number>>();
  const series =
    dimension !== undefined
      ? await valueSeries(app, view, period, steps, { ...query, dimension }, full)
      : groupBy === 'value'
        ? [{ key: 'total', points: (await groupedSeries(app, view, period, steps, () => null)).rest.points }]
        : await largestSeries(app, view, period, steps, query, summary);
  const [bytes, requests, cacheHits, cacheMisses, of2xx, of3xx, of4xx, of5xx] = summary.totals;
  return {
    from: dayText(from),
    to: dayText(to),
    resolution: steps.resolution,
    timezone: 'UTC',
    bucketId: bucketId ?? null,
    dimension: dimension ?? null,
    groupBy,
    series,
    totals: {
      bytes,
      requests,
      cacheHits,
      cacheMisses,
      status: { '2xx': of2xx, '3xx': of3xx, '4xx': of4xx, '5xx': of5xx },
    },
    topCountries: [...summary.countries]
      .toSorted(byBytes)
      .slice(0, maxCountries)
      .map(([country, count]) => ({ country, requests: count })),
    notices: await noticesOf(app, view, period, dimension, full),
    provisional: isProvisional(to, app.runtime.now()),
  };
}

/** What the daily totals say of a period. */
interface Summary {
  totals: ReturnType<typeof noSums>;
  countries: Map<string, number>;
  /** Bytes and requests of each bucket, and its organization. */
  buckets: Map<string, { organizationId: string; bytes: number; requests: number }>;
}

async function summaryOf(app: FiguresContext, view: View, period: UtcPeriod): Promise<Summary> {
  const summary: Summary = { totals: noSums(), countries: new Map(), buckets: new Map() };
  for (const { id } of view.organizations)
    for await (const month of monthsIn(app, id, period, view.bucketId))
      for (const [, { sums, countries = {} }] of daysIn(month, period)) {
        if (sums === undefined) continue;
        addSums(summary.totals, sums);
        const bucket = summary.buckets.get(month.bucketId) ?? { organizationId: id, bytes: 0, requests: 0 };
        summary.buckets.set(month.bucketId, bucket);
        bucket.bytes += sums[0];
        bucket.requests += sums[1];
        for (const [country, requests] of Object.entries(countries))
          summary.countries.set(country, (summary.countries.get(country) ?? 0) + requests);
      }
  return summary;
}

/** Series by key; `rest` is of everything whose key is null. */
async function groupedSeries(
  app: FiguresContext,
  view: View,
  period: UtcPeriod,
  steps: Steps,
  keyOf: (counted: { organizationId: string; bucketId: string }) => string | null,
): Promise<{ byKey: Map<string, Series>; rest: Series }> {
  const byKey = new Map<string, Series>();
  const rest = new Series(steps);
  const seriesOf = (counted: { organizationId: string; bucketId: string }): Series => {
    const key = keyOf(counted);
    if (key === null) return rest;
    const series = byKey.get(key) ?? new Series(steps);
    byKey.set(key, series);
    return series;
  };
  if (steps.resolution === 'hour') {
    for await (const counted of hourlyDays(app, view, period))
      for (const [hour, sums] of Object.entries(counted.hours))
        seriesOf(counted).add(sums, utcDay(counted.day) ?? 0, Number(hour));
    return { byKey, rest };
  }
  for (const { id } of view.organizations)
    for await (const month of monthsIn(app, id, period, view.bucketId))
      for (const [day, { sums }] of daysIn(month, period)) if (sums !== undefined) seriesOf(month).add(sums, day);
  return { byKey, rest };
}

/** Series of the buckets, or organizations, with most bytes; `other` holds the rest. */
async function largestSeries(
  app: FiguresContext,
  view: View,
  period: UtcPeriod,
  steps: Steps,
  { groupBy, top }: Query,
  { buckets }: Summary,
): Promise<TrafficAnalytics['series']> {
  const bytesByKey = new Map<string, number>();
  for (const [bucketId, { organizationId, bytes, requests }] of buckets) {
    if (requests === 0) continue;
    const key = groupBy === 'bucket' ? bucketId : organizationId;
    bytesByKey.set(key, (bytesByKey.get(key) ?? 0) + bytes);
  }
  const keys = [...bytesByKey].sort(byBytes).slice(0, top);
  const shown = new Set(keys.map(([key]) => key));
  const { byKey, rest } = await groupedSeries(app, view, period, steps, ({ bucketId, organizationId }) => {
    const key = groupBy === 'bucket' ? bucketId : organizationId;
    return shown.has(key) ? key : null;
  });
  const labels = new Map(view.organizations.map(({ id, name }) => [id, name]));
  if (groupBy === 'bucket')
    for (const { id } of view.organizations) {
      const own = [...shown].filter((key) => buckets.get(key)?.organizationId === id);
      for (const [bucketId, name] of await bucketNames(app, id, own)) labels.set(bucketId, name);
    }
  const series = keys.map(([key]) => ({
    key,
    label: labels.get(key) ?? key,
    points: (byKey.get(key) ?? new Series(steps)).points,
  }));
  return rest.isEmpty ? series : [...series, { key: otherValue, points: rest.points }];
}

/**
 * Series of the values with most bytes; `other` holds the rest, and what was beyond the ceiling.
 * @param full gets the days on which there were values beyond the ceiling, by organization
 */
async function valueSeries(
  app: FiguresContext,
  view: View,
  period: UtcPeriod,
  steps: Steps,
  { dimension, top }: { dimension: string; top: number },
  full: Map<string, Set<number>>,
): Promise<TrafficAnalytics['series']> {
  const rest = new Series(steps);
  let valueDays = 0;
  for await (const { organizationId, day, dimensions } of hourlyDays(app, view, period)) {
    const counted = Object.hasOwn(dimensions, dimension) ? dimensions[dimension] : undefined;
    if (counted === undefined) continue;
    valueDays += counted.values;
    const number = utcDay(day) ?? 0;
    for (const [hour, sums] of Object.entries(counted.hours)) rest.add(sums, number, Number(hour));
    if (counted.isFull) full.set(organizationId, (full.get(organizationId) ?? new Set()).add(number));
  }
  if (rest.isEmpty) return [];
  const series: TrafficAnalytics['series'] = [];
  const values = await largestValues(app, view, period, dimension, { top, valueDays });
  for (let start = 0; start < values.length; start += valuesTogether) {
    const some = values.slice(start, start + valuesTogether);
    const read = await Promise.all(
      some.map(async (value) => ({ value, own: await seriesOfValue(app, view, period, steps, dimension, value) })),
    );
    for (const { value, own } of read) {
      rest.subtract(own);
      series.push({ key: value, points: own.points });
    }
  }
  return rest.isEmpty ? series : [...series, { key: otherValue, points: rest.points }];
}

async function seriesOfValue(
  { records }: FiguresContext,
  { organizations, bucketId }: View,
  { from, to }: UtcPeriod,
  steps: Steps,
  dimension: string,
  value: string,
): Promise<Series> {
  const series = new Series(steps);
  for (const { id } of organizations) {
    const found = pagesOf(
      records.collection(trafficValues, scopeOf(id)),
      {
        filter: {
          dimension,
          value,
          day: { $gte: dayText(from), $lte: dayText(to) },
          ...(bucketId === undefined ? {} : { bucketId }),
        },
        sort: [
          ['day', 1],
          ['bucketId', 1],
        ],
      },
      (document) => [document.day, document.bucketId],
    );
    for await (const { day, hours } of found) {
      const number = utcDay(day) ?? 0;
      if (steps.resolution !== 'hour') series.add(sumOfHours(hours), number);
      else for (const [hour, sums] of Object.entries(hours)) series.add(sums, number, Number(hour));
    }
  }
  return series;
}
