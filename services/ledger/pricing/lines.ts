import type { PriceList, PriceTerms } from '../../../models/prices.ts';
import { baseUnitsPerUnit, metricOf, usageMetricNames, type UsageMetric } from '../../../models/usage-metric.ts';
import { partsOf, type Sums } from '../sums.ts';
import { fraction, minus, notNegative, rounded, type Fraction } from './fraction.ts';
import { priceOf, quantityParts } from './tiers.ts';

/** Parts of the currency unit in which money is kept. */
export const moneyParts = 100n;

/** What a month is charged by. */
export interface Terms {
  /** Null: nothing is priced. */
  prices: PriceList | null;
  /** Least that the month costs, in hundredths of the currency unit, before proration. */
  minimum: number;
  days: MonthDays;
}

/** Days of a month, and those with service. */
export interface MonthDays {
  active: number;
  inMonth: number;
}

/** A line of metered use. Money is in hundredths of the currency unit. */
export interface Line {
  metric: UsageMetric;
  /** The price key: `<metric>`, or `<metric>/<dimension>` where that has a price of its own. */
  key: string;
  quantity: Fraction;
  duplicates: number;
  /** Null where the metric has no price. */
  terms: PriceTerms | null;
  included: Fraction;
  billable: Fraction;
  /** Billionths; null without a price, and where several tiers applied. */
  unitPrice: number | null;
  amount: bigint | null;
  listAmount: bigint | null;
}

/** The price of a price key; null without one. */
export function termsOf(prices: PriceList | null, key: string): PriceTerms | null {
  const { metric, dimension } = partsOf(key);
  const price = prices?.prices.find((each) => each.metric === metric);
  if (price === undefined) return null;
  if (dimension === null) return price;
  const parts = price.dimensions ?? {};
  return (Object.hasOwn(parts, dimension) ? parts[dimension] : undefined) ?? null;
}

/** The price key that a part of a metric is charged under. */
export function priceKeyOf(prices: PriceList | null, key: string): string {
  const { metric, dimension } = partsOf(key);
  return dimension !== null && termsOf(prices, key) !== null ? key : metric;
}

/** What was used by price key. A key's part of a metric is one line, and all parts without a price another one. */
export function byPriceKey(
  prices: PriceList | null,
  sums: Sums,
): Map<string, { quantity: bigint; duplicates: number }> {
  const used = new Map<string, { quantity: bigint; duplicates: number }>();
  for (const [key, { quantity, duplicates }] of sums) {
    const priceKey = priceKeyOf(prices, key);
    const known = used.get(priceKey) ?? { quantity: 0n, duplicates: 0 };
    used.set(priceKey, { quantity: known.quantity + quantity, duplicates: known.duplicates + duplicates });
  }
  return used;
}

/** Whether use of a metric makes a line: work that is only described does not, unless it has a price. */
function hasLines(metric: UsageMetric, prices: PriceList | null): boolean {
  const { kind } = metricOf(metric);
  return kind === 'charged' || (kind === 'work' && termsOf(prices, metric) !== null);
}

/** Price keys with a line, in the order of answers: metrics as in the catalogue, each before its dimensions by name. */
export function lineKeys(prices: PriceList | null, used: Iterable<string>): string[] {
  const keys = new Set(used);
  for (const { metric, dimensions = {} } of prices?.prices ?? []) {
    keys.add(metric);
    for (const name of Object.keys(dimensions)) keys.add(`${metric}/${name}`);
  }
  const sorted = [...keys].toSorted((one, other) => (one < other ? -1 : 1));
  return usageMetricNames
    .filter((metric) => hasLines(metric, prices))
    .flatMap((metric) => sorted.filter((key) => partsOf(key).metric === metric));
}

/** The metric of a price key. */
export function metricOfKey(key: string): UsageMetric {
  const { metric } = partsOf(key);
  const found = usageMetricNames.find((name) => name === metric);
  if (found === undefined) throw new Error(`${key} is no price key`);
  return found;
}

/** A quantity in units. */
export function unitsOf(metric: UsageMetric, baseUnits: bigint, { inMonth }: Pick<MonthDays, 'inMonth'>): Fraction {
  return fraction(baseUnits, baseUnitsPerUnit(metric, inMonth));
}

/**
 * What the plan includes in a month: in one with service in part, as many parts of it as days. Six decimals; whole
 * searches of the dashboard, halves up.
 */
export function includedOf(metric: UsageMetric, { included }: PriceTerms, { active, inMonth }: MonthDays): Fraction {
  if (active === inMonth) return fraction(BigInt(included), quantityParts);
  const part = fraction(BigInt(included) * BigInt(active), quantityParts * BigInt(inMonth));
  if (metric === 'dashboard_searches') return fraction(rounded(part));
  return fraction(rounded(part, quantityParts), quantityParts);
}

/** The minimum of a month, in hundredths of the currency unit: of one with service in part, as many parts as days. */
export function minimumOf({ prices, minimum, days: { active, inMonth } }: Terms): bigint {
  return prices === null ? 0n : rounded(fraction(BigInt(minimum) * BigInt(active), BigInt(inMonth)));
}

/** What a quantity of a price key costs in a month, in hundredths of the currency unit: the one rounding of a line. */
export function amountOf(terms: Terms, key: string, quantity: Fraction): bigint {
  const price = termsOf(terms.prices, key);
  if (price === null) return 0n;
  const billable = notNegative(minus(quantity, includedOf(metricOfKey(key), price, terms.days)));
  return rounded(priceOf(price, billable).amount, moneyParts);
}

/** The line of what was used under a price key. */
function lineOf(terms: Terms, key: string, used: { quantity: bigint; duplicates: number } | undefined): Line {
  const metric = metricOfKey(key);
  const price = termsOf(terms.prices, key);
  const quantity = unitsOf(metric, used?.quantity ?? 0n, terms.days);
  const common = { metric, key, quantity, duplicates: used?.duplicates ?? 0, terms: price };
  if (price === null)
    return {
      ...common,
      included: fraction(0n),
      billable: quantity,
      unitPrice: null,
      amount: null,
      listAmount: null,
    };
  const included = includedOf(metric, price, terms.days);
  const billable = notNegative(minus(quantity, included));
  return {
    ...common,
    included,
    billable,
    unitPrice: priceOf(price, billable).unitPrice,
    amount: amountOf(terms, key, quantity),
    listAmount: rounded(priceOf(price, quantity).amount, moneyParts),
  };
}

/** The lines of metered use of a month, in the order of answers. */
export function meteredLines(terms: Terms, sums: Sums): Line[] {
  const used = byPriceKey(terms.prices, sums);
  return lineKeys(terms.prices, used.keys()).map((key) => lineOf(terms, key, used.get(key)));
}

/** The lines of what one organization used: its quantity, through the tiers from the first unit. */
export function listLines(terms: Terms, sums: Sums): Line[] {
  const used = byPriceKey(terms.prices, sums);
  return lineKeys(terms.prices, used.keys())
    .filter((key) => used.has(key))
    .map((key) => {
      const line = lineOf(terms, key, used.get(key));
      if (line.terms === null) return line;
      return { ...line, billable: line.quantity, unitPrice: priceOf(line.terms, line.quantity).unitPrice };
    });
}
