import { pendUsage } from '../../mixins/accounts/pending-usage.ts';
import { organizations } from '../../models/organization.ts';
import { regionGroups } from '../../models/region-group.ts';
import { systemScope } from '../../models/scope.ts';
import {
  trafficFolds,
  trafficMonths,
  trafficParts,
  trafficWriters,
  type TrafficFold,
  type TrafficMonth,
  type TrafficOfDay,
  type TrafficPart,
} from '../../models/traffic.ts';
import type { NewUsageEvent } from '../../models/usage-event.ts';
import { applyOnce, inGroups } from './apply.ts';
import { countParts, type CountedDay } from './count.ts';
import { addDay, addValueMonths, type CountedValues } from './fold-day.ts';
import { wasRemoved, type CountingContext } from './ingest.ts';
import { addSums, noSums } from './sums.ts';

/*
 * Parts become totals in numbered groups. The document of a bucket's folding names the parts of the current group; each
 * document of totals names the last group that it contains, and takes a group in only if its number is higher. So a group
 * can be added again after a crash, and by several processes at once, and counts once. A group ends when none of its parts
 * waits any more; then the next one begins.
 */

/** Parts and responses of one group, and buckets of one round, at most. */
const maxParts = 50;
const maxRows = 20_000;
const maxBuckets = 200;

type Context = Pick<CountingContext, 'records'>;

/** Adds waiting parts of the buckets that have waited longest to their totals. Returns how many parts were added. */
export async function foldRound(app: Context, isStopping: () => boolean = () => false): Promise<number> {
  const waiting = await app.records
    .collection(trafficParts, systemScope)
    .pick({ filter: { waitingSince: { $exists: true } }, sort: [['waitingSince', 1]], limit: maxBuckets }, [
      'organizationId',
      'bucketId',
    ]);
  let added = 0;
  const organizationOf = new Map(
    waiting.map(([organizationId, bucketId]) => [String(bucketId), String(organizationId)]),
  );
  for (const [bucketId, organizationId] of organizationOf) {
    if (isStopping()) break;
    added += await foldBucket(app, organizationId, bucketId);
  }
  return added;
}

/** Milliseconds for which the part that has waited longest waits; 0 if none does. */
export async function oldestWaitingMs({
  records,
  runtime,
}: Pick<CountingContext, 'records' | 'runtime'>): Promise<number> {
  const [oldest] = await records
    .collection(trafficParts, systemScope)
    .pick({ filter: { waitingSince: { $exists: true } }, sort: [['waitingSince', 1]], limit: 1 }, ['waitingSince']);
  return oldest === undefined ? 0 : Math.max(0, runtime.now() - Number(oldest[0]));
}

/** Adds one group of a bucket's parts to its totals. Returns how many there were. */
export async function foldBucket(app: Context, organizationId: string, bucketId: string): Promise<number> {
  const fold = await currentGroup(app, organizationId, bucketId);
  if (fold === null) return 0;
  const parts = await app.records.collection(trafficParts, systemScope).getMany(fold.parts);
  const bucket = { organizationId, bucketId, fold: fold.number };
  const days = countParts(parts);
  const values = new Map<string, CountedValues>();
  for (const [day, counted] of days) values.set(day, await addDay(app, bucket, day, counted));
  for (const month of new Set([...days.keys()].map((day) => day.slice(0, 7)))) {
    const isOfMonth = ([day]: readonly [string, unknown]): boolean => day.startsWith(month);
    const ofMonth = [...values].filter(isOfMonth).map(([, counted]) => counted);
    await addValueMonths(app, bucket, month, ofMonth);
    await addMonth(app, bucket, month, [...days].filter(isOfMonth));
  }
  await recordUse(app, bucket, days);
  const all = app.records.collection(trafficParts, systemScope);
  await inGroups(fold.parts, (id) => all.update(id, {}, { unset: ['waitingSince'] }));
  await app.records
    .collection(trafficFolds, systemScope)
    .update(bucketId, { number: fold.number }, { set: { parts: [] } });
  return fold.parts.length;
}

/** The group that is being added, or a new one of parts that wait; null if none waits, or another process began one. */
async function currentGroup(
  { records }: Context,
  organizationId: string,
  bucketId: string,
): Promise<TrafficFold | null> {
  const folds = records.collection(trafficFolds, systemScope);
  // Read before the parts: what waits after a group has ended is in none of the groups so far.
  const known = await folds.get(bucketId);
  if (known !== null && known.parts.length > 0) return known;
  const waiting = await records.collection(trafficParts, systemScope).find({
    filter: { bucketId, waitingSince: { $exists: true } },
    sort: [['waitingSince', 1]],
    limit: maxParts,
  });
  const parts = idsOfGroup(await withoutRemoved({ records }, waiting));
  if (parts.length === 0) return null;
  if (known !== null)
    return folds.update(bucketId, { number: known.number }, { set: { number: known.number + 1, parts } });
  const fresh: TrafficFold = { _id: bucketId, organizationId, number: 1, parts };
  return (await folds.insertNew([fresh])).length > 0 ? fresh : null;
}

