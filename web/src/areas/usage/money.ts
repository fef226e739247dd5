/** An amount in its currency; without one, the number alone. Nothing for no amount. */
export function money(value: number | null, currency: string | null, language: string): string {
  if (value === null) return '';
  if (currency === null) return String(value);
  return new Intl.NumberFormat(language, { style: 'currency', currency }).format(value);
}
