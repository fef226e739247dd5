import type { Caller } from '../../../models/api.ts';
import type { Account } from '../../../models/organization.ts';
import type { usageAnswer } from '../../../models/schemas/answers/usage.ts';
import type { usageQuery } from '../../../models/schemas/usage.ts';
import type { Infer, Shape } from '../../../models/schemas/schema.ts';
import type { Ledger } from '../../../models/statement.ts';
import { accountContent, organizationContent, organizationParts, organizationUsage } from '../account-answer.ts';
import { adjustmentsIn, arrivedLate, lateUse, nothingLate, pricingTerms } from '../late-use.ts';
import { monthBounds, periodAnswer, periodOf, servedDays, type Period } from '../period.ts';
import { byPriceKey } from '../pricing/lines.ts';
import {
  organizationLines,
  processingFigures,
  quantityEntry,
  quantityLines,
  type UseOfMonths,
} from '../pricing/month.ts';
import { ledgerOf, openMonthOf } from '../state.ts';
import { statementOf } from '../statements/read.ts';
import { closedUsage } from '../statements/usage.ts';
import type { Sum, Sums } from '../sums.ts';
import { viewOf, type ReadingContext } from './account.ts';
import { useOf } from './sums-of-period.ts';
import { openTerms } from './terms.ts';

/** Answer of GET /usage. */
export type Usage = Infer<typeof usageAnswer>;

/**
 * What an account, or one organization, used in a month or between two days, and what it costs. A closed month is answered
 * from its statement.
 * @throws Refusal `invalid_period`; StoreUnavailable
 */
export async function readUsage(
  app: ReadingContext,
  caller: Pick<Caller, 'accountId' | 'organizationId'>,
  query: Shape<typeof usageQuery>,
): Promise<Usage> {
  const { account, organizationId } = await viewOf(app, caller);
  const period = periodOf(query, app.runtime.now(), account.timeZone);
  const { month } = period;
  if (month === null) return rangeUsage(app, account, period, organizationId);
  // The ledger first: where it says that the month is open and a statement is found, that is the later one.
  const ledger = await ledgerOf(app, account);
  const statement = await statementOf(app, account._id, month);
  if (statement !== null) return closedUsage(app, statement, organizationId);
  return openUsage(app, account, ledger, { ...period, month }, organizationId);
}

async function openUsage(
  app: ReadingContext,
  account: Account,
  ledger: Ledger,
  period: Period & { month: string },
  organizationId: string | null,
): Promise<Usage> {
  const { month } = period;
  const isNext = openMonthOf(ledger) === month;
  const window = { since: ledger.cutoff, before: ledger.closing?.cutoff ?? Number.MAX_SAFE_INTEGER };
  const [terms, use, arrived, adjustments] = await Promise.all([
    openTerms(app, account, month),
    useOf(app, account, period, organizationId),
    isNext ? arrivedLate(app, account._id, window, month) : nothingLate(),
    isNext && organizationId === null ? adjustmentsIn(app, account._id, window) : [],
  ]);
  const late = await lateUse(app, account._id, arrived.sums, month);
  const sums: Sums = use.sums.get(month) ?? new Map<string, Sum>();
  const processing = processingFigures(use.all);
  if (organizationId !== null) {
    const ofOrganization = late.flatMap(({ month: closedMonth, closed }) => {
      const own = arrived.organizations.get(closedMonth)?.get(organizationId);
      return own === undefined ? [] : [{ month: closedMonth, closed, sums: own }];
    });
    const { own } = organizationLines(pricingTerms(month, terms), sums, ofOrganization);
    return { ...organizationContent({ month, terms }, own, null), processing };
  }
  const whole = {
    month,
    terms,
    sums,
    organizations: new Map(
      [...use.organizations].map(([id, months]) => [id, months.get(month) ?? new Map<string, Sum>()]),
    ),
    late,
    lateOfOrganizations: arrived.organizations,
    adjustments,
  };
  return {
    ...accountContent(whole, null).content,
    organizations: [...organizationParts(whole)].map(({ organizationId: id, lines }) => organizationUsage(id, lines)),
    processing,
  };
}

/** Quantities of any days: allowances and the minimum are a month's. */
async function rangeUsage(
  app: ReadingContext,
  account: Account,
  period: Period,
  organizationId: string | null,
): Promise<Usage> {
  const { last } = monthBounds(period);
  const terms = await openTerms(app, account, last);
  const use = await useOf(app, account, period, organizationId);
  const ofMonths = (sums: ReadonlyMap<string, Sums>): UseOfMonths =>
    [...sums].map(([month, each]) => ({ sums: each, inMonth: servedDays(month, period.timeZone, {}).inMonth }));
  const lines = quantityLines(terms.prices, ofMonths(use.sums));
  // An organization has lines of what it used; the account also of what has a price.
  const used = new Set([...use.sums.values()].flatMap((sums) => [...byPriceKey(terms.prices, sums).keys()]));
  const entries = [...use.organizations]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([id, sums]) => quantityEntry(id, terms.prices, ofMonths(sums)))
    .filter(({ lines }) => lines.length > 0);
  return {
    plan: terms.plan?.name ?? null,
    currency: terms.currency,
    status: 'open',
    statementNumber: null,
    scope: organizationId === null ? 'account' : 'organization',
    payAsYouGo: terms.payAsYouGo,
    total: null,
    period: periodAnswer(period),
    lines: organizationId === null ? lines : lines.filter(({ dimension }) => used.has(dimension)),
    ...(organizationId === null ? { organizations: entries } : {}),
    processing: processingFigures(use.all),
    priced: terms.prices !== null,
  };
}
