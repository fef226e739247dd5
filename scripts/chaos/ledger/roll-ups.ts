import type { Records } from '../../../adapters/records/port.ts';
import type { CollectionDefinition } from '../../../models/collection.ts';
import { systemRuntime } from '../../../models/runtime.ts';
import { systemScope } from '../../../models/scope.ts';
import { usageEvents, type UsageEvent } from '../../../models/usage-event.ts';
import {
  usageFileMonths,
  usageMonths,
  usageResourceMonths,
  type UsageDays,
  type UsageSums,
} from '../../../models/usage-month.ts';
import { foldRound, settleMs } from '../../../services/ledger/fold.ts';
import { moveAllPending } from '../../../services/ledger/pending.ts';
import { finishBatches } from '../../../services/ledger/record.ts';

/** Documents of a chaos run, at most. */
const limit = 1_000_000;
/** Metrics of a resource that its own roll-up does not show, and those that it shows on the day of the account. */
const ofTraffic = ['delivery_gb', 'requests_millions'];
const ofAccountDays = ['storage_gb_days', 'custom_domain_days'];

/** The log of a chaos run, and what did not agree with it. */
export interface CheckedLedger {
  events: UsageEvent[];
  faults: string[];
}

/**
 * Counts what the killed processes left, adds all events up once more with arithmetic of its own, and compares the sums
 * with every roll-up: of accounts, organizations, files and resources.
 * @param records of programs that have stopped
 */
export async function checkLedger(records: Records): Promise<CheckedLedger> {
  const app = { records: { ...records, time: () => records.time() + settleMs + 60_000 }, runtime: systemRuntime };
  await moveAllPending({ records, runtime: systemRuntime });
  await finishBatches({ records });
  while ((await foldRound(app)) > 0);
  const events = await records.collection(usageEvents, systemScope).find({ filter: {}, limit });
  const faults = [
    ...(await differences(records, usageMonths, events, (event) => [
      [`${event.accountId}:${event.organizationId}`, event.day ?? ''],
      [`${event.accountId}:`, event.day ?? ''],
    ])),
    ...(await differences(records, usageFileMonths, events, ({ assetId, day }) =>
      assetId === null ? [] : [[assetId, day ?? '']],
    )),
    ...(await differences(records, usageResourceMonths, events, ({ resourceId, metric, at, day }) => {
      if (resourceId === undefined || ofTraffic.includes(metric)) return [];
      return [[resourceId, ofAccountDays.includes(metric) ? (day ?? '') : new Date(at).toISOString().slice(0, 10)]];
    })),
  ];
  return { events, faults };
}

/** A roll-up of any kind. */
interface RollUp {
  _id: string;
  days: UsageDays;
  total?: string;
}

/** Differences between roll-ups and events. @param placesOf beginning of the ids, and the day, that an event is in */
async function differences<T extends RollUp>(
  records: Records,
  definition: CollectionDefinition<T>,
  events: readonly UsageEvent[],
  placesOf: (event: UsageEvent) => (readonly [owner: string, day: string])[],
): Promise<string[]> {
  const expected = new Map<string, Map<string, [bigint, number]>>();
  for (const event of events)
    for (const [owner, day] of placesOf(event)) {
      const id = `${owner}:${day.slice(0, 7)}`;
      const name = `${event.metric}${event.dimension === undefined ? '' : `/${event.dimension}`}`;
      const sums = expected.get(id) ?? new Map<string, [bigint, number]>();
      expected.set(id, sums);
      // Roll-ups of accounts and organizations have the sum of the month as well.
      for (const part of definition.name === usageMonths.name ? [day.slice(8), 'month'] : [day.slice(8)]) {
        const [quantity, count] = sums.get(`${part} ${name}`) ?? [0n, 0];
        sums.set(`${part} ${name}`, [quantity + BigInt(event.quantity), count + 1]);
      }
    }
  const stored = new Map<string, Map<string, [bigint, number]>>();
  for (const { _id, days, total } of await records.collection(definition, systemScope).find({ filter: {}, limit })) {
    const sums = new Map<string, [bigint, number]>();
    const parts = total === undefined ? days : { ...days, month: JSON.parse(total) as UsageSums };
    for (const [day, ofDay] of Object.entries(parts))
      for (const [key, [quantity, count]] of Object.entries(ofDay))
        sums.set(`${day} ${key}`, [BigInt(quantity), count]);
    stored.set(_id, sums);
  }
  const textOf = (sums: ReadonlyMap<string, [bigint, number]> | undefined): string =>
    [...(sums ?? [])]
      .map(([key, [quantity, count]]) => `${key}=${quantity} in ${count}`)
      .toSorted()
      .join(', ');
  return [...new Set([...expected.keys(), ...stored.keys()])]
    .filter((id) => textOf(expected.get(id)) !== textOf(stored.get(id)))
    .map((id) => `${definition.name} ${id} has ${textOf(stored.get(id))} instead of ${textOf(expected.get(id))}`);
}
