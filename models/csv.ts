/** A text as a cell of RFC 4180. One with a control character is quoted as well: readers may take it for an end. */
export function csvCell(text: string): string {
  return /[",\p{Cc}]/u.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * A number as a plain decimal, without an exponent: the digits are those that JavaScript writes, so reading them gives the
 * same number.
 */
export function plainDecimal(value: number): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(value)) ?? [];
  if (whole === '') throw new Error(`${value} is no decimal number`);
  const digits = `${whole}${fraction}`;
  const point = whole.length + Number(exponent);
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`;
  if (point >= digits.length) return `${sign}${digits}${'0'.repeat(point - digits.length)}`;
  return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`;
}
