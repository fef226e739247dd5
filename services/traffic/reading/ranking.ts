import { createHash } from 'node:crypto';
import type { Picked } from '../../../adapters/records/port.ts';
import { dayText } from '../../../models/calendar-day.ts';
import { scopeOf } from '../../../models/scope.ts';
import { trafficValues } from '../../../models/traffic.ts';
import type { UtcPeriod } from '../../../models/utc-days.ts';
import { otherValue } from '../dimension-value.ts';
import type { FiguresContext } from './figures.ts';
import type { View } from './view.ts';

/** Values whose sums are in memory at a time. */
export const maxValuesInMemory = 500_000;
const pageSize = 5000;

/** Values and the bytes that were delivered for them. */
type Ranked = [value: string, bytes: number][];

/** The largest first, equal ones by value. */
export function byBytes([a, one]: readonly [string, number], [b, other]: readonly [string, number]): number {
  return other - one || (a < b ? -1 : a > b ? 1 : 0);
}

/**
 * The values of a dimension for which most bytes were delivered in a period, without what is beyond the ceiling. Where
 * there are too many values for the memory, they are read several times, a share of them each time.
 */
export async function largestValues(
  app: Pick<FiguresContext, 'records'>,
  view: View,
  period: UtcPeriod,
  dimension: string,
  top: number,
  maxInMemory = maxValuesInMemory,
): Promise<string[]> {
  for (let shares = 1; ; shares *= 4) {
    const largest = await largestOfShares(app, view, period, dimension, top, { shares, maxInMemory });
    if (largest !== null) return largest.map(([value]) => value);
  }
}

async function largestOfShares(
  app: Pick<FiguresContext, 'records'>,
  view: View,
  period: UtcPeriod,
  dimension: string,
  top: number,
  { shares, maxInMemory }: { shares: number; maxInMemory: number },
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
      if (sums.size > maxInMemory) return null;
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
