import { Refusal, refusalOf } from '../../models/errors.ts';
import { accounts, type Account } from '../../models/organization.ts';
import { isReached } from '../../models/quotas.ts';
import type { EnforcedMetric } from '../../models/quota-count.ts';
import { systemScope } from '../../models/scope.ts';
import { metricOf } from '../../models/usage-metric.ts';
import { monthOf } from '../../models/zoned-month.ts';
import type { AppContext } from '../app-context.ts';
import { quotaCountOf } from './quota-count.ts';

/**
 * Refuses new work that counts in one of these metrics where an account has used all of its quota of the month, and does not
 * pay as it goes. Work under way is not asked. One or two single documents are read.
 * @returns whether the account has a quota of one of them: then its use must be recorded before it is answered
 * @throws Refusal `quota_exceeded`; StoreUnavailable
 */
export async function requireQuota(
  { records, runtime }: Pick<AppContext, 'records' | 'runtime'>,
  accountId: string,
  metrics: readonly EnforcedMetric[],
): Promise<boolean> {
  const account = await records.collection(accounts, systemScope).get(accountId);
  const limited = metrics.filter((metric) => account?.quotas?.[metric] !== undefined);
  if (account === null || limited.length === 0) return false;
  if (account.payAsYouGo === true) return true;
  const month = monthOf(runtime.now(), account.timeZone);
  const { count } = await quotaCountOf({ records }, accountId, month);
  for (const metric of limited) refuseReached(account, metric, count.used[metric] ?? 0);
  return true;
}

/** The quotas of indexing that an account has used up. @throws StoreUnavailable */
export async function exceededQuotas(
  app: Pick<AppContext, 'records' | 'runtime'>,
  accountId: string,
): Promise<Set<EnforcedMetric>> {
  const exceeded = new Set<EnforcedMetric>();
  for (const metric of ['media_hours', 'document_megabytes'] as const)
    try {
      await requireQuota(app, accountId, [metric]);
    } catch (error) {
      if (refusalOf(error) === null) throw error;
      exceeded.add(metric);
    }
  return exceeded;
}

/** @throws Refusal `quota_exceeded` */
function refuseReached({ quotas }: Account, metric: EnforcedMetric, used: number): void {
  const quota = quotas?.[metric];
  const { perUnit, unit, label } = metricOf(metric);
  if (quota === undefined || !isReached(quota, BigInt(used), perUnit)) return;
  throw new Refusal('quota_exceeded', {
    detail: `${label}: the account's quota of ${quota / 1_000_000} ${unit} a month is used up. It is free again next month, or when the quota is raised.`,
  });
}
