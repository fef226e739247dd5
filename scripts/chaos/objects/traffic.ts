import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Records } from '../../../adapters/records/port.ts';
import { systemScope } from '../../../models/scope.ts';
import { trafficMonths, trafficParts } from '../../../models/traffic.ts';
import { compareTraffic, type Counted, type Delivered, type TrafficVerdict } from './deliveries.ts';

/** What was counted, compared with what clients got. All but `counted` must be 0. */
export interface TrafficReport extends TrafficVerdict {
  /** Differences between the totals of buckets and the counted responses, in requests and bytes. */
  totalsDifference: number;
}

/** Whether every response was counted once, with its bytes. */
export function isTrafficRight({ counted, ...faults }: TrafficReport): boolean {
  return counted > 0 && Object.values(faults).every((count) => count === 0);
}

/** Whether the spools of these data folders are empty. */
export function isSpoolEmpty(dataFolders: readonly string[]): boolean {
  return dataFolders.every((folder) => {
    try {
      return readdirSync(join(folder, 'traffic'), { recursive: true, withFileTypes: true }).every(
        (file) => !file.isFile(),
      );
    } catch {
      // Nothing was delivered.
      return true;
    }
  });
}

/** Whether all batches are in the totals. */
export async function isFolded(records: Records): Promise<boolean> {
  return (await records.collection(trafficParts, systemScope).count({ waitingSince: { $exists: true } })) === 0;
}

/**
 * Compares the records with what clients got, once the spools are empty and everything is folded.
 * @param kills Date.now() of each kill or pause of an edge
 */
export async function checkTraffic(
  records: Records,
  delivered: readonly Delivered[],
  kills: readonly number[],
): Promise<TrafficReport> {
  const parts = await records.collection(trafficParts, systemScope).find({ filter: {}, limit: 1_000_000 });
  const counted: Counted[] = parts.flatMap(({ bucketId, rows }) =>
    rows.map(([, status, bytes, , , , mark]) => ({ bucketId, mark, status, bytes })),
  );
  const months = await records.collection(trafficMonths, systemScope).find({ filter: {}, limit: 1000 });
  let totalsDifference = 0;
  for (const bucketId of new Set(counted.map((row) => row.bucketId))) {
    const own = counted.filter((row) => row.bucketId === bucketId);
    const volumes = months
      .filter((month) => month.bucketId === bucketId)
      .flatMap(({ days }) => Object.values(days).flatMap(({ groups }) => Object.values(groups)));
    const sumOf = (at: 0 | 1): number => volumes.reduce((sum, volume) => sum + volume[at], 0);
    totalsDifference +=
      Math.abs(sumOf(1) - own.length) + Math.abs(sumOf(0) - own.reduce((sum, { bytes }) => sum + bytes, 0));
  }
  return { ...compareTraffic(delivered, counted, kills), totalsDifference };
}
