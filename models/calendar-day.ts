const millisecondsOfADay = 86_400_000;
/** Formatters by time zone: making one costs a hundred times its use. There are some 600 zones. */
const formatters = new Map<string, Intl.DateTimeFormat>();

function formatterOf(timeZone: string): Intl.DateTimeFormat {
  let formatter = formatters.get(timeZone);
  if (formatter === undefined) {
    formatter = new Intl.DateTimeFormat('en', { timeZone, calendar: 'gregory', numberingSystem: 'latn', year: 'numeric', month: 'numeric', day: 'numeric' });
    formatters.set(timeZone, formatter);
  }
  return formatter;
}

/**
 * The calendar day of an instant in an IANA time zone, as a number that grows by one a day (0 is 1970-01-01): days can be
 * counted and compared, whatever the clocks did.
 * @throws RangeError for an unknown time zone
 */
export function calendarDay(milliseconds: number, timeZone: string): number {
  const parts = new Map(formatterOf(timeZone).formatToParts(milliseconds).map(({ type, value }) => [type, Number(value)]));
  return Date.UTC(parts.get('year') ?? 0, (parts.get('month') ?? 1) - 1, parts.get('day') ?? 1) / millisecondsOfADay;
}

/** A calendar day as YYYY-MM-DD. */
export function dayText(day: number): string {
  return new Date(day * millisecondsOfADay).toISOString().slice(0, 10);
}
