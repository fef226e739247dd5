import type { Caller } from '../../../models/api.ts';
import type { Account } from '../../../models/organization.ts';
import { defaultAlertThresholds } from '../../../models/quotas.ts';
import { isoTime } from '../../../models/runtime.ts';
import type { quotasAnswer } from '../../../models/schemas/answers/plan.ts';
import type { Infer } from '../../../models/schemas/schema.ts';
import { monthOf } from '../../../models/zoned-month.ts';
import { viewOf, type ReadingContext } from '../reading/account.ts';
import { readUsage } from '../reading/usage.ts';
import { quotaFigures } from './figures.ts';

/** Answer of GET /usage/quotas. */
type Quotas = Infer<typeof quotasAnswer>;

type Service = Pick<Quotas, 'serviceActive' | 'serviceStartsAt' | 'serviceEndsAt'>;

/** When the service of an account runs, and whether it does now. */
function serviceOf({ serviceStartsAt, serviceEndsAt }: Account, now: number): Service {
  return {
    serviceActive: now >= (serviceStartsAt ?? -Infinity) && now < (serviceEndsAt ?? Infinity),
    serviceStartsAt: serviceStartsAt === undefined ? null : isoTime(serviceStartsAt),
    serviceEndsAt: serviceEndsAt === undefined ? null : isoTime(serviceEndsAt),
  };
}

/**
 * How an account stands against its quotas and its allowance of dashboard searches. Each of its organizations sees the same.
 * @throws Refusal; StoreUnavailable
 */
export async function readQuotas(
  app: ReadingContext,
  caller: Pick<Caller, 'accountId' | 'organizationId'>,
): Promise<Quotas> {
  const { account } = await viewOf(app, caller);
  const now = app.runtime.now();
  const month = monthOf(now, account.timeZone);
  const service = serviceOf(account, now);
  return {
    month,
    timeZone: account.timeZone,
    payAsYouGo: account.payAsYouGo ?? false,
    alertThresholds: account.alertThresholds ?? [...defaultAlertThresholds],
    metrics: await quotaFigures(app, account, month),
    dashboardSearches: { ...(await dashboardSearches(app, account, month)), ...service },
    ...service,
  };
}

/** The allowance is one for all organizations: what is included in the account's line of the month. */
async function dashboardSearches(
  app: ReadingContext,
  { _id: accountId, organizationId, currency }: Account,
  month: string,
): Promise<Omit<Quotas['dashboardSearches'], keyof Service>> {
  const { lines } = await readUsage(app, { accountId, organizationId }, { month });
  const line = lines.find(({ metric, lateFor }) => metric === 'dashboard_searches' && lateFor === undefined);
  const used = line?.quantity ?? 0;
  const allowance = line?.priced === true ? line.included : null;
  return {
    allowance,
    used,
    remaining: allowance === null ? null : Math.max(0, allowance - used),
    overAllowance: allowance === null ? 0 : Math.max(0, used - allowance),
    unitPrice: line?.unitPrice ?? null,
    currency: currency ?? null,
  };
}
