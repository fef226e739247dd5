import { call, type ActionCaller } from '../../../mixins/actions/call.ts';
import type { AppContext } from '../../../mixins/app-context.ts';
import type { Intake } from '../../../mixins/lifecycle.ts';
import { periodicIntake } from '../../../mixins/periodic.ts';
import { accounts, type Account } from '../../../models/organization.ts';
import { quotaCounts } from '../../../models/quota-count.ts';
import { systemScope } from '../../../models/scope.ts';
import { monthOf } from '../../../models/zoned-month.ts';
import { correctCount } from './count.ts';
import { quotaFigures } from './figures.ts';

/** What the watch over quotas needs of the app. */
export type QuotaContext = Pick<AppContext, 'records' | 'runtime' | 'metrics' | 'log'>;

const everyMs = 5000;
const accountsAtOnce = 200;

/**
 * Corrects the counts of all accounts with quotas, and alerts once for each threshold that a metric reached in the month:
 * a row of the account's audit, and the metric `ply_quota_alerts_total`.
 * @throws StoreUnavailable
 */
export async function watchQuotas(
  app: QuotaContext,
  actions: ActionCaller,
  isStopping: () => boolean = () => false,
): Promise<void> {
  const reached = { near: 0, full: 0 };
  for (let after: string[] | null = null; ;) {
    const page: Account[] = await app.records
      .collection(accounts, systemScope)
      .find({ filter: {}, sort: [['_id', 1]], limit: accountsAtOnce, ...(after === null ? {} : { after }) });
    for (const account of page) {
      if (isStopping()) return;
      if (Object.keys(account.quotas ?? {}).length === 0) continue;
      const percents = await watchAccount(app, actions, account);
      reached.near += percents.filter((percent) => percent >= 80).length;
      reached.full += percents.filter((percent) => percent >= 100).length;
    }
    const last = page.at(-1);
    if (last === undefined || page.length < accountsAtOnce) break;
    after = [last._id];
  }
  app.metrics.quotasReached.set({ percent: '80' }, reached.near);
  app.metrics.quotasReached.set({ percent: '100' }, reached.full);
}

/** Returns the percentages of the account's quotas. */
async function watchAccount(app: QuotaContext, actions: ActionCaller, account: Account): Promise<number[]> {
  const month = monthOf(app.runtime.now(), account.timeZone);
  const count = await correctCount(app, account._id, month);
  const counts = app.records.collection(quotaCounts, systemScope);
  const percents: number[] = [];
  for (const { metric, percent, alertsReached } of await quotaFigures(app, account, month)) {
    if (percent === null) continue;
    percents.push(percent);
    for (const threshold of alertsReached) {
      const path = `alerted.${metric}_${threshold}`;
      if (count.alerted?.[`${metric}_${threshold}`] !== undefined) continue;
      await call(actions, 'accounts.recordQuotaAlert', { accountId: account._id, month, metric, threshold, percent });
      const isFirst = await counts.update(count._id, { [path]: null }, { set: { [path]: app.runtime.now() } });
      if (isFirst !== null) app.metrics.quotaAlerts.inc({ metric });
    }
  }
  return percents;
}

/** Watches over quotas while the program runs. */
export function quotaIntake(app: QuotaContext, actions: ActionCaller): Intake {
  return periodicIntake({
    name: 'quotas',
    everyMs,
    round: (isStopping) => watchQuotas(app, actions, isStopping),
    failed: (err) => app.log.warn({ err }, 'quotas could not be looked at, will retry'),
  });
}
