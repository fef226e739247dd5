import { quotaCountOf, rolledUp } from '../../../mixins/accounts/quota-count.ts';
import type { AppContext } from '../../../mixins/app-context.ts';
import { accounts } from '../../../models/organization.ts';
import {
  enforcedMetrics,
  isEnforced,
  quotaCountId,
  quotaCounts,
  type QuotaCount,
} from '../../../models/quota-count.ts';
import { systemScope } from '../../../models/scope.ts';
import type { UsageEvent } from '../../../models/usage-event.ts';

type Context = Pick<AppContext, 'records'>;

/** Milliseconds after its last change in which a count may be ahead of the roll-ups: they wait for late events. */
const settledMs = 15_000;

/** Events of one account and month, by the path of their metric's count. */
interface Addition {
  accountId: string;
  month: string;
  used: { [path: string]: number };
}

/** Adds events that are new in the log to the counts of the accounts that have quotas. */
export async function countEvents(
  { records }: Context,
  events: readonly (Pick<UsageEvent, 'accountId' | 'metric' | 'quantity'> & { day: string })[],
): Promise<void> {
  const counted = events.filter(({ metric, quantity }) => isEnforced(metric) && quantity > 0);
  if (counted.length === 0) return;
  const ids = [...new Set(counted.map(({ accountId }) => accountId))];
  const found = await records.collection(accounts, systemScope).getMany(ids);
  const limited = new Set(found.filter(({ quotas }) => quotas !== undefined).map(({ _id }) => _id));
  const additions = new Map<string, Addition>();
  for (const { accountId, metric, quantity, day } of counted) {
    if (!limited.has(accountId)) continue;
    const month = day.slice(0, 7);
    const id = quotaCountId(accountId, month);
    const addition = additions.get(id) ?? { accountId, month, used: {} };
    addition.used[`used.${metric}`] = (addition.used[`used.${metric}`] ?? 0) + quantity;
    additions.set(id, addition);
  }
  const counts = records.collection(quotaCounts, systemScope);
  for (const [id, { accountId, month, used }] of additions) {
    const change = { set: { changedAt: records.time() }, increment: used };
    if ((await counts.update(id, {}, change)) !== null) continue;
    // A count that begins now has these events: they are in the log.
    const { isNew } = await quotaCountOf({ records }, accountId, month);
    if (!isNew) await counts.update(id, {}, change);
  }
}

/**
 * Corrects an account's count by the roll-ups: a process that died between writing an event and counting it left it too
 * low. It is only lowered when nothing was counted for a while, since the roll-ups are some seconds late.
 */
export async function correctCount(app: Context, accountId: string, month: string): Promise<QuotaCount> {
  const { count } = await quotaCountOf(app, accountId, month);
  const rolled = await rolledUp(app, accountId, month);
  const isSettled = app.records.time() - count.changedAt > settledMs;
  const set: { [path: string]: number } = {};
  for (const metric of enforcedMetrics) {
    const [counted, summed] = [count.used[metric] ?? 0, Number(rolled.used.get(metric) ?? 0n)];
    if (summed > counted || (isSettled && summed < counted)) set[`used.${metric}`] = summed;
  }
  if (Object.keys(set).length === 0) return count;
  const counts = app.records.collection(quotaCounts, systemScope);
  return (await counts.update(count._id, { changedAt: count.changedAt }, { set })) ?? count;
}
