/** A moment of the test's own clock, in milliseconds. */
export type Moment = number;

/** A moment now. */
export const moment = (): Moment => performance.now();

/** A value that came to hold at some moment between `from` and `settled`. */
interface Period<T> {
  value: T;
  from: Moment;
  settled: Moment;
}

/**
 * What a value was over time, as far as somebody outside can know: a write takes effect at one moment between the
 * request and its answer. Writes that run at the same time are told in the order that was found out afterwards.
 */
export class History<T> {
  private readonly periods: Period<T>[];

  constructor(value: T) {
    this.periods = [{ value, from: 0, settled: 0 }];
  }

  /** A write begins; the function that is answered is called when its answer is there. */
  begin(value: T): () => void {
    const period = { value, from: moment(), settled: Number.POSITIVE_INFINITY };
    this.periods.push(period);
    return () => {
      period.settled = moment();
    };
  }

  /** The last value that was written. */
  get latest(): T {
    return this.periods.at(-1)!.value;
  }

  /** Every value that may have held at some moment between the two. */
  during(start: Moment, end: Moment): T[] {
    return this.periods
      .filter(
        ({ from }, place) => from <= end && (this.periods[place + 1]?.settled ?? Number.POSITIVE_INFINITY) >= start,
      )
      .map(({ value }) => value);
  }
}

/** Whether something is so: surely, surely not, or either, because it changed meanwhile. */
export type Verdict = 'yes' | 'no' | 'either';

/** The verdict over several conditions that must all hold, of each of which these values are possible. */
export function all(conditions: readonly (readonly boolean[])[]): Verdict {
  if (conditions.every((values) => values.every(Boolean))) return 'yes';
  return conditions.every((values) => values.some(Boolean)) ? 'either' : 'no';
}
