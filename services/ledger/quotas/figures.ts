import { rolledUp } from '../../../mixins/accounts/quota-count.ts';
import type { AppContext } from '../../../mixins/app-context.ts';
import type { Account } from '../../../models/organization.ts';
import { isEnforced, quotaCountId, quotaCounts } from '../../../models/quota-count.ts';
import {
  defaultAlertThresholds,
  percentOf,
  quotaMetrics,
  thresholdsReached,
  type QuotaMetric,
} from '../../../models/quotas.ts';
import { systemScope } from '../../../models/scope.ts';
import { baseUnitsPerUnit, metricOf } from '../../../models/usage-metric.ts';
import { daysOfMonth } from '../../../models/utc-days.ts';

/** How a metric of an account stands against its quota of a month. */
export interface QuotaFigure {
  metric: QuotaMetric;
  label: string;
  unit: string;
  /** Null: unlimited. */
  quota: number | null;
  used: number;
  remaining: number | null;
  percent: number | null;
  enforced: boolean;
  alertsReached: number[];
}

const millionths = 1_000_000n;

/** How the metrics of an account stand in a month (YYYY-MM), in the order of `quotaMetrics`. @throws StoreUnavailable */
export async function quotaFigures(
  app: Pick<AppContext, 'records'>,
  account: Account,
  month: string,
): Promise<QuotaFigure[]> {
  const count = await app.records.collection(quotaCounts, systemScope).get(quotaCountId(account._id, month));
  const { used: rolled } = await rolledUp(app, account._id, month);
  const { from, to } = daysOfMonth(month);
  return quotaMetrics.map((metric) => {
    const counted = isEnforced(metric) ? BigInt(count?.used[metric] ?? 0) : 0n;
    const summed = rolled.get(metric) ?? 0n;
    const used = counted > summed ? counted : summed;
    return figureOf(account, metric, used, baseUnitsPerUnit(metric, to - from + 1));
  });
}

function figureOf(
  { quotas, alertThresholds }: Account,
  metric: QuotaMetric,
  used: bigint,
  perUnit: bigint,
): QuotaFigure {
  const { label, unit } = metricOf(metric);
  const quota = quotas?.[metric] ?? null;
  const percent = quota === null ? null : percentOf(quota, used, perUnit);
  const left = quota === null ? null : BigInt(quota) * perUnit - used * millionths;
  return {
    metric,
    label,
    unit,
    quota: quota === null ? null : quota / 1_000_000,
    used: Number(used) / Number(perUnit),
    remaining: left === null ? null : left > 0n ? Number(left) / Number(millionths * perUnit) : 0,
    percent,
    enforced: isEnforced(metric),
    alertsReached: thresholdsReached(alertThresholds ?? defaultAlertThresholds, percent),
  };
}
