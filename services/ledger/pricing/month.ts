import type { usageAnswer } from '../../../models/schemas/answers/usage.ts';
import type { Infer } from '../../../models/schemas/schema.ts';
import { regionGroupLabels, regionGroups } from '../../../models/region-group.ts';
import type { OrganizationUsage, UsageLine } from '../../../models/statement.ts';
import { metricOf } from '../../../models/usage-metric.ts';
import { partsOf, type Sums } from '../sums.ts';
import { fraction, plus, toNumber, zero, type Fraction } from './fraction.ts';
import { lateLines, type ClosedMonth } from './late.ts';
import {
  byPriceKey,
  lineKeys,
  listLines,
  meteredLines,
  metricOfKey,
  minimumOf,
  moneyParts,
  termsOf,
  unitsOf,
  type Line,
  type MonthDays,
  type Terms,
} from './lines.ts';
import { priceParts } from './tiers.ts';

type UsageAnswer = Infer<typeof usageAnswer>;

/** A correction by the operator, in hundredths of the currency unit. */
export interface MonthAdjustment {
  amount: number;
  description: string;
}

/** Late use by the closed month that it belongs to (YYYY-MM), ascending. */
export type LateUse = readonly { month: string; closed: ClosedMonth; sums: Sums }[];

/** Money as a number for answers. @param hundredths of the currency unit */
export function toMoney(hundredths: bigint): number {
  return toNumber(fraction(hundredths, moneyParts));
}

function orNull<T, U>(value: T | null, make: (value: T) => U): U | null {
  return value === null ? null : make(value);
}

function labelOf(metric: Line['metric'], key: string): string {
  const { label } = metricOf(metric);
  const { dimension } = partsOf(key);
  if (dimension === null) return label;
  const group = regionGroups.find((name) => name === dimension);
  return `${label}: ${group === undefined ? dimension : regionGroupLabels[group]}`;
}

/** The part of a month with service, on a line with an allowance. */
function prorationOf({ terms }: Line, { active, inMonth }: MonthDays): Pick<UsageLine, 'proration'> {
  const isProrated = active !== inMonth && terms !== null && terms.included > 0;
  return isProrated ? { proration: { activeDays: active, daysInMonth: inMonth } } : {};
}

function lineAnswer(line: Line, lateFor: string | null): UsageLine {
  const { metric, key, quantity, duplicates } = line;
  const label = labelOf(metric, key);
  return {
    metric,
    dimension: lateFor === null ? key : `${key}/late-${lateFor}`,
    label: lateFor === null ? label : `${label} (${lateFor})`,
    unit: metricOf(metric).unit,
    quantity: toNumber(quantity),
    included: toNumber(line.included),
    billable: toNumber(line.billable),
    unitPrice: orNull(line.unitPrice, (price) => toNumber(fraction(BigInt(price), priceParts))),
    amount: orNull(line.amount, toMoney),
    // Of the dashboard's searches only those over the allowance have a price.
    listAmount: metric === 'dashboard_searches' ? null : orNull(line.listAmount, toMoney),
    priced: line.terms !== null,
    ...(lateFor === null ? {} : { lateFor }),
    duplicatesNotCharged: duplicates,
  };
}

/** The lines and the total of a whole account's month. */
export function accountLines(
  terms: Terms,
  sums: Sums,
  late: LateUse,
  adjustments: readonly MonthAdjustment[],
): { lines: UsageLine[]; total: bigint | null } {
  const metered = meteredLines(terms, sums);
  const used = metered.reduce((sum, { amount }) => sum + (amount ?? 0n), 0n);
  const missing = minimumOf(terms) - used;
  const arrived = late.map(({ month, closed, sums: ofMonth }) => ({
    month,
    closed,
    lines: lateLines(closed, ofMonth),
  }));
  const lateSum = arrived.flatMap(({ lines }) => lines).reduce((sum, { amount }) => sum + (amount ?? 0n), 0n);
  const corrected = adjustments.reduce((sum, { amount }) => sum + BigInt(amount), 0n);
  const lines = [
    ...metered.map((line) => ({ ...lineAnswer(line, null), ...prorationOf(line, terms.days) })),
    ...arrived.flatMap(({ month, closed, lines: ofMonth }) =>
      ofMonth.map((line) => ({ ...lineAnswer(line, month), ...prorationOf(line, closed.terms.days) })),
    ),
    ...adjustments.map(adjustmentLine),
    ...(missing > 0n ? [minimumLine(missing, terms.days)] : []),
  ];
  return {
    lines,
    total: terms.prices === null ? null : used + lateSum + corrected + (missing > 0n ? missing : 0n),
  };
}

function adjustmentLine({ amount, description }: MonthAdjustment): UsageLine {
  return {
    metric: 'adjustment',
    dimension: 'adjustment',
    label: description,
    unit: 'adjustment',
    quantity: 1,
    included: null,
    billable: null,
    unitPrice: null,
    amount: toMoney(BigInt(amount)),
    listAmount: null,
    priced: true,
    duplicatesNotCharged: 0,
  };
}

