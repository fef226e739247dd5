import { createHash } from 'node:crypto';
import { systemScope } from '../../models/scope.ts';
import {
  trafficDays,
  trafficValueMonths,
  trafficValues,
  type DimensionOfDay,
  type TrafficDay,
  type TrafficSums,
  type TrafficValue,
  type TrafficValueMonth,
} from '../../models/traffic.ts';
import { applyOnce } from './apply.ts';
import type { CountedDay, CountedDimension, Hours } from './count.ts';
import { noValue, otherValue, unverifiedValue } from './dimension-value.ts';
import type { FoldedBucket } from './fold.ts';
import type { CountingContext } from './ingest.ts';
import { addSums, hoursWith, noSums, sumOfHours } from './sums.ts';

type Context = Pick<CountingContext, 'records'>;

/** Values that stand beside a customer's own: they take no room below the ceiling. */
const specialValues: ReadonlySet<string> = new Set([noValue, unverifiedValue, otherValue]);

/** What was counted of values, by the name of the dimension. */
export type CountedValues = ReadonlyMap<string, ReadonlyMap<string, Hours>>;

/**
 * Adds a group to what traffic analytics counted on one day. Idempotent.
 * @returns the values that were counted, those beyond the ceiling joined
 */
export async function addDay(
  app: Context,
  bucket: FoldedBucket,
  day: string,
  counted: CountedDay,
): Promise<CountedValues> {
  if (Object.keys(counted.hours).length === 0 && counted.missing.size === 0) return new Map();
  const { organizationId, bucketId, fold } = bucket;
  const days = app.records.collection(trafficDays, systemScope);
  const id = `${bucketId}:${day}`;
  const before = await days.get(id);
  // A later group is there: another process has added all of this one.
  if (before !== null && before.fold > fold) return new Map();
  const admitted = new Map<string, Admission>();
  for (const [name, dimension] of counted.dimensions)
    admitted.set(name, await admit(app, bucket, day, name, dimension, before));
  const fresh: TrafficDay = { _id: id, organizationId, bucketId, day, fold: 0, hours: {}, dimensions: {}, missing: [] };
  await applyOnce(days, fold, [fresh], ({ hours, dimensions, missing }) => ({
    hours: hoursWith(hours, counted.hours),
    dimensions: dimensionsWith(dimensions, counted.dimensions, admitted),
    missing: [...new Set([...missing, ...counted.missing])].sort(),
    ...(missing.length + counted.missing.size > 0 ? { missingDay: day } : {}),
  }));
  for (const [name, { values }] of admitted) await addValues(app, bucket, day, name, values);
  return new Map([...admitted].map(([name, { values }]) => [name, values]));
}

/** The values of a dimension with those beyond the ceiling joined. */
interface Admission {
  values: Map<string, Hours>;
  /** Values that are new on this day. */
  added: number;
  room: number;
  isFull: boolean;
}

function ownDimension(day: TrafficDay | null, name: string): DimensionOfDay | undefined {
  return day !== null && Object.hasOwn(day.dimensions, name) ? day.dimensions[name] : undefined;
}

/**
 * Decides which values get sums of their own. The decision is the same whenever this group is added: a value is new if it
 * came with this group or is not there, and the room is that from before the group.
 */
async function admit(
  { records }: Context,
  bucket: FoldedBucket,
  day: string,
  name: string,
  { values, ceiling }: CountedDimension,
  before: TrafficDay | null,
): Promise<Admission> {
  const known = ownDimension(before, name);
  const isAdded = before !== null && before.fold === bucket.fold;
  const room = isAdded && known !== undefined ? known.room : Math.max(0, ceiling - (known?.values ?? 0));
  const ids = new Map([...values.keys()].map((value) => [valueId(bucket, day, name, value), value]));
  const old = new Set<string>();
  const all = [...ids.keys()];
  for (let start = 0; start < all.length; start += 500)
    for (const { _id, first } of await records
      .collection(trafficValues, systemScope)
      .getMany(all.slice(start, start + 500)))
      if (first < bucket.fold) old.add(ids.get(_id) ?? '');
  const fresh = [...values.keys()].filter((value) => !old.has(value) && !specialValues.has(value)).sort();
  const beyond = new Set(fresh.slice(room));
  const kept = new Map([...values].filter(([value]) => !beyond.has(value)));
  if (beyond.size > 0) {
    let other: Hours = kept.get(otherValue) ?? {};
    for (const value of beyond) other = hoursWith(other, values.get(value) ?? {});
    kept.set(otherValue, other);
  }
  return { values: kept, added: fresh.length - beyond.size, room, isFull: beyond.size > 0 };
}

function dimensionsWith(
  before: TrafficDay['dimensions'],
  counted: CountedDay['dimensions'],
  admitted: ReadonlyMap<string, Admission>,
): TrafficDay['dimensions'] {
  const all = new Map(Object.entries(before));
  for (const [name, { hours }] of counted) {
    const known = all.get(name) ?? { hours: {}, values: 0, room: 0, isFull: false };
    const { added = 0, room = 0, isFull = false } = admitted.get(name) ?? {};
    all.set(name, {
      hours: hoursWith(known.hours, hours),
      values: known.values + added,
      room,
      isFull: known.isFull || isFull,
    });
  }
  return Object.fromEntries(all);
}

function valueId({ bucketId }: FoldedBucket, time: string, dimension: string, value: string): string {
  return `${bucketId}:${time}:${dimension}:${createHash('sha256').update(value).digest('base64url').slice(0, 22)}`;
}

async function addValues(
  { records }: Context,
  bucket: FoldedBucket,
  day: string,
  dimension: string,
  values: ReadonlyMap<string, Hours>,
): Promise<void> {
  const { organizationId, bucketId, fold } = bucket;
  const common = { organizationId, bucketId, day, dimension, fold: 0, first: fold, bytes: 0, hours: {} };
  const fresh = [...values.keys()].map((value): TrafficValue => ({
    _id: valueId(bucket, day, dimension, value),
    value,
    ...common,
  }));
  await applyOnce(records.collection(trafficValues, systemScope), fold, fresh, ({ value, bytes, hours }) => {
    const added = values.get(value) ?? {};
    return { bytes: bytes + sumOfHours(added)[0], hours: hoursWith(hours, added) };
  });
}

/** Adds what a group brought to the values of one month. Idempotent. @param days of the month */
export async function addValueMonths(
  { records }: Context,
  bucket: FoldedBucket,
  month: string,
  days: readonly CountedValues[],
): Promise<void> {
  const { organizationId, bucketId, fold } = bucket;
  const sums = new Map<string, { dimension: string; value: string; sum: TrafficSums }>();
  for (const dimensions of days)
    for (const [dimension, values] of dimensions)
      for (const [value, hours] of values) {
        const id = valueId(bucket, month, dimension, value);
        const known = sums.get(id) ?? { dimension, value, sum: noSums() };
        sums.set(id, known);
        addSums(known.sum, sumOfHours(hours));
      }
  const common = { organizationId, bucketId, month, fold: 0, bytes: 0, requests: 0, hits: 0, misses: 0 };
  const fresh = [...sums].map(([_id, { dimension, value }]): TrafficValueMonth => ({
    _id,
    dimension,
    value,
    ...common,
  }));
  await applyOnce(records.collection(trafficValueMonths, systemScope), fold, fresh, (before) => {
    const [bytes, requests, hits, misses] = sums.get(before._id)?.sum ?? noSums();
    return {
      bytes: before.bytes + bytes,
      requests: before.requests + requests,
      hits: before.hits + hits,
      misses: before.misses + misses,
    };
  });
}
