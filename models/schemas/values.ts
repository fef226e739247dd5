import { invalid } from '../errors.ts';
import { schemaOf, withStep, type Schema } from './schema.ts';

/** A pattern of texts, for JSON Schema (ECMA-262 with the `u` flag) and for the check. */
export interface Form {
  source: string;
  /** Ends the sentence "must be ...". */
  expected: string;
}

/** Texts contain no NUL and, which a pattern cannot express, no lone surrogates. */
const withoutNul = '^[^\\u0000]*$';

/** A text of `min` to `max` Unicode code points, of a given form if any. Nothing is trimmed. */
export function text(min: number, max: number, form?: Form): Schema<string> {
  return schemaOf(
    {
      type: 'string',
      ...(min > 0 ? { minLength: min } : {}),
      maxLength: max,
      pattern: form?.source ?? withoutNul,
    },
    {
      type: 'string',
      min,
      max,
      ...(form === undefined ? {} : { pattern: form.source, expected: form.expected }),
    },
  );
}

/** A schema whose value is made from another schema's value. `make` may refuse it. */
export function mapped<T>(schema: Schema<T>, make: (value: T) => T): Schema<T>;
/** The same with a value of another type. @param made the schema of such a value */
export function mapped<T, U>(schema: Schema<T>, make: (value: T) => U, made: Schema<U>): Schema<U>;
export function mapped<T, U>(schema: Schema<T>, make: (value: T) => U, made?: Schema<U>): Schema<U> {
  return schemaOf(schema.json, withStep(schema.rule, make), made === undefined ? schema.checked : made.checked);
}

/** One of several words. */
export function oneOf<const W extends string>(...words: W[]): Schema<W> {
  return schemaOf({ type: 'string', enum: words }, { type: 'enum', values: words });
}

/** Minus zero becomes zero. */
function withoutMinusZero(value: number): number {
  return value + 0;
}

/** A number, whole or not. */
export function decimal({ min, max }: { min?: number; max?: number }): Schema<number> {
  return schemaOf(
    {
      type: 'number',
      ...(min === undefined ? {} : { minimum: min }),
      ...(max === undefined ? {} : { maximum: max }),
    },
    {
      type: 'number',
      ...(min === undefined ? {} : { min }),
      ...(max === undefined ? {} : { max }),
      custom: [withoutMinusZero],
    },
  );
}

/** A whole number from `min` to `max`. */
export function integer(min: number, max: number = Number.MAX_SAFE_INTEGER): Schema<number> {
  return schemaOf(
    { type: 'integer', minimum: min, maximum: max },
    { type: 'number', integer: true, min, max, custom: [withoutMinusZero] },
  );
}

/** A whole number from `min`; more than `max` counts as `max`. */
export function lowered(min: number, max: number): Schema<number> {
  return schemaOf(
    { type: 'integer', minimum: min, description: `More than ${max} counts as ${max}.` },
    { type: 'number', integer: true, min, custom: [(value: number) => Math.min(value + 0, max)] },
  );
}

/** True or false. */
export const boolean: Schema<boolean> = schemaOf({ type: 'boolean' }, { type: 'boolean' });

const uuidForm: Form = {
  source: '^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$',
  expected: 'a UUID',
};

/** A UUID in either case; it becomes lower case. */
export const uuid: Schema<string> = schemaOf(
  { type: 'string', format: 'uuid', pattern: uuidForm.source },
  {
    type: 'string',
    pattern: uuidForm.source,
    expected: uuidForm.expected,
    custom: [(given: string) => given.toLowerCase()],
  },
);

const instantPattern = /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(\.\d{1,9})?([Zz]|[+-](\d{2}):(\d{2}))$/;

/**
 * Milliseconds of an ISO 8601 date-time with its zone, as RFC 3339 profiles it (seconds needed, `T` and `Z` in
 * either case); null for anything else, such as a date alone or the 30th of February.
 */
export function instant(given: string): number | null {
  const parts = instantPattern.exec(given);
  if (parts === null) return null;
  const [year, month, day, hour, minute, second] = parts.slice(1, 7).map(Number);
  if (
    year === undefined ||
    month === undefined ||
    day === undefined ||
    hour === undefined ||
    minute === undefined ||
    second === undefined
  )
    return null;
  const lastDay = new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate();
  if (month < 1 || month > 12 || day < 1 || day > lastDay || hour > 23 || minute > 59 || second > 60) return null;
  if (Number(parts[9] ?? 0) > 23 || Number(parts[10] ?? 0) > 59) return null;
  if (second === 60) return afterLeapSecond(given);
  const milliseconds = Date.parse(given.toUpperCase());
  return Number.isNaN(milliseconds) ? null : milliseconds;
}

/**
 * A leap second ends a day of UTC (RFC 3339, 5.7). Clocks without leap seconds are then at the first instant of the
 * next day.
 */
function afterLeapSecond(given: string): number | null {
  const before = Date.parse(
    `${given.slice(0, 17)}59${(/[Zz]$|[+-]\d{2}:\d{2}$/.exec(given)?.[0] ?? '').toUpperCase()}`,
  );
  const midnight = before + 1000;
  return midnight % 86_400_000 === 0 ? midnight : null;
}

/** A fraction of a second that does not end with a whole millisecond. */
const withinMillisecond = /\.\d{3}0*[1-9]/;

/**
 * An ISO 8601 date-time with its zone; its value is milliseconds since the epoch. It is compared with instants in whole
 * milliseconds, so a fraction is rounded up to the next one, which keeps the results of comparisons.
 */
export const dateTime: Schema<number> = schemaOf(
  { type: 'string', format: 'date-time' },
  {
    type: 'string',
    custom: [
      (given: string) => {
        const milliseconds = instant(given);
        if (milliseconds === null)
          throw invalid([], 'must be an ISO 8601 date-time with its zone, such as 2026-01-31T09:30:00Z');
        return withinMillisecond.test(given) ? milliseconds + 1 : milliseconds;
      },
    ],
  },
  { type: 'number', integer: true },
);