/** As many parts as a group takes: one at least. */
function idsOfGroup(parts: readonly TrafficPart[]): string[] {
  const ids: string[] = [];
  let rows = 0;
  for (const part of parts) {
    rows += part.rows.length;
    if (ids.length > 0 && rows > maxRows) break;
    ids.push(part._id);
  }
  return ids;
}

/** Drops parts of batches that were counted and removed before: these arrived once more while they were removed. */
async function withoutRemoved({ records }: Context, parts: readonly TrafficPart[]): Promise<TrafficPart[]> {
  const batchOf = ({ batchId }: TrafficPart): { writer: string; number: number } => {
    const at = batchId.lastIndexOf(':');
    return { writer: batchId.slice(0, at), number: Number(batchId.slice(at + 1)) };
  };
  const ids = new Set(parts.map((part) => batchOf(part).writer));
  const read = await records.collection(trafficWriters, systemScope).getMany([...ids]);
  const writers = new Map(read.map((writer) => [writer._id, writer]));
  const isRemoved = (part: TrafficPart): boolean => {
    const { writer, number } = batchOf(part);
    return wasRemoved(writers.get(writer) ?? null, number);
  };
  const all = records.collection(trafficParts, systemScope);
  await inGroups(parts.filter(isRemoved), ({ _id }) => all.remove(_id));
  return parts.filter((part) => !isRemoved(part));
}

/** A bucket, and the group of parts that is added. */
export interface FoldedBucket {
  organizationId: string;
  bucketId: string;
  fold: number;
}

/** Hands what a group delivered to the ledger. Its events have ids of the group, so it counts once. */
async function recordUse(
  { records }: Context,
  { organizationId, bucketId, fold }: FoldedBucket,
  days: ReadonlyMap<string, CountedDay>,
): Promise<void> {
  const organization = await records.collection(organizations, systemScope).get(organizationId);
  // The account was erased.
  if (organization === null) return;
  const events: NewUsageEvent[] = [];
  for (const [day, { totals }] of days)
    for (const dimension of regionGroups) {
      const [bytes, requests] = totals.groups[dimension] ?? [0, 0];
      const use = (metric: 'delivery_gb' | 'requests_millions', quantity: number): NewUsageEvent => ({
        _id: `${bucketId}:${fold}:${day}:${dimension}:${metric}`,
        accountId: organization.accountId,
        organizationId,
        assetId: null,
        resourceId: bucketId,
        metric,
        dimension,
        quantity,
        day,
        at: Date.parse(`${day}T00:00:00Z`),
      });
      if (bytes > 0) events.push(use('delivery_gb', bytes));
      if (requests > 0) events.push(use('requests_millions', requests));
    }
  await pendUsage({ records }, events);
}

async function addMonth(
  { records }: Context,
  { organizationId, bucketId, fold }: FoldedBucket,
  month: string,
  days: readonly (readonly [day: string, counted: CountedDay])[],
): Promise<void> {
  const fresh: TrafficMonth = { _id: `${bucketId}:${month}`, organizationId, bucketId, month, fold: 0, days: {} };
  await applyOnce(records.collection(trafficMonths, systemScope), fold, [fresh], (before) => {
    const all = { ...before.days };
    for (const [day, { totals }] of days) all[day.slice(8)] = dayWith(all[day.slice(8)], totals);
    return { days: all };
  });
}

function dayWith(before: TrafficOfDay | undefined, added: TrafficOfDay): TrafficOfDay {
  const sum: TrafficOfDay = structuredClone(before ?? { groups: {} });
  for (const group of regionGroups) {
    const volume = added.groups[group];
    if (volume === undefined) continue;
    const [bytes, requests] = sum.groups[group] ?? [0, 0];
    sum.groups[group] = [bytes + volume[0], requests + volume[1]];
  }
  if (added.sums !== undefined) addSums((sum.sums ??= noSums()), added.sums);
  for (const [country, requests] of Object.entries(added.countries ?? {})) {
    const countries = (sum.countries ??= {});
    countries[country] = (countries[country] ?? 0) + requests;
  }
  return sum;
}
