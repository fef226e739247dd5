import { enforcedMetrics, quotaCountId, quotaCounts, type QuotaCount } from '../../models/quota-count.ts';
import { systemScope } from '../../models/scope.ts';
import { usageEvents } from '../../models/usage-event.ts';
import { usageFolds, usageMonths, type UsageSums } from '../../models/usage-month.ts';
import type { AppContext } from '../app-context.ts';

type Context = Pick<AppContext, 'records'>;

const pageSize = 5000;

/** What an account used in a month by metric, in base units, and the last event that is in it. */
interface Rolled {
  used: Map<string, bigint>;
  throughAt: number;
  throughId: string;
}

/** What the roll-ups say: they are a few seconds late. */
export async function rolledUp({ records }: Context, accountId: string, month: string): Promise<Rolled> {
  const [row] = await records
    .collection(usageMonths, systemScope)
    .pick({ filter: { accountId, month, organizationId: '' }, limit: 1 }, ['total', 'throughAt', 'throughId']);
  const [total, throughAt, throughId] = row ?? [];
  const sums = JSON.parse(String(total ?? '{}')) as UsageSums;
  const used = new Map<string, bigint>();
  for (const [key, [quantity]] of Object.entries(sums)) add(used, key.split('/')[0] ?? '', BigInt(quantity));
  return { used, throughAt: Number(throughAt ?? 0), throughId: String(throughId ?? '') };
}

function add(used: Map<string, bigint>, metric: string, quantity: bigint): void {
  used.set(metric, (used.get(metric) ?? 0n) + quantity);
}

/** What an account used in a month by metric, in base units, with the events that no roll-up has yet. */
export async function usedUpToNow(
  { records }: Context,
  accountId: string,
  month: string,
): Promise<Map<string, bigint>> {
  // Every event up to this place is in the roll-ups that are read after it.
  const fold = await records.collection(usageFolds, systemScope).get('fold');
  const { used, throughAt, throughId } = await rolledUp({ records }, accountId, month);
  const folded: [number, string] = [fold?.receivedAt ?? 0, fold?.eventId ?? ''];
  const isBefore = throughAt > folded[0] || (throughAt === folded[0] && throughId > folded[1]);
  for (let after: (string | number)[] = isBefore ? [throughAt, throughId] : folded; ;) {
    const page = await records.collection(usageEvents, systemScope).pick(
      {
        filter: { receivedAt: { $gte: Number(after[0]) } },
        sort: [
          ['receivedAt', 1],
          ['_id', 1],
        ],
        limit: pageSize,
        after,
      },
      ['receivedAt', '_id', 'accountId', 'day', 'metric', 'quantity'],
    );
    for (const [, , account, day, metric, quantity] of page)
      if (account === accountId && String(day).startsWith(month)) add(used, String(metric), BigInt(Number(quantity)));
    const last = page.at(-1);
    if (last === undefined || page.length < pageSize) return used;
    after = [Number(last[0]), String(last[1])];
  }
}

/** The count of an account's month. It is begun with what the log has, if nobody has begun it. */
export async function quotaCountOf(
  { records }: Context,
  accountId: string,
  month: string,
): Promise<{ count: QuotaCount; isNew: boolean }> {
  const counts = records.collection(quotaCounts, systemScope);
  const _id = quotaCountId(accountId, month);
  const known = await counts.get(_id);
  if (known !== null) return { count: known, isNew: false };
  const used = await usedUpToNow({ records }, accountId, month);
  const count: QuotaCount = {
    _id,
    accountId,
    month,
    used: Object.fromEntries(enforcedMetrics.map((metric) => [metric, Number(used.get(metric) ?? 0n)])),
    changedAt: records.time(),
  };
  if ((await counts.insertNew([count])).length > 0) return { count, isNew: true };
  return { count: (await counts.get(_id)) ?? count, isNew: false };
}
