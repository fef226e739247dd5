import { systemScope } from '../../models/scope.ts';
import {
  trafficBatches,
  trafficDays,
  trafficMonths,
  trafficParts,
  trafficValueMonths,
  trafficValues,
  trafficWriters,
  type TrafficBatch,
  type TrafficWriter,
} from '../../models/traffic.ts';
import type { CountingContext } from './ingest.ts';

const dayMs = 86_400_000;
/** Days for which single requests are kept, and months for which totals are, besides the running one. */
const requestDays = 3;
const totalMonths = 13;
/** Documents that are removed at a time. */
const pageSize = 200;

type Context = Pick<CountingContext, 'records' | 'runtime'>;

/** Runs of numbers with one more. */
export function withNumber(
  runs: readonly (readonly [first: number, last: number])[],
  number: number,
): TrafficWriter['removed'] {
  const sorted = [...runs, [number, number] as const].toSorted(([a], [b]) => a - b);
  const joined: TrafficWriter['removed'] = [];
  for (const [first, last] of sorted) {
    const before = joined.at(-1);
    if (before !== undefined && first <= before[1] + 1) before[1] = Math.max(before[1], last);
    else joined.push([first, last]);
  }
  return joined;
}

/**
 * Removes single requests and totals that are too old. Batches are remembered by number before they are removed, so that
 * one that arrives once more is still known.
 * @throws StoreUnavailable
 */
export async function sweepTraffic(app: Context, isStopping: () => boolean = () => false): Promise<void> {
  const now = app.runtime.now();
  const batches = app.records.collection(trafficBatches, systemScope);
  for (let after: (string | number)[] | null = null; !isStopping();) {
    const page: TrafficBatch[] = await batches.find({
      filter: { receivedAt: { $lt: now - requestDays * dayMs } },
      sort: [
        ['receivedAt', 1],
        ['_id', 1],
      ],
      limit: pageSize,
      ...(after === null ? {} : { after }),
    });
    for (const batch of page) await removeBatch(app, batch);
    const last = page.at(-1);
    if (last === undefined || page.length < pageSize) break;
    after = [last.receivedAt, last._id];
  }
  await removeTotals(app, now, isStopping);
}

/** Removes a counted batch. One that is not counted yet stays. */
async function removeBatch({ records, runtime }: Context, { _id, writer, number }: TrafficBatch): Promise<void> {
  const parts = records.collection(trafficParts, systemScope);
  const waits = await parts.find({ filter: { batchId: _id, waitingSince: { $exists: true } }, limit: 1 });
  if (waits.length > 0) return;
  const writers = records.collection(trafficWriters, systemScope);
  const changedAt = runtime.now();
  const fresh: TrafficWriter = { _id: writer, removed: [[number, number]], changedAt, version: 1 };
  for (let known = await writers.get(writer); ; known = await writers.get(writer)) {
    if (known === null) {
      if ((await writers.insertNew([fresh])).length > 0) break;
      continue;
    }
    const set = { removed: withNumber(known.removed, number), changedAt };
    const written = await writers.update(writer, { version: known.version }, { set, increment: { version: 1 } });
    if (written !== null) break;
  }
  while ((await parts.removeMany({ batchId: _id }, pageSize)) === pageSize);
  await records.collection(trafficBatches, systemScope).remove(_id);
}

async function removeTotals({ records }: Context, now: number, isStopping: () => boolean): Promise<void> {
  const today = new Date(now);
  const firstDay = new Date(Date.UTC(today.getUTCFullYear(), today.getUTCMonth() - totalMonths, 1));
  const day = firstDay.toISOString().slice(0, 10);
  const month = day.slice(0, 7);
  const removals = [
    () => records.collection(trafficMonths, systemScope).removeMany({ month: { $lt: month } }, pageSize),
    () => records.collection(trafficValueMonths, systemScope).removeMany({ month: { $lt: month } }, pageSize),
    () => records.collection(trafficDays, systemScope).removeMany({ day: { $lt: day } }, pageSize),
    () => records.collection(trafficValues, systemScope).removeMany({ day: { $lt: day } }, pageSize),
    () =>
      records.collection(trafficWriters, systemScope).removeMany({ changedAt: { $lt: firstDay.getTime() } }, pageSize),
  ];
  for (const remove of removals) while (!isStopping() && (await remove()) === pageSize);
}
