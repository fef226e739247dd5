import { openSqliteRecords } from '../../../adapters/records/sqlite/records.ts';
import { collections } from '../../../app/collections.ts';
import { measuredDays } from '../../../models/measured-days.ts';
import { accounts } from '../../../models/organization.ts';
import { systemRuntime } from '../../../models/runtime.ts';
import { systemScope } from '../../../models/scope.ts';
import type { UsageEvent } from '../../../models/usage-event.ts';
import type { UsageMetric } from '../../../models/usage-metric.ts';

const dayMs = 86_400_000;
/** Days that a program has to measure at its start, as after days on which none ran. */
const daysBack = 3;

/** The days (YYYY-MM-DD) that a program which is started now has to measure. */
export function unmeasuredDays(): string[] {
  return Array.from({ length: daysBack }, (_, at) => dayText(Date.now() - (daysBack - at) * dayMs));
}

/** Makes a stopped program measure the last days again at its next start. @param folder with its data */
export async function forgetMeasures(folder: string): Promise<void> {
  const records = await openSqliteRecords({ folder, runtime: systemRuntime });
  try {
    await records.prepare(collections);
    const through = dayText(Date.now() - (daysBack + 1) * dayMs);
    for (const { _id } of await records.collection(accounts, systemScope).find({ filter: {}, limit: 100 }))
      await records.collection(measuredDays, systemScope).put({ _id, through });
  } finally {
    await records.close();
  }
}

/**
 * The daily events of a metric that are missing: each owner must have one of each day.
 * @param owners ids of the buckets, domains or organizations @param days YYYY-MM-DD
 */
export function faultsOfMeasures(
  events: readonly UsageEvent[],
  metric: UsageMetric,
  owners: readonly string[],
  days: readonly string[],
): string[] {
  const ids = new Set(events.filter((event) => event.metric === metric && event.quantity > 0).map(({ _id }) => _id));
  return owners
    .flatMap((owner) => days.map((day) => `${owner}:${day}:${metric}`))
    .filter((id) => !ids.has(id))
    .map((id) => `the ledger has no event ${id}`);
}

function dayText(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}
