import { createHash } from 'node:crypto';
import { calendarDay } from '../../models/calendar-day.ts';

const hour = 3_600_000;
const day = 24 * hour;
/** When nights begin, after midnight. */
const nightHour = 2 * hour;

/** The offset of a connector's sync within the hour of nightly syncs, in milliseconds: constant for a connector. */
export function offsetInHour(connectorId: string): number {
  return createHash('sha256').update(connectorId).digest().readUInt32BE(0) % hour;
}

/** Formatters by time zone: creating one costs a hundred times as much as using it. There are about 600 zones. */
const formatters = new Map<string, Intl.DateTimeFormat>();

/**
 * The local time of a time zone at an instant, as milliseconds of UTC. No current zone has an offset with a fraction of
 * a second.
 */
function clockAt(milliseconds: number, timeZone: string): number {
  const options = {
    timeZone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  } as const;
  const formatter = formatters.get(timeZone) ?? new Intl.DateTimeFormat('en', options);
  formatters.set(timeZone, formatter);
  const parts = new Map(formatter.formatToParts(milliseconds).map(({ type, value }) => [type, Number(value)]));
  const part = (name: Intl.DateTimeFormatPartTypes): number => parts.get(name) ?? 0;
  return Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'));
}

/**
 * The instant of 02:00 on a calendar day (as `calendarDay` counts them) in a time zone. Where 02:00 occurs twice, it is
 * the first; where it is skipped, the instant of the change.
 */
export function beginOfNight(dayNumber: number, timeZone: string): number {
  const shown = dayNumber * day + nightHour;
  const offsetAt = (instant: number): number => clockAt(instant, timeZone) - instant;
  const before = offsetAt(shown - day);
  const candidates = [...new Set([before, offsetAt(shown + day)])]
    .map((offset) => shown - offset)
    .filter((instant) => clockAt(instant, timeZone) === shown);
  // 02:00 is skipped: the offset before the change gives the instant of the change.
  return candidates.length > 0 ? Math.min(...candidates) : shown - before;
}

/**
 * The first nightly sync of a connector after an instant, in milliseconds: within the hour from 02:00 of a time zone,
 * at the connector's own offset, once a night also when the clocks change.
 * @throws RangeError for an unknown time zone
 */
export function nextNight(after: number, timeZone: string, connectorId: string): number {
  const offset = offsetInHour(connectorId);
  const today = calendarDay(after, timeZone);
  for (let dayNumber = today - 1; ; dayNumber += 1) {
    const instant = beginOfNight(dayNumber, timeZone) + offset;
    if (instant > after) return instant;
  }
}
