/** An exact number: a whole number over a positive one. */
export interface Fraction {
  over: bigint;
  under: bigint;
}

/** Nothing. */
export const zero: Fraction = { over: 0n, under: 1n };

/** A whole number of parts. */
export function fraction(over: bigint, under = 1n): Fraction {
  return { over, under };
}

/** The sum of two numbers. */
export function plus(one: Fraction, other: Fraction): Fraction {
  if (one.under === other.under) return { over: one.over + other.over, under: one.under };
  return { over: one.over * other.under + other.over * one.under, under: one.under * other.under };
}

/** The difference of two numbers. */
export function minus(one: Fraction, other: Fraction): Fraction {
  return plus(one, { over: -other.over, under: other.under });
}

/** The product of two numbers. */
export function times(one: Fraction, other: Fraction): Fraction {
  return { over: one.over * other.over, under: one.under * other.under };
}

/** Whether the first number is less than the second. */
export function isLess(one: Fraction, other: Fraction): boolean {
  return one.over * other.under < other.over * one.under;
}

/** The lesser of two numbers. */
export function least(one: Fraction, other: Fraction): Fraction {
  return isLess(other, one) ? other : one;
}

/** The number, or 0 where it is less. */
export function notNegative(one: Fraction): Fraction {
  return one.over < 0n ? zero : one;
}

/** The nearest whole number of parts of `1 / parts`; halves away from zero. */
export function rounded({ over, under }: Fraction, parts = 1n): bigint {
  const scaled = over * parts;
  const magnitude = scaled < 0n ? -scaled : scaled;
  const whole = (2n * magnitude + under) / (2n * under);
  return scaled < 0n ? -whole : whole;
}

/**
 * The JavaScript number that is nearest to an exact one, for answers. Nothing is computed with it.
 */
export function toNumber({ over, under }: Fraction): number {
  const limit = BigInt(Number.MAX_SAFE_INTEGER);
  // Both are exact as JavaScript numbers, and one division rounds once.
  if (over <= limit && over >= -limit && under <= limit) return Number(over) / Number(under);
  // Enough digits that reading them as text rounds to the nearest.
  const digits = 40n;
  const magnitude = over < 0n ? -over : over;
  const scaled = (magnitude * 10n ** digits) / under;
  return Number(`${over < 0n ? '-' : ''}${scaled.toString()}e-${digits.toString()}`);
}
