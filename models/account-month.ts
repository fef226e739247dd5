import { defineCollection } from './collection.ts';
import type { Plan } from './plan.ts';
import type { PriceList } from './prices.ts';

/**
 * What holds for an account in one month: the plan and the prices of the operator's files as they were when the month
 * began, or when the account got its first plan. Statements and late usage rest on it, so it is never removed.
 */
export interface AccountMonth {
  /** `<account id>:<month>`. */
  _id: string;
  accountId: string;
  /** YYYY-MM in the account's time zone. */
  month: string;
  plan: Plan | null;
  /** Prices of the plan, or those without a plan; null without a file of prices. */
  prices: PriceList | null;
  /** Milliseconds. */
  takenAt: number;
}

/** The months of all accounts. */
export const accountMonths = defineCollection<AccountMonth>({
  name: 'account_months',
  owner: 'deployment',
  indexes: [{ name: 'account', fields: ['accountId', 'month'], unique: true }],
});

/** The id of an account's month. */
export function accountMonthId(accountId: string, month: string): string {
  return `${accountId}:${month}`;
}
