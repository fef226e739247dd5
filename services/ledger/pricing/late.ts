import type { Sums } from '../sums.ts';
import { fraction, isLess, least, minus, notNegative, plus, rounded, times, type Fraction } from './fraction.ts';
import {
  amountOf,
  byPriceKey,
  includedOf,
  lineKeys,
  metricOfKey,
  minimumOf,
  moneyParts,
  termsOf,
  unitsOf,
  type Line,
  type Terms,
} from './lines.ts';
import { priceOf, priceOfPart, quantityParts } from './tiers.ts';

/** A closed month for which use arrived later. */
export interface ClosedMonth {
  terms: Terms;
  /** What it was charged for so far: in its statement, and as late lines of later ones. */
  charged: Sums;
}

function larger(one: bigint, other: bigint): bigint {
  return one < other ? other : one;
}

/**
 * The lines of late use of a closed month, each charged as the closed month would have charged it: its metered total with
 * all late use so far, less the one before this line, each raised to the month's minimum.
 */
export function lateLines({ terms, charged }: ClosedMonth, late: Sums): Line[] {
  const before = new Map([...byPriceKey(terms.prices, charged)].map(([key, { quantity }]) => [key, quantity]));
  const added = byPriceKey(terms.prices, late);
  const minimum = minimumOf(terms);
  const unitsBefore = (key: string): Fraction => unitsOf(metricOfKey(key), before.get(key) ?? 0n, terms.days);
  let metered = lineKeys(terms.prices, before.keys())
    .map((key) => amountOf(terms, key, unitsBefore(key)))
    .reduce((sum, amount) => sum + amount, 0n);
  const lines: Line[] = [];
  for (const key of lineKeys(terms.prices, added.keys())) {
    const use = added.get(key);
    if (use === undefined) continue;
    const metric = metricOfKey(key);
    const quantity = unitsOf(metric, use.quantity, terms.days);
    const price = termsOf(terms.prices, key);
    const common = { metric, key, quantity, duplicates: use.duplicates, terms: price };
    if (price === null) {
      const none = { unitPrice: null, amount: null, listAmount: null };
      lines.push({ ...common, included: fraction(0n), billable: quantity, ...none });
      continue;
    }
    const from = unitsBefore(key);
    const to = plus(from, quantity);
    const cost = amountOf(terms, key, to) - amountOf(terms, key, from);
    const amount = larger(metered + cost, minimum) - larger(metered, minimum);
    metered += cost;
    const allowance = includedOf(metric, price, terms.days);
    const ofAllowance = least(quantity, notNegative(minus(allowance, from)));
    const rest = minus(quantity, ofAllowance);
    const ofMinimum = cost === 0n ? fraction(0n) : times(rest, fraction(cost - amount, cost));
    const included = fraction(rounded(plus(ofAllowance, ofMinimum), quantityParts), quantityParts);
    const billed = notNegative(minus(from, allowance));
    lines.push({
      ...common,
      included: isLess(quantity, included) ? quantity : included,
      billable: notNegative(minus(quantity, included)),
      unitPrice: priceOfPart(price, billed, plus(billed, rest)).unitPrice,
      amount,
      listAmount: rounded(priceOf(price, to).amount, moneyParts) - rounded(priceOf(price, from).amount, moneyParts),
    });
  }
  return lines;
}
