import type { Collection } from '../../../adapters/records/port.ts';
import { buckets, type Bucket } from '../../../models/bucket.ts';
import { Refusal } from '../../../models/errors.ts';
import { regionGroups, type RegionGroup } from '../../../models/region-group.ts';
import { scopeOf } from '../../../models/scope.ts';
import { trafficMonths, type TrafficMonth, type TrafficOfDay, type Volume } from '../../../models/traffic.ts';
import { daysOfMonth, monthsOf, type UtcPeriod } from '../../../models/utc-days.ts';
import type { CountingContext } from '../ingest.ts';

/** The parts of the app that reading traffic uses. */
export type FiguresContext = Pick<CountingContext, 'records' | 'runtime'>;

/** GB of 2^30 bytes, rounded to six decimals. Exact: the division is of integers. */
export function gigabytes(bytes: number): number {
  return Number((BigInt(bytes) * 1_000_000n + 2n ** 29n) / 2n ** 30n) / 1e6;
}

/** Volumes by region group. */
export type GroupVolumes = { [G in RegionGroup]: Volume };

/** No volume of any region group. */
export function noVolumes(): GroupVolumes {
  return {
    'india-asia': [0, 0],
    'europe-north-america': [0, 0],
    'latin-america': [0, 0],
    'middle-east-africa': [0, 0],
  };
}

/** Adds a day's traffic to volumes. */
export function addVolumes(volumes: GroupVolumes, { groups }: Pick<TrafficOfDay, 'groups'>): void {
  for (const group of regionGroups) {
    const [bytes, requests] = groups[group] ?? [0, 0];
    volumes[group][0] += bytes;
    volumes[group][1] += requests;
  }
}

/** The sum of volumes. */
export function sumOfVolumes(volumes: GroupVolumes): Volume {
  const sum: Volume = [0, 0];
  for (const group of regionGroups) {
    sum[0] += volumes[group][0];
    sum[1] += volumes[group][1];
  }
  return sum;
}

const pageSize = 500;

/** Every document of a query, page by page. @param place the values of the sort fields */
export async function* pagesOf<T extends { _id: string }>(
  collection: Collection<T>,
  query: Omit<Parameters<Collection<T>['find']>[0], 'limit' | 'after'>,
  place: (document: T) => (string | number)[],
  limit = pageSize,
): AsyncGenerator<T> {
  for (let after: (string | number)[] | null = null; ;) {
    const page: T[] = await collection.find({ ...query, limit, ...(after === null ? {} : { after }) });
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < limit) return;
    after = place(last);
  }
}

/**
 * The months of an organization's buckets that a period touches. Its cost grows with buckets and months, never with
 * requests.
 * @param bucketId one bucket alone
 */
export async function* monthsIn(
  { records }: FiguresContext,
  organizationId: string,
  period: UtcPeriod,
  bucketId?: string,
): AsyncGenerator<TrafficMonth> {
  const months = records.collection(trafficMonths, scopeOf(organizationId));
  const names = monthsOf(period);
  if (bucketId !== undefined) {
    yield* await months.getMany(names.map((month) => `${bucketId}:${month}`));
    return;
  }
  yield* pagesOf(
    months,
    {
      filter: { month: { $gte: names[0] ?? '', $lte: names.at(-1) ?? '' } },
      sort: [
        ['month', 1],
        ['bucketId', 1],
      ],
    },
    ({ month, bucketId: id }) => [month, id],
  );
}

/** The days of a month's document that lie in a period. */
export function* daysIn(
  { month, days }: TrafficMonth,
  { from, to }: UtcPeriod,
): Generator<[day: number, TrafficOfDay]> {
  const first = daysOfMonth(month).from - 1;
  for (const [name, counted] of Object.entries(days)) {
    const day = first + Number(name);
    if (day >= from && day <= to) yield [day, counted];
  }
}

/** A bucket of an organization. @throws Refusal `bucket_not_found` */
export async function bucketOf(
  { records }: Pick<FiguresContext, 'records'>,
  organizationId: string,
  bucketId: string,
): Promise<Bucket> {
  const bucket = await records.collection(buckets, scopeOf(organizationId)).get(bucketId);
  if (bucket === null) throw new Refusal('bucket_not_found');
  return bucket;
}

/** Names of an organization's buckets by id; of one that is gone, its id. */
export async function bucketNames(
  { records }: Pick<FiguresContext, 'records'>,
  organizationId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const names = new Map(ids.map((id) => [id, id]));
  const collection = records.collection(buckets, scopeOf(organizationId));
  for (let start = 0; start < ids.length; start += pageSize)
    for (const { _id, name } of await collection.getMany(ids.slice(start, start + pageSize))) names.set(_id, name);
  return names;
}
