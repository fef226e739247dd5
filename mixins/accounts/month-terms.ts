import { accountMonthId, accountMonths, type AccountMonth } from '../../models/account-month.ts';
import { systemScope } from '../../models/scope.ts';
import type { AppContext } from '../app-context.ts';

/**
 * The plan and prices of an account's month (YYYY-MM): as stored, else those of the last month before it, which hold on
 * until the next one begins; before the first month, none.
 * @throws StoreUnavailable
 */
export async function monthTerms(
  { records }: Pick<AppContext, 'records'>,
  accountId: string,
  month: string,
): Promise<Pick<AccountMonth, 'plan' | 'prices'>> {
  const months = records.collection(accountMonths, systemScope);
  const stored = await months.get(accountMonthId(accountId, month));
  if (stored !== null) return stored;
  const [before] = await months.find({
    filter: { accountId, month: { $lt: month } },
    sort: [['month', -1]],
    limit: 1,
  });
  return before ?? { plan: null, prices: null };
}
