import { createHash } from 'node:crypto';
import type { Picked } from '../../../adapters/records/port.ts';
import { dayText } from '../../../models/calendar-day.ts';
import { scopeOf, systemScope } from '../../../models/scope.ts';
import { trafficValues } from '../../../models/traffic.ts';
import type { UtcPeriod } from '../../../models/utc-days.ts';
import { otherValue } from '../dimension-value.ts';
import type { FiguresContext } from './figures.ts';
import type { View } from './view.ts';

/** Values of days that the store adds up at once, and values whose sums are in memory at a time. */
const maxInMemory = 500_000;
const pageSize = 5000;

/** Values and the bytes that were delivered for them. */
type Ranked = [value: string, bytes: number][];

/** The largest first, equal ones by value. */
export function byBytes([a, one]: readonly [string, number], [b, other]: readonly [string, number]): number {
  return other - one || (a < b ? -1 : a > b ? 1 : 0);
}

/**
 * The values of a dimension for which most bytes were delivered in a period, without what is beyond the ceiling. The
 * store adds them up. Where that would take it too much memory they are walked instead, which takes ten times as long: as
 * often as is needed so that the sums of a share of them fit.
 * @param valueDays values of each bucket and day in the period, together
 */
export async function largestValues(
  app: Pick<FiguresContext, 'records'>,
  view: View,
  period: UtcPeriod,
  dimension: string,
  { top, valueDays }: { top: number; valueDays: number },
  most = maxInMemory,
): Promise<string[]> {
  if (valueDays <= most) return addedUp(app, view, period, dimension, top);
  for (let shares = 1; ; shares *= 4) {
    const largest = await largestOfShares(app, view, period, dimension, top, { shares, most });
    if (largest !== null) return largest.map(([value]) => value);
  }
}

async function addedUp(
  { records }: Pick<FiguresContext, 'records'>,
  { organizations, bucketId }: View,
  { from, to }: UtcPeriod,
  dimension: string,
  top: number,
): Promise<string[]> {
  const filter = {
    organizationId: { $in: organizations.map(({ id }) => id) },
    dimension,
    day: { $gte: dayText(from), $lte: dayText(to) },
    value: { $ne: otherValue },
    ...(bucketId === undefined ? {} : { bucketId }),
  };
  // Of all organizations of the view at once: a value may be in each of them.
  const values = records.collection(trafficValues, systemScope);
  return (await values.largestSums(filter, 'value', 'bytes', top)).map(([value]) => value);
}

async function largestOfShares(
  app: Pick<FiguresContext, 'records'>,
  view: View,
  period: UtcPeriod,
  dimension: string,
  top: number,
  { shares, most }: { shares: number; most: number },
): Promise<Ranked | null> {
  let largest: Ranked = [];
  for (let share = 0; share < shares; share += 1) {
    const sums = new Map<string, number>();
    for await (const page of valuesIn(app, view, period, dimension)) {
      for (const [, value, bytes] of page) {
        const name = String(value);
        if (name === otherValue || (shares > 1 && shareOf(name) % shares !== share)) continue;
        sums.set(name, (sums.get(name) ?? 0) + Number(bytes));
      }
      if (sums.size > most) return null;
    }
    largest = [...largest, ...sums].sort(byBytes).slice(0, top);
  }
  return largest;
}

function shareOf(value: string): number {
  return createHash('sha256').update(value).digest().readUInt32BE(0);
}

/** Pages of bucket, value and bytes. Each is a run of one index: a day of an organization or bucket. */
async function* valuesIn(
  { records }: Pick<FiguresContext, 'records'>,
  { organizations, bucketId }: View,
  { from, to }: UtcPeriod,
  dimension: string,
): AsyncGenerator<Picked[]> {
  for (const { id } of organizations) {
    const values = records.collection(trafficValues, scopeOf(id));
    for (let day = from; day <= to; day += 1)
      for (let after: string[] | null = null; ;) {
        const page: Picked[] = await values.pick(
          {
            filter: { dimension, day: dayText(day), ...(bucketId === undefined ? {} : { bucketId }) },
            sort: [
              ['bucketId', 1],
              ['value', 1],
            ],
            limit: pageSize,
            ...(after === null ? {} : { after }),
          },
          ['bucketId', 'value', 'bytes'],
        );
        yield page;
        const last = page.at(-1);
        if (last === undefined || page.length < pageSize) break;
        after = last.slice(0, 2).map(String);
      }
  }
}
