import { dayText } from '../../../models/calendar-day.ts';
import type { Caller } from '../../../models/api.ts';
import { readCursor, writeCursor } from '../../../models/cursor.ts';
import { regionGroups } from '../../../models/region-group.ts';
import type { resourceUsageAnswer } from '../../../models/schemas/answers/delivery-analytics.ts';
import type { resourceUsageQuery } from '../../../models/schemas/delivery-analytics.ts';
import type { Infer, Shape } from '../../../models/schemas/schema.ts';
import {
  checkPeriod,
  daysOfMonth,
  isProvisional,
  monthsOf,
  utcDayOf,
  type UtcPeriod,
} from '../../../models/utc-days.ts';
import { bucketNames, daysIn, monthsIn, type FiguresContext } from './figures.ts';
import { hostnamesOf, resourceRows } from './resource-rows.ts';

/** Answer of GET /usage/resources. */
export type ResourceUsage = Infer<typeof resourceUsageAnswer>;
type Row = ResourceUsage['items'][number];
type Place = [day: string, resourceId: string, metric: string, dimension: string];

/** Longest period, in days. */
const maxDays = 93;

function isPlace(place: readonly unknown[]): place is Place {
  return place.length === 4 && place.every((value) => typeof value === 'string');
}

function placeOf({ day, resourceId, metric, dimension }: Row): Place {
  return [day, resourceId, metric, dimension ?? ''];
}

function compare(one: Place, other: Place): number {
  for (const [at, value] of one.entries()) {
    const against = other[at] ?? '';
    if (value !== against) return value < against ? -1 : 1;
  }
  return 0;
}

/** A period whose ends were left out in part: from the first of the running month, to the end of the month of `from`. */
export function completedPeriod(now: number, from: number | undefined, to: number | undefined): UtcPeriod {
  const first = from ?? daysOfMonth(dayText(utcDayOf(now)).slice(0, 7)).from;
  return { from: first, to: to ?? daysOfMonth(dayText(first).slice(0, 7)).to };
}

/**
 * What each bucket and domain of an organization used, by day: delivery by region group, all else by region.
 * @throws Refusal `validation_error`; StoreUnavailable
 */
export async function resourceUsage(
  app: FiguresContext,
  { organizationId }: Pick<Caller, 'organizationId'>,
  query: Shape<typeof resourceUsageQuery>,
): Promise<ResourceUsage> {
  const { metric, bucketId, limit } = query;
  const period = completedPeriod(app.runtime.now(), query.from, query.to);
  checkPeriod(period, maxDays);
  const after = query.cursor === undefined ? null : readCursor(query.cursor, isPlace);
  const items: Row[] = [];
  for (const month of monthsOf(period)) {
    if (after !== null && month < after[0].slice(0, 7)) continue;
    // A month at a time: what is in memory grows with the buckets alone.
    const { from, to } = daysOfMonth(month);
    const part = { from: Math.max(from, period.from), to: Math.min(to, period.to) };
    const rows = [
      ...(await rowsOf(app, organizationId, part, bucketId)),
      ...(await resourceRows(app, organizationId, month, part, bucketId)),
    ];
    const fitting = rows
      .filter(
        (row) =>
          (metric === undefined || row.metric === metric) && (after === null || compare(placeOf(row), after) > 0),
      )
      .toSorted((one, other) => compare(placeOf(one), placeOf(other)));
    // One more shows whether there is another page.
    items.push(...fitting.slice(0, limit + 1 - items.length));
    if (items.length > limit) break;
  }
  const page = items.slice(0, limit);
  const last = page.at(-1);
  const ids = [...new Set(page.map(({ resourceId }) => resourceId))];
  const named = await bucketNames(app, organizationId, ids);
  const hostnames = await hostnamesOf(
    app,
    organizationId,
    // A bucket that is not there is named by its id.
    ids.filter((id) => named.get(id) === id && id !== organizationId),
  );
  const names = new Map([...named, ...hostnames]);
  return {
    items: page.map((row) => ({
      ...row,
      resourceName: row.resourceId === organizationId ? null : (names.get(row.resourceId) ?? null),
    })),
    ...(last !== undefined && items.length > limit ? { nextCursor: writeCursor(placeOf(last)) } : {}),
  };
}

async function rowsOf(
  app: FiguresContext,
  organizationId: string,
  period: UtcPeriod,
  onlyBucket: string | undefined,
): Promise<Row[]> {
  const now = app.runtime.now();
  const rows: Row[] = [];
  for await (const month of monthsIn(app, organizationId, period, onlyBucket))
    for (const [day, { groups }] of daysIn(month, period))
      for (const dimension of regionGroups) {
        const [bytes, requests] = groups[dimension] ?? [0, 0];
        const common = {
          resourceId: month.bucketId,
          resourceName: null,
          day: dayText(day),
          dimension,
          provisional: isProvisional(day, now),
        };
        if (bytes > 0) rows.push({ ...common, metric: 'delivery_gb', quantity: bytes / 2 ** 30, unit: 'GB' });
        if (requests > 0)
          rows.push({ ...common, metric: 'requests_millions', quantity: requests / 1e6, unit: 'million' });
      }
  return rows;
}
