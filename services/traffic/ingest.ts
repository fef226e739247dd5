import type { AppContext } from '../../mixins/app-context.ts';
import { buckets, type Bucket } from '../../models/bucket.ts';
import { accounts } from '../../models/organization.ts';
import { analyticsCeilingOf } from '../../models/plan.ts';
import { regionGroupOf } from '../../models/region-group.ts';
import type { Region } from '../../models/region.ts';
import { systemScope } from '../../models/scope.ts';
import {
  trafficBatches,
  trafficParts,
  trafficWriters,
  type CountingRules,
  type ServedRow,
  type TrafficPart,
  type TrafficWriter,
} from '../../models/traffic.ts';
import { rowsByBucket } from './rows.ts';

/** The parts of the app that counting traffic uses. */
export type CountingContext = Pick<AppContext, 'records' | 'runtime' | 'log' | 'metrics'>;

/** A batch of an edge. */
export interface ArrivedBatch {
  /** One edge from its start to its end. */
  writer: string;
  /** Increases from 1. */
  number: number;
  /** One response a line. */
  lines: string;
}

/** How far an edge's clock may be ahead: later responses count as of now. */
const maxAheadMs = 300_000;

/** Whether a batch was counted and removed. */
export function wasRemoved(writer: TrafficWriter | null, number: number): boolean {
  return writer?.removed.some(([first, last]) => number >= first && number <= last) ?? false;
}

/**
 * Stores a batch as one document for each bucket, with ids that derive from the batch, so that it is there once however
 * often it arrives. When the promise resolves it is on disk, and the edge may forget it. Responses of buckets that no
 * longer exist are left out.
 * @returns whether the batch was not there before. @throws StoreUnavailable
 */
export async function storeBatch(
  { records, runtime }: Pick<CountingContext, 'records' | 'runtime'>,
  regions: readonly Region[],
  { writer, number, lines }: ArrivedBatch,
): Promise<boolean> {
  const batchId = `${writer}:${number}`;
  const batches = records.collection(trafficBatches, systemScope);
  if ((await batches.get(batchId)) !== null) return false;
  if (wasRemoved(await records.collection(trafficWriters, systemScope).get(writer), number)) return false;
  const receivedAt = runtime.now();
  const byBucket = rowsByBucket(lines);
  const found = await records.collection(buckets, systemScope).getMany(byBucket.map(({ bucketId }) => bucketId));
  const known = new Map(found.map((bucket) => [bucket._id, bucket]));
  const ceilings = await ceilingsOf(records, found);
  const parts = byBucket.flatMap(({ bucketId, rows, missingHours }): TrafficPart[] => {
    const bucket = known.get(bucketId);
    if (bucket === undefined) return [];
    return [
      {
        _id: `${batchId}:${bucketId}`,
        organizationId: bucket.organizationId,
        bucketId,
        batchId,
        receivedAt,
        waitingSince: receivedAt,
        rules: rulesOf(bucket, regions, ceilings.get(bucket.accountId)),
        missingHours,
        rows: rows.map(([at, ...rest]): ServedRow => [at > receivedAt + maxAheadMs ? receivedAt : at, ...rest]),
      },
    ];
  });
  if (parts.length > 0) await records.collection(trafficParts, systemScope).insertNew(parts);
  // Last: from here on every part is stored.
  return (await batches.insertNew([{ _id: batchId, writer, number, receivedAt }])).length > 0;
}

/** The plan's analytics ceilings of the accounts of buckets with analytics. */
async function ceilingsOf(
  records: CountingContext['records'],
  found: readonly Readonly<Bucket>[],
): Promise<ReadonlyMap<string, number>> {
  const ids = new Set(found.filter(({ settings }) => settings.analytics.enabled).map(({ accountId }) => accountId));
  const read = await records.collection(accounts, systemScope).getMany([...ids]);
  return new Map(read.map((account) => [account._id, analyticsCeilingOf(account.limits)]));
}

function rulesOf(
  { region, settings: { analytics } }: Readonly<Bucket>,
  regions: readonly Region[],
  planCeiling = analyticsCeilingOf(undefined),
): CountingRules {
  const { enabled, since, dimensions, ceiling } = analytics;
  const country = regions.find(({ code }) => code === region)?.country;
  return {
    home: country === undefined ? 'india-asia' : regionGroupOf(country),
    analytics: enabled && since !== null ? { since, dimensions, ceiling: ceiling ?? planCeiling } : null,
  };
}
