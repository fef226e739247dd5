/** Greatest amount of money that is written by hand, in hundredths of the currency unit. */
export const maxMoney = 100_000_000_000_000;

/** Money as text with two decimals: 1250 is `12.50`. @param hundredths of the currency unit, a whole number */
export function moneyText(hundredths: number): string {
  const digits = Math.abs(hundredths).toString().padStart(3, '0');
  return `${hundredths < 0 ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/**
 * An amount of money as people write it, in hundredths of the currency unit: `-12.5` is -1250.
 * @throws Error if it has more than two decimals, or is more than `maxMoney`
 */
export function hundredthsOf(text: string): number {
  const [, sign, whole = '', decimals = ''] = /^(-?)(\d{1,13})(?:\.(\d{1,2}))?$/.exec(text) ?? [];
  const hundredths = Number(`${whole}${decimals.padEnd(2, '0')}`);
  if (whole === '' || hundredths > maxMoney)
    throw new Error(`${text} is no amount of money: a number with at most two decimals, such as -12.50`);
  return sign === '-' && hundredths > 0 ? -hundredths : hundredths;
}
