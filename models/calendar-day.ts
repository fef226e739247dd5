const millisecondsOfADay = 86_400_000;
/** Formatters by time zone: creating one costs a hundred times as much as using it. There are about 600 zones. */
const formatters = new Map<string, Intl.DateTimeFormat>();

function formatterOf(timeZone: string): Intl.DateTimeFormat {
  let formatter = formatters.get(timeZone);
  if (formatter === undefined) {
    formatter = new Intl.DateTimeFormat('en', {
      timeZone,
      calendar: 'gregory',
      numberingSystem: 'latn',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
    });
    formatters.set(timeZone, formatter);
  }
  return formatter;
}

/**
 * The calendar day of an instant in an IANA time zone, as a number of days since 1970-01-01. Days can be counted and
 * compared across daylight saving changes.
 * @throws RangeError for an unknown time zone
 */
export function calendarDay(milliseconds: number, timeZone: string): number {
  const parts = new Map(
    formatterOf(timeZone)
      .formatToParts(milliseconds)
      .map(({ type, value }) => [type, Number(value)]),
  );
  return Date.UTC(parts.get('year') ?? 0, (parts.get('month') ?? 1) - 1, parts.get('day') ?? 1) / millisecondsOfADay;
}

/** A calendar day as YYYY-MM-DD. */
export function dayText(day: number): string {
  return new Date(day * millisecondsOfADay).toISOString().slice(0, 10);
}
