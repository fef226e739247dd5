import type { MonthContent, OrganizationUsage, StatementTerms, UsageAdjustment } from '../../models/statement.ts';
import { periodAnswer, servedDays, wholeMonth } from './period.ts';
import { pricingTerms, type ArrivedLate } from './late-use.ts';
import { accountLines, organizationLines, toMoney, type LateUse, type OrganizationLines } from './pricing/month.ts';
import type { Sum, Sums } from './sums.ts';

/** Everything that a whole month of an account is computed from. */
export interface MonthUse {
  month: string;
  terms: StatementTerms;
  /** What may be charged, of the whole account and of each organization. */
  sums: Sums;
  organizations: ReadonlyMap<string, Sums>;
  late: LateUse;
  lateOfOrganizations: ArrivedLate['organizations'];
  adjustments: readonly UsageAdjustment[];
}

/** The account's answer for a month without its organizations, and its total in hundredths of the currency unit. */
export function accountContent(
  { month, terms, sums, late, adjustments }: MonthUse,
  statementNumber: string | null,
): { content: MonthContent; total: bigint | null } {
  const pricing = pricingTerms(month, terms);
  const { lines, total } = accountLines(pricing, sums, late, adjustments);
  return {
    content: {
      ...commonContent(month, terms, statementNumber),
      scope: 'account',
      total: total === null ? null : toMoney(total),
      lines,
    },
    total,
  };
}

/** An organization's answer for a month. */
export function organizationContent(
  { month, terms }: Pick<MonthUse, 'month' | 'terms'>,
  own: OrganizationLines['own'],
  statementNumber: string | null,
): MonthContent {
  return { ...commonContent(month, terms, statementNumber), scope: 'organization', total: null, lines: own };
}

function commonContent(
  month: string,
  terms: StatementTerms,
  statementNumber: string | null,
): Omit<MonthContent, 'scope' | 'total' | 'lines'> {
  const { active, inMonth, from, to } = servedDays(month, terms.timeZone, terms);
  return {
    plan: terms.plan?.name ?? null,
    currency: terms.currency,
    status: statementNumber === null ? 'open' : 'closed',
    statementNumber,
    payAsYouGo: terms.payAsYouGo,
    period: periodAnswer(wholeMonth(month, terms.timeZone)),
    ...(active === inMonth ? {} : { proration: { activeDays: active, daysInMonth: inMonth, from, to } }),
    priced: terms.prices !== null,
  };
}

/** The organizations with use in a month, by id, with their lines. */
export function* organizationParts(
  use: Pick<MonthUse, 'month' | 'terms' | 'organizations' | 'late' | 'lateOfOrganizations'>,
): Generator<{ organizationId: string; lines: OrganizationLines }> {
  const terms = pricingTerms(use.month, use.terms);
  const ids = new Set(use.organizations.keys());
  for (const ofMonth of use.lateOfOrganizations.values()) for (const id of ofMonth.keys()) ids.add(id);
  for (const organizationId of [...ids].toSorted((one, other) => (one < other ? -1 : 1))) {
    const late = use.late.flatMap(({ month, closed }) => {
      const sums = use.lateOfOrganizations.get(month)?.get(organizationId);
      return sums === undefined ? [] : [{ month, closed, sums }];
    });
    const lines = organizationLines(terms, use.organizations.get(organizationId) ?? new Map<string, Sum>(), late);
    if (lines.own.length > 0) yield { organizationId, lines };
  }
}

/** An organization's entry in its account's answer. */
export function organizationUsage(
  organizationId: string,
  { inAccount, listAmount }: OrganizationLines,
): OrganizationUsage {
  return { organizationId, listAmount: listAmount === null ? null : toMoney(listAmount), lines: inAccount };
}
