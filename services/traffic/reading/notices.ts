import { dayText } from '../../../models/calendar-day.ts';
import { buckets } from '../../../models/bucket.ts';
import { scopeOf } from '../../../models/scope.ts';
import { trafficDays } from '../../../models/traffic.ts';
import { utcDay, type UtcPeriod } from '../../../models/utc-days.ts';
import { pagesOf, type FiguresContext } from './figures.ts';
import type { TrafficAnalytics } from './series.ts';
import type { View } from './view.ts';

type Notice = TrafficAnalytics['notices'][number];

/** Notices of one answer. */
const maxNotices = 200;

/** Days on which a dimension had values beyond its ceiling, by organization. */
export type FullDays = ReadonlyMap<string, ReadonlySet<number>>;

/** What readers of the figures of a period should know. */
export async function noticesOf(
  app: FiguresContext,
  view: View,
  period: UtcPeriod,
  dimension: string | undefined,
  full: FullDays,
): Promise<Notice[]> {
  const notices = runsOf(full, 'ceiling_reached', dimension ?? null);
  for (const { id } of view.organizations) {
    if (notices.length >= maxNotices) break;
    notices.push(...runsOf(new Map([[id, await missingDays(app, id, view, period)]]), 'hours_missing', null));
    if (await isAnyOff(app, id, view)) {
      const [from, to] = [dayText(period.from), dayText(period.to)];
      notices.push({ kind: 'logging_disabled', organization: id, dimension: null, from, to });
    }
  }
  return notices.slice(0, maxNotices);
}

/** Days that follow each other are one notice. */
function runsOf(days: FullDays, kind: Notice['kind'], dimension: string | null): Notice[] {
  const notices: Notice[] = [];
  for (const [organization, found] of days) {
    let last = Number.NaN;
    for (const day of [...found].sort((a, b) => a - b)) {
      const notice = notices.at(-1);
      if (day === last + 1 && notice !== undefined) notice.to = dayText(day);
      else notices.push({ kind, organization, dimension, from: dayText(day), to: dayText(day) });
      last = day;
    }
  }
  return notices;
}

/** Days of which an edge lost responses. */
async function missingDays(
  { records }: Pick<FiguresContext, 'records'>,
  organizationId: string,
  { bucketId }: View,
  { from, to }: UtcPeriod,
): Promise<Set<number>> {
  const found = await records.collection(trafficDays, scopeOf(organizationId)).pick(
    {
      filter: { missingDay: { $gte: dayText(from), $lte: dayText(to) } },
      sort: [['missingDay', 1]],
      limit: 10_000,
    },
    ['missingDay', 'bucketId'],
  );
  const own = found.filter(([, bucket]) => bucketId === undefined || bucket === bucketId);
  return new Set(own.map(([day]) => utcDay(String(day)) ?? 0));
}

/** Whether traffic analytics are off for a bucket whose traffic is read. */
async function isAnyOff(
  { records }: Pick<FiguresContext, 'records'>,
  organizationId: string,
  { bucketId }: View,
): Promise<boolean> {
  const all = records.collection(buckets, scopeOf(organizationId));
  if (bucketId !== undefined) return (await all.get(bucketId))?.settings.analytics.enabled === false;
  const listed = pagesOf(
    all,
    {
      filter: { listedAt: { $exists: true } },
      sort: [
        ['listedAt', 1],
        ['_id', 1],
      ],
    },
    ({ createdAt, _id }) => [createdAt, _id],
  );
  for await (const { state, settings } of listed) if (state === 'active' && !settings.analytics.enabled) return true;
  return false;
}
