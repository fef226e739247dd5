import { monthTerms } from '../../../mixins/accounts/month-terms.ts';
import type { AppContext } from '../../../mixins/app-context.ts';
import type { Account } from '../../../models/organization.ts';
import type { StatementTerms } from '../../../models/statement.ts';

/** What holds for a month that is not closed. The name of the customer is of no use before. */
export async function openTerms(
  app: Pick<AppContext, 'records'>,
  account: Account,
  month: string,
): Promise<StatementTerms> {
  const { plan, prices } = await monthTerms(app, account._id, month);
  const currency = account.currency ?? null;
  return {
    timeZone: account.timeZone,
    plan,
    prices: prices !== null && prices.currency === currency ? prices : null,
    currency,
    payAsYouGo: account.payAsYouGo ?? false,
    ...(account.serviceStartsAt === undefined ? {} : { serviceStartsAt: account.serviceStartsAt }),
    ...(account.serviceEndsAt === undefined ? {} : { serviceEndsAt: account.serviceEndsAt }),
    customer: '',
  };
}
