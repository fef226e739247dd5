import type { Language } from '../app/preferences.ts';

/** Numbers, sizes and times as people read them. */
export interface Format {
  number: (value: number) => string;
  /** 0 to 1 as percent. */
  percent: (share: number) => string;
  /** Bytes with a decimal unit. */
  bytes: (value: number) => string;
  /** RFC 3339 to day and time. */
  time: (at: string) => string;
  /** The same with seconds. */
  exactTime: (at: string) => string;
  /** Day and time of a field (YYYY-MM-DDTHH:MM), which are those of the zone, to RFC 3339. */
  instant: (local: string) => string;
  /** A BCP 47 tag to the name of the language; what is none stays as it is. */
  language: (tag: string) => string;
  /** RFC 3339 to "3 minutes ago". */
  ago: (at: string) => string;
  /** Seconds of a recording as 1:02:03. */
  clock: (seconds: number) => string;
}

const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte', 'petabyte'] as const;
const spans = [
  ['second', 60],
  ['minute', 60],
  ['hour', 24],
  ['day', 30],
  ['month', 12],
  ['year', Infinity],
] as const;

/** Seconds of a recording as 1:02:03. */
export function clock(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const two = (value: number): string => String(value).padStart(2, '0');
  return hours > 0 ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`;
}

/** The options of a zone: none, which is the browser's own, where it is left out or the browser is older than the zone. */
function zoned(timeZone: string | undefined): { timeZone?: string } {
  if (timeZone === undefined) return {};
  try {
    return { timeZone: new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone };
  } catch {
    return {};
  }
}

/** Reads days and times of a zone. A time that clocks leave out is an hour off, and of one that they repeat the first counts. */
function instantsOf(zone: { timeZone?: string }): (local: string) => string {
  const numeric = { year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric' } as const;
  const parts = new Intl.DateTimeFormat('en', { ...numeric, hourCycle: 'h23', ...zone });
  /** What clocks of the zone show, as if it were UTC: milliseconds. */
  const shown = (at: number): number => {
    const found = new Map(parts.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
    const of = (type: keyof typeof numeric): number => found.get(type) ?? 0;
    return Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'));
  };
  return (local) => {
    const wanted = Date.parse(`${local}Z`);
    const offsetAt = (at: number): number => shown(at) - at;
    // Clocks change once in two days at most, so the zone has one of these offsets.
    const near = [offsetAt(wanted - 86_400_000), offsetAt(wanted + 86_400_000)].map((offset) => wanted - offset);
    return new Date(near.find((at) => shown(at) === wanted) ?? Math.max(...near)).toISOString();
  };
}

/** How values are written in a language and a time zone (the browser's if left out). */
export function formatOf(language: Language, timeZone?: string): Format {
  const number = new Intl.NumberFormat(language);
  const percent = new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 0 });
  const zone = zoned(timeZone);
  const dateWith = (timeStyle: 'short' | 'medium'): Intl.DateTimeFormat =>
    new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle, ...zone });
  const [date, exact] = [dateWith('short'), dateWith('medium')];
  const languages = new Intl.DisplayNames(language, { type: 'language' });
  const relative = new Intl.RelativeTimeFormat(language, { numeric: 'auto' });
  return {
    number: (value) => number.format(value),
    percent: (share) => percent.format(share),
    bytes: (value) => {
      const step = Math.min(units.length - 1, value < 1 ? 0 : Math.floor(Math.log10(value) / 3));
      const unit = units[step] ?? 'byte';
      const digits = step === 0 ? 0 : 1;
      return new Intl.NumberFormat(language, {
        style: 'unit',
        unit,
        unitDisplay: step === 0 ? 'long' : 'short',
        maximumFractionDigits: digits,
      }).format(value / 1000 ** step);
    },
    time: (at) => date.format(new Date(at)),
    exactTime: (at) => exact.format(new Date(at)),
    instant: instantsOf(zone),
    language: (tag) => {
      try {
        return languages.of(tag) ?? tag;
      } catch {
        // The API takes any text for the language of a file, and `of` throws a RangeError where it is no tag.
        return tag;
      }
    },
    ago: (at) => {
      let amount = (Date.parse(at) - Date.now()) / 1000;
      for (const [unit, size] of spans) {
        if (Math.abs(amount) < size) return relative.format(Math.round(amount), unit);
        amount /= size;
      }
      return at;
    },
    clock,
  };
}
