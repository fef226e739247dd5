import type { PriceTerms } from '../../../models/prices.ts';
import { fraction, isLess, least, minus, notNegative, plus, times, zero, type Fraction } from './fraction.ts';

/** Parts of a unit in which price files count quantities. */
export const quantityParts = 1_000_000n;
/** Parts of the currency unit in which price files count prices. */
export const priceParts = 1_000_000_000n;

/** What a quantity costs. */
export interface TieredPrice {
  /** Exact, in currency units. */
  amount: Fraction;
  /** The one price of a unit, in billionths; null where several tiers applied. The first one's for nothing. */
  unitPrice: number | null;
}

/**
 * What the part of a quantity from `from` to `to` units costs, where prices are graduated: each unit costs what its tier
 * says.
 */
export function priceOfPart({ tiers }: Pick<PriceTerms, 'tiers'>, from: Fraction, to: Fraction): TieredPrice {
  let amount = zero;
  let begins = zero;
  const applied: number[] = [];
  let tierOfNothing: number | null = null;
  for (const { upTo, unitPrice } of tiers) {
    const ends = upTo === null ? to : fraction(BigInt(upTo), quantityParts);
    const part = minus(least(ends, to), isLess(begins, from) ? from : begins);
    if (tierOfNothing === null && (upTo === null || isLess(from, ends))) tierOfNothing = unitPrice;
    if (part.over > 0n) {
      amount = plus(amount, times(part, fraction(BigInt(unitPrice), priceParts)));
      applied.push(unitPrice);
    }
    begins = ends;
  }
  const [only = tierOfNothing, ...more] = applied;
  return { amount, unitPrice: more.length === 0 ? only : null };
}

/** What a quantity costs from the first unit. */
export function priceOf(terms: Pick<PriceTerms, 'tiers'>, quantity: Fraction): TieredPrice {
  return priceOfPart(terms, zero, notNegative(quantity));
}
