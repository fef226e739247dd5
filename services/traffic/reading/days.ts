import { dayText } from '../../../models/calendar-day.ts';
import { scopeOf } from '../../../models/scope.ts';
import { trafficDays, type TrafficDay } from '../../../models/traffic.ts';
import type { UtcPeriod } from '../../../models/utc-days.ts';
import { pagesOf, type FiguresContext } from './figures.ts';
import type { View } from './view.ts';

/** The hourly totals of the days of a period. */
export async function* hourlyDays(
  { records }: Pick<FiguresContext, 'records'>,
  { organizations, bucketId }: View,
  { from, to }: UtcPeriod,
): AsyncGenerator<TrafficDay> {
  for (const { id } of organizations) {
    const days = records.collection(trafficDays, scopeOf(id));
    if (bucketId === undefined) {
      yield* pagesOf(
        days,
        {
          filter: { day: { $gte: dayText(from), $lte: dayText(to) } },
          sort: [
            ['day', 1],
            ['bucketId', 1],
          ],
        },
        (document) => [document.day, document.bucketId],
        200,
      );
    } else {
      const ids = Array.from({ length: to - from + 1 }, (_, at) => `${bucketId}:${dayText(from + at)}`);
      yield* await days.getMany(ids);
    }
  }
}
