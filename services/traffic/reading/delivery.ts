import { dayText } from '../../../models/calendar-day.ts';
import type { Caller } from '../../../models/api.ts';
import { regionGroupLabels, regionGroups } from '../../../models/region-group.ts';
import type { deliveryAnalyticsAnswer } from '../../../models/schemas/answers/delivery-analytics.ts';
import type { Infer } from '../../../models/schemas/schema.ts';
import type { Volume } from '../../../models/traffic.ts';
import { checkPeriod, isProvisional, type UtcPeriod } from '../../../models/utc-days.ts';
import {
  addVolumes,
  bucketNames,
  bucketOf,
  daysIn,
  gigabytes,
  monthsIn,
  noVolumes,
  sumOfVolumes,
  type FiguresContext,
  type GroupVolumes,
} from './figures.ts';

/** Answer of GET /delivery/analytics. */
export type DeliveryAnalytics = Infer<typeof deliveryAnalyticsAnswer>;

/** Longest period of GET /delivery/analytics, in days. */
const maxDays = 93;
/** Buckets that are listed. */
const maxBuckets = 100;

/**
 * What an organization delivered by day, region group and bucket.
 * @throws Refusal `validation_error`, `bucket_not_found`; StoreUnavailable
 */
export async function deliveryAnalytics(
  app: FiguresContext,
  { organizationId }: Pick<Caller, 'organizationId'>,
  { from, to, bucketId }: UtcPeriod & { bucketId?: string | undefined },
): Promise<DeliveryAnalytics> {
  checkPeriod({ from, to }, maxDays);
  if (bucketId !== undefined) await bucketOf(app, organizationId, bucketId);
  const days = Array.from({ length: to - from + 1 }, noVolumes);
  const byBucket = new Map<string, Volume>();
  for await (const month of monthsIn(app, organizationId, { from, to }, bucketId)) {
    const ofBucket = noVolumes();
    for (const [day, counted] of daysIn(month, { from, to })) {
      addVolumes(days[day - from] ?? noVolumes(), counted);
      addVolumes(ofBucket, counted);
    }
    const sum = sumOfVolumes(ofBucket);
    const [bytes, requests] = byBucket.get(month.bucketId) ?? [0, 0];
    byBucket.set(month.bucketId, [bytes + sum[0], requests + sum[1]]);
  }
  const all = noVolumes();
  for (const groups of days) addVolumes(all, { groups });
  const largest =
    bucketId === undefined
      ? [...byBucket]
          .filter(([, [, requests]]) => requests > 0)
          .toSorted(([a, one], [b, other]) => other[0] - one[0] || other[1] - one[1] || (a < b ? -1 : 1))
          .slice(0, maxBuckets)
      : [];
  const names = await bucketNames(
    app,
    organizationId,
    largest.map(([id]) => id),
  );
  return {
    from: dayText(from),
    to: dayText(to),
    bucketId: bucketId ?? null,
    totals: volumeView(sumOfVolumes(all)),
    days: days.map((groups, at) => ({
      day: dayText(from + at),
      ...volumeView(sumOfVolumes(groups)),
      provisional: isProvisional(from + at, app.runtime.now()),
      regionGroups: groupViews(groups),
    })),
    regionGroups: groupViews(all),
    buckets: largest.map(([id, volume]) => ({
      bucketId: id,
      bucketName: names.get(id) ?? id,
      ...volumeView(volume),
    })),
  };
}

function volumeView([bytes, requests]: Volume): { gb: number; requests: number } {
  return { gb: gigabytes(bytes), requests };
}

function groupViews(volumes: GroupVolumes): DeliveryAnalytics['regionGroups'] {
  return regionGroups.map((regionGroup) => ({
    regionGroup,
    label: regionGroupLabels[regionGroup],
    ...volumeView(volumes[regionGroup]),
  }));
}
