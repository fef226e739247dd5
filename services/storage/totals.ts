import type { Bucket } from '../../models/bucket.ts';
import { scopeOf, systemScope } from '../../models/scope.ts';
import {
  bucketDeltas,
  bucketTotals,
  storedObjects,
  type BucketDelta,
  type BucketTotals,
} from '../../models/storage-object.ts';
import type { StorageContext } from './tools.ts';

/** What a bucket holds. */
export interface Totals {
  objects: number;
  bytes: number;
}

type Records = Pick<StorageContext, 'records'>;

/** Deltas that are added to a bucket's totals in one write. */
const foldedAtOnce = 500;
/** Age before which a delta is not folded: whoever delivers it a second time has done so by then, in milliseconds. */
const foldedAfterMs = 60_000;

/**
 * What each of these buckets of an organization holds, by id: its totals, and the changes since.
 * @param buckets of one organization
 */
export async function totalsOf(
  { records }: Records,
  buckets: readonly Pick<Bucket, '_id' | 'organizationId'>[],
): Promise<ReadonlyMap<string, Totals>> {
  const [first] = buckets;
  if (first === undefined) return new Map();
  const scope = scopeOf(first.organizationId);
  const sums = new Map<string, Totals>();
  for (const { _id } of buckets) {
    // Changes first: one that is folded in between is in both, and then left out by its id.
    const deltas: BucketDelta[] = [];
    for (let after: string[] | null = null; ;) {
      const page: BucketDelta[] = await records.collection(bucketDeltas, scope).find({
        filter: { bucketId: _id },
        sort: [['_id', 1]],
        limit: foldedAtOnce,
        ...(after === null ? {} : { after }),
      });
      deltas.push(...page);
      const last = page.at(-1);
      if (last === undefined || page.length < foldedAtOnce) break;
      after = [last._id];
    }
    const totals = await records.collection(bucketTotals, scope).get(_id);
    const folded = new Set(totals?.folded);
    const open = deltas.filter((delta) => !folded.has(delta._id));
    sums.set(_id, {
      objects: open.reduce((sum, { objects }) => sum + objects, totals?.objects ?? 0),
      bytes: open.reduce((sum, { bytes }) => sum + bytes, totals?.bytes ?? 0),
    });
  }
  return sums;
}

/**
 * Adds waiting changes of a bucket to its totals. The totals name the changes that they have taken in until those are
 * removed, so that none counts twice, whatever crashes in between. A delta whose object still has it in its outbox waits:
 * it may be delivered again.
 * @returns how many were added
 */
export async function foldDeltas({ records }: Records, organizationId: string, bucketId: string): Promise<number> {
  const scope = scopeOf(organizationId);
  const deltas = records.collection(bucketDeltas, scope);
  const all = records.collection(bucketTotals, scope);
  const fresh: BucketTotals = { _id: bucketId, organizationId, objects: 0, bytes: 0, folded: [], version: 1 };
  const before = (await all.get(bucketId)) ?? ((await all.insertNew([fresh])).length > 0 ? fresh : null);
  if (before === null) return 0;
  for (const id of before.folded) await deltas.remove(id);
  const page = await deltas.find({ filter: { bucketId }, sort: [['_id', 1]], limit: foldedAtOnce });
  const objects = await records
    .collection(storedObjects, scope)
    .getMany([...new Set(page.map(({ objectId }) => objectId))]);
  const undelivered = new Set(objects.flatMap(({ outbox }) => outbox.map(({ id }) => id)));
  const ripe = page.filter(({ _id, at }) => at <= records.time() - foldedAfterMs && !undelivered.has(countItemId(_id)));
  const added = ripe.filter(({ _id }) => !before.folded.includes(_id));
  if (added.length === 0 && before.folded.length === 0) return 0;
  const written = await all.update(
    bucketId,
    { version: before.version },
    {
      set: {
        folded: added.map(({ _id }) => _id),
        objects: added.reduce((sum, { objects }) => sum + objects, before.objects),
        bytes: added.reduce((sum, { bytes }) => sum + bytes, before.bytes),
      },
      increment: { version: 1 },
    },
  );
  if (written === null) return 0;
  for (const { _id } of added) await deltas.remove(_id);
  return added.length;
}

/** Id of the outbox item that carries a delta. */
export function countItemId(deltaId: string): string {
  return `count:${deltaId}`;
}

const organizationsAtOnce = 1000;

/** Folds the waiting changes of all buckets. @returns how many were added */
export async function foldAllDeltas(app: Records): Promise<number> {
  const all = app.records.collection(bucketDeltas, systemScope);
  const page = { after: '', limit: organizationsAtOnce };
  let added = 0;
  for (const organizationId of await all.distinct({}, 'organizationId', page))
    for (const bucketId of await all.distinct({ organizationId }, 'bucketId', page)) {
      let folded: number;
      do {
        folded = await foldDeltas(app, organizationId, bucketId);
        added += folded;
      } while (folded === foldedAtOnce);
    }
  return added;
}
