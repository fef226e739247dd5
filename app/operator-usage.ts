import { assets } from '../models/asset.ts';
import type { CollectionDefinition, StoredRecord } from '../models/collection.ts';
import { measuredDays } from '../models/measured-days.ts';
import { maxMoney } from '../models/money.ts';
import { quotaCounts } from '../models/quota-count.ts';
import type { dailyUsageAnswer, usageAnswer } from '../models/schemas/answers/usage.ts';
import type { quotasAnswer } from '../models/schemas/answers/plan.ts';
import { object, optional, required, type Infer, type Shape } from '../models/schemas/schema.ts';
import { dailyUsageQuery, usageQuery } from '../models/schemas/usage.ts';
import { integer, text } from '../models/schemas/values.ts';
import { ledgers, statementParts, statements, usageAdjustments } from '../models/statement.ts';
import { pendingUsage, usageBatches, usageEvents } from '../models/usage-event.ts';
import { usageFiles, usageFolds, usageMonths } from '../models/usage-month.ts';
import { accountOf } from '../services/accounts/account.ts';
import { adjustAccount } from '../services/accounts/adjust.ts';
import { collectionsOf, type AccountsContext } from '../services/accounts/collections.ts';
import { readQuotas } from '../services/ledger/quotas/read.ts';
import { dailyUsage } from '../services/ledger/reading/daily.ts';
import { readUsage } from '../services/ledger/reading/usage.ts';
import { ledgerOf, openMonthOf } from '../services/ledger/state.ts';

/** The collections that the operator's operations on usage use, to be prepared before any use. */
export const usageCollections: readonly CollectionDefinition<StoredRecord>[] = [
  assets,
  usageEvents,
  pendingUsage,
  usageBatches,
  usageFiles,
  usageMonths,
  usageFolds,
  quotaCounts,
  ledgers,
  statements,
  statementParts,
  usageAdjustments,
  measuredDays,
];

const account = optional(text(1, 200));

const adjustmentFields = {
  amount: required(integer(-maxMoney, maxMoney)),
  description: required(text(1, 200)),
  account,
};

/** Input of a correction: the amount in hundredths of the currency unit. */
export const operatorAdjustment = object(adjustmentFields);

/** A correction as it was written. */
export interface WrittenAdjustment {
  adjustmentId: string;
  accountId: string;
  /** In hundredths of the currency unit. */
  amount: number;
  currency: string | null;
  description: string;
  /** The month (YYYY-MM) on which it is charged. */
  month: string;
}

/** Writes a correction of an account. @throws what `accountOf` and `adjustAccount` throw */
export async function adjustAsOperator(
  app: AccountsContext,
  { account: named, ...adjustment }: Shape<typeof adjustmentFields>,
): Promise<WrittenAdjustment> {
  const found = await accountOf(app, named);
  const { _id, accountId, amount, description } = await adjustAccount(app, found, adjustment);
  return {
    adjustmentId: _id,
    accountId,
    amount,
    currency: found.currency ?? null,
    description,
    month: openMonthOf(await ledgerOf(app, found)),
  };
}

const usageFields = { month: usageQuery.month, account };

/** Input of the month that an operator looks at; the current one if none is named. */
export const operatorUsage = object(usageFields);

/** What an account used in a month, as the API shows it to the account. */
export interface UsageOfAccount {
  name: string;
  usage: Infer<typeof usageAnswer>;
  daily: Infer<typeof dailyUsageAnswer>;
  /** Of the current month alone. */
  quotas: Infer<typeof quotasAnswer> | null;
}

/** Reads what an account used in a month. @throws what `accountOf` throws; Refusal `invalid_period`; StoreUnavailable */
export async function usageAsOperator(
  app: AccountsContext,
  { account: named, month }: Shape<typeof usageFields>,
): Promise<UsageOfAccount> {
  const { _id: accountId, organizationId } = await accountOf(app, named);
  const caller = { accountId, organizationId };
  const usage = await readUsage(app, caller, month === undefined ? {} : { month });
  const { from, to } = usage.period;
  const daily = await dailyUsage(app, caller, object(dailyUsageQuery).check({ from, to }));
  const quotas = await readQuotas(app, caller);
  const organization = await collectionsOf(app).organizations.get(organizationId);
  return {
    name: organization?.name ?? '',
    usage,
    daily,
    quotas: quotas.month === from.slice(0, 7) ? quotas : null,
  };
}
