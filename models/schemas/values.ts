import { invalid } from '../errors.ts';
import { leaf } from './leaf.ts';
import type { Schema } from './schema.ts';

/** A pattern that texts are tested with, as JSON Schema (ECMA-262 with the `u` flag) and the check both use it. */
export interface Form {
  source: string;
  /** Ends the sentence "must be ...". */
  expected: string;
}

/** Texts hold neither NUL nor (which a pattern cannot say) half of a surrogate pair. */
const withoutNul = '^[^\\u0000]*$';

/** Number of Unicode code points. */
export function codePoints(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    // The second half of a pair does not count.
    if (unit < 0xdc00 || unit > 0xdfff) count += 1;
  }
  return count;
}

/** What is wrong with a text of `least` to `most` code points: a phrase, or null. */
export function textFault(text: string, least: number, most: number): string | null {
  if (!text.isWellFormed() || text.includes('\0')) return 'must hold neither NUL nor half of a surrogate pair';
  if (text.length < least || (text.length < least * 2 && codePoints(text) < least)) return least === 1 ? 'must not be empty' : `must have at least ${least} characters`;
  // At most two units make a code point.
  if (text.length > most * 2 || (text.length > most && codePoints(text) > most)) return `must have at most ${most} characters`;
  return null;
}

const isText = leaf({ type: 'string', empty: true });

/** A text of `least` to `most` Unicode code points, of a given form if any. Nothing is trimmed. */
export function text(least: number, most: number, form?: Form): Schema<string> {
  const pattern = form === undefined ? null : new RegExp(form.source, 'u');
  return {
    json: { type: 'string', ...(least > 0 ? { minLength: least } : {}), maxLength: most, pattern: form?.source ?? withoutNul },
    check: (value) => {
      isText(value);
      const given = String(value);
      const fault = textFault(given, least, most);
      if (fault !== null) throw invalid([], fault);
      if (pattern !== null && !pattern.test(given)) throw invalid([], `must be ${form?.expected ?? 'well formed'}`);
      return given;
    },
  };
}

/** A schema whose value is made of another's. `make` refuses what has no such value. */
export function mapped<T, U>(schema: Schema<T>, make: (value: T) => U): Schema<U> {
  return { json: schema.json, check: (value) => make(schema.check(value)) };
}

/** One of a few words. */
export function word<const W extends string>(...words: W[]): Schema<W> {
  const check = leaf({ type: 'enum', values: words });
  return {
    json: { type: 'string', enum: words },
    check: (value) => {
      check(value);
      const found = words.find((candidate) => candidate === value);
      if (found === undefined) throw invalid([], `must be one of ${words.join(', ')}`);
      return found;
    },
  };
}

/** A whole number from `least` to `most`. Minus zero becomes zero. */
export function whole(least: number, most: number = Number.MAX_SAFE_INTEGER): Schema<number> {
  const check = leaf({ type: 'number', integer: true, min: least, max: most });
  return {
    json: { type: 'integer', minimum: least, maximum: most },
    check: (value) => {
      check(value);
      return Number(value) + 0;
    },
  };
}

/** A whole number from `least`; more than `most` counts as `most`. */
export function lowered(least: number, most: number): Schema<number> {
  const check = leaf({ type: 'number', integer: true, min: least });
  return {
    json: { type: 'integer', minimum: least, description: `More than ${most} counts as ${most}.` },
    check: (value) => {
      check(value);
      return Math.min(Number(value) + 0, most);
    },
  };
}

const isFlag = leaf({ type: 'boolean' });

/** True or false. */
export const flag: Schema<boolean> = {
  json: { type: 'boolean' },
  check: (value) => {
    isFlag(value);
    return value === true;
  },
};

const uuidForm: Form = { source: '^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$', expected: 'a UUID' };
const uuidPattern = new RegExp(uuidForm.source);

/** A UUID in either case; it becomes lower case. */
export const uuid: Schema<string> = {
  json: { type: 'string', format: 'uuid', pattern: uuidForm.source },
  check: (value) => {
    isText(value);
    const given = String(value);
    if (!uuidPattern.test(given)) throw invalid([], `must be ${uuidForm.expected}`);
    return given.toLowerCase();
  },
};

const instantPattern = /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(\.\d{1,9})?([Zz]|[+-](\d{2}):(\d{2}))$/;

/**
 * Milliseconds of an ISO 8601 date-time with its zone, as RFC 3339 profiles it (seconds needed, `T` and `Z` in
 * either case); null for anything else, such as a date alone or the 30th of February.
 */
export function instant(given: string): number | null {
  const parts = instantPattern.exec(given);
  if (parts === null) return null;
  const [year, month, day, hour, minute, second] = parts.slice(1, 7).map(Number);
  if (year === undefined || month === undefined || day === undefined || hour === undefined || minute === undefined || second === undefined) return null;
  const lastDay = new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate();
  if (month < 1 || month > 12 || day < 1 || day > lastDay || hour > 23 || minute > 59 || second > 60) return null;
  if (Number(parts[9] ?? 0) > 23 || Number(parts[10] ?? 0) > 59) return null;
  if (second === 60) return afterLeapSecond(given);
  const milliseconds = Date.parse(given.toUpperCase());
  return Number.isNaN(milliseconds) ? null : milliseconds;
}

/** A leap second ends a day of UTC (RFC 3339, 5.7). Clocks that do not know it are then at the first instant of the next day. */
function afterLeapSecond(given: string): number | null {
  const before = Date.parse(`${given.slice(0, 17)}59${(/[Zz]$|[+-]\d{2}:\d{2}$/.exec(given)?.[0] ?? '').toUpperCase()}`);
  const midnight = before + 1000;
  return midnight % 86_400_000 === 0 ? midnight : null;
}

/** A fraction of a second that does not end with a whole millisecond. */
const withinMillisecond = /\.\d{3}0*[1-9]/;

/**
 * An ISO 8601 date-time with its zone; its value is milliseconds since the epoch. It is compared with instants that are
 * whole milliseconds, so the next one stands for what lies between two: after and before it are the same instants.
 */
export const dateTime: Schema<number> = {
  json: { type: 'string', format: 'date-time' },
  check: (value) => {
    isText(value);
    const given = String(value);
    const milliseconds = instant(given);
    if (milliseconds === null) throw invalid([], 'must be an ISO 8601 date-time with its zone, such as 2026-01-31T09:30:00Z');
    return withinMillisecond.test(given) ? milliseconds + 1 : milliseconds;
  },
};