function minimumLine(missing: bigint, { active, inMonth }: MonthDays): UsageLine {
  return {
    metric: 'monthly_minimum',
    dimension: 'monthly_minimum',
    label: 'Monthly minimum',
    unit: 'month',
    quantity: 1,
    included: 0,
    billable: 1,
    unitPrice: toMoney(missing),
    amount: toMoney(missing),
    listAmount: null,
    priced: true,
    duplicatesNotCharged: 0,
    ...(active === inMonth ? {} : { proration: { activeDays: active, daysInMonth: inMonth } }),
  };
}

/** What one organization used, as its own answer shows it, and as the account's does. */
export interface OrganizationLines {
  own: UsageLine[];
  inAccount: OrganizationUsage['lines'];
  /** Sum of the list amounts, in hundredths of the currency unit; null where nothing is priced. */
  listAmount: bigint | null;
}

/** The lines of one organization: its quantities at list price. No allowance, minimum or correction is its own. */
export function organizationLines(terms: Terms, sums: Sums, late: LateUse): OrganizationLines {
  const priced = [
    ...listLines(terms, sums).map((line) => ({ line, lateFor: null as string | null })),
    ...late.flatMap(({ month, closed, sums: ofMonth }) =>
      listLines(closed.terms, ofMonth).map((line) => ({ line, lateFor: month })),
    ),
  ];
  const own = priced.map(({ line, lateFor }): UsageLine => {
    const isDashboard = line.metric === 'dashboard_searches';
    return {
      ...lineAnswer(line, lateFor),
      included: null,
      billable: isDashboard ? null : toNumber(line.quantity),
      amount: null,
    };
  });
  const listAmount = priced
    .filter(({ line }) => line.metric !== 'dashboard_searches')
    .reduce((sum, { line }) => sum + (line.listAmount ?? 0n), 0n);
  return {
    own,
    inAccount: own.map(({ metric, dimension, quantity, billable, listAmount: list, duplicatesNotCharged }) => ({
      metric,
      dimension,
      quantity,
      included: null,
      billable,
      listAmount: list,
      duplicatesNotCharged,
    })),
    listAmount: terms.prices === null ? null : listAmount,
  };
}

/** Use of a part of a period that lies in one month. */
export type UseOfMonths = readonly { sums: Sums; inMonth: number }[];

/** Lines of a period that is no whole month: quantities alone. @param prices say what is a line */
export function quantityLines(prices: Terms['prices'], months: UseOfMonths): UsageLine[] {
  const keys = new Set<string>();
  const quantities = new Map<string, { quantity: Fraction; duplicates: number }>();
  for (const { sums, inMonth } of months)
    for (const [key, { quantity, duplicates }] of byPriceKey(prices, sums)) {
      const known = quantities.get(key) ?? { quantity: zero, duplicates: 0 };
      keys.add(key);
      quantities.set(key, {
        quantity: plus(known.quantity, unitsOf(metricOfKey(key), quantity, { inMonth })),
        duplicates: known.duplicates + duplicates,
      });
    }
  return lineKeys(prices, keys).map((key) => {
    const metric = metricOfKey(key);
    const { quantity = zero, duplicates = 0 } = quantities.get(key) ?? {};
    return {
      metric,
      dimension: key,
      label: labelOf(metric, key),
      unit: metricOf(metric).unit,
      quantity: toNumber(quantity),
      included: null,
      billable: null,
      unitPrice: null,
      amount: null,
      listAmount: null,
      priced: termsOf(prices, key) !== null,
      duplicatesNotCharged: duplicates,
    };
  });
}

/** The lines of one organization in such a period: those with use. */
export function quantityEntry(organizationId: string, prices: Terms['prices'], months: UseOfMonths): OrganizationUsage {
  const used = new Set(months.flatMap(({ sums }) => [...byPriceKey(prices, sums).keys()]));
  return {
    organizationId,
    listAmount: null,
    lines: quantityLines(prices, months)
      .filter(({ dimension }) => used.has(dimension))
      .map(({ metric, dimension, quantity, duplicatesNotCharged }) => ({
        metric,
        dimension,
        quantity,
        included: null,
        billable: null,
        listAmount: null,
        duplicatesNotCharged,
      })),
  };
}

/** What work was done, without money. */
export function processingFigures(sums: Sums): UsageAnswer['processing'] {
  return (['audio_hours', 'ocr_frames', 'source_bytes'] as const).flatMap((metric) => {
    const { label, unit, perUnit } = metricOf(metric);
    const sum = sums.get(metric);
    if (sum === undefined) return [];
    return [{ metric, label, unit, quantity: toNumber(fraction(sum.quantity, perUnit)), events: sum.events }];
  });
}
