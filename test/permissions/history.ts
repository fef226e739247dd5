/** A time of the test's clock, in milliseconds. */
export type Moment = number;

/** The current time. */
export const moment = (): Moment => performance.now();

/** A value that took effect at some moment between `from` and `settled`. */
interface Period<T> {
  value: T;
  from: Moment;
  settled: Moment;
}

/**
 * The history of a value as seen from outside: a write takes effect at one moment between request and response.
 * Concurrent writes are recorded in the order that was found afterwards.
 */
export class History<T> {
  private readonly periods: Period<T>[];

  constructor(value: T) {
    this.periods = [{ value, from: 0, settled: 0 }];
  }

  /** Starts a write; call the returned function after its response. */
  begin(value: T): () => void {
    const period = { value, from: moment(), settled: Number.POSITIVE_INFINITY };
    this.periods.push(period);
    return () => {
      period.settled = moment();
    };
  }

  /** The last written value. */
  get latest(): T {
    return this.periods.at(-1)!.value;
  }

  /** Every possible value between two moments. */
  during(start: Moment, end: Moment): T[] {
    return this.periods
      .filter(
        ({ from }, index) => from <= end && (this.periods[index + 1]?.settled ?? Number.POSITIVE_INFINITY) >= start,
      )
      .map(({ value }) => value);
  }
}

/** Certain, impossible, or either, because it changed meanwhile. */
export type Verdict = 'yes' | 'no' | 'either';

/** The verdict on several conditions that must all be true, given the possible values of each. */
export function all(conditions: readonly (readonly boolean[])[]): Verdict {
  if (conditions.every((values) => values.every(Boolean))) return 'yes';
  return conditions.every((values) => values.some(Boolean)) ? 'either' : 'no';
}
