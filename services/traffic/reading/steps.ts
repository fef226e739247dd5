import { dayText } from '../../../models/calendar-day.ts';
import type { TrafficSums } from '../../../models/traffic.ts';
import { monthsOf, utcDay, type UtcPeriod } from '../../../models/utc-days.ts';
import { addSums, noSums } from '../sums.ts';

const secondsOfDay = 86_400;
/** Longest periods with a point for each hour, and for each day. */
const maxHourlyDays = 14;
const maxDailyDays = 400;

/** The steps of the series of a period. */
export interface Steps {
  resolution: 'hour' | 'day' | 'month';
  /** When each step begins, in seconds since 1970. */
  starts: readonly number[];
  /** The step of a day, or of an hour of it. */
  indexOf: (day: number, hour?: number) => number;
}

/** The steps of a period: hours up to 14 days, days up to 400, months beyond. */
export function stepsOf(period: UtcPeriod): Steps {
  const { from, to } = period;
  const days = to - from + 1;
  if (days <= maxHourlyDays)
    return {
      resolution: 'hour',
      starts: Array.from({ length: days * 24 }, (_, at) => from * secondsOfDay + at * 3600),
      indexOf: (day, hour = 0) => (day - from) * 24 + hour,
    };
  if (days <= maxDailyDays)
    return {
      resolution: 'day',
      starts: Array.from({ length: days }, (_, at) => (from + at) * secondsOfDay),
      indexOf: (day) => day - from,
    };
  const months = monthsOf(period);
  const place = new Map(months.map((month, at) => [month, at]));
  return {
    resolution: 'month',
    starts: months.map((month) => (utcDay(`${month}-01`) ?? 0) * secondsOfDay),
    indexOf: (day) => place.get(dayText(day).slice(0, 7)) ?? 0,
  };
}

/** The points of one series. */
export class Series {
  readonly #steps: Steps;
  readonly #sums: TrafficSums[];

  constructor(steps: Steps) {
    this.#steps = steps;
    this.#sums = steps.starts.map(noSums);
  }

  /** Adds what was counted on a day, or in an hour of it. */
  add(sums: Readonly<TrafficSums>, day: number, hour?: number): void {
    const step = this.#sums[this.#steps.indexOf(day, hour)];
    if (step !== undefined) addSums(step, sums);
  }

  /** Takes another series away. */
  subtract(other: Series): void {
    for (const [at, step] of this.#sums.entries())
      for (const [field, value] of (other.#sums[at] ?? noSums()).entries()) step[field] = (step[field] ?? 0) - value;
  }

  /** Whether nothing was counted. */
  get isEmpty(): boolean {
    return this.#sums.every((step) => step[1] === 0);
  }

  /** Points as the API shows them: seconds since 1970, then the sums. */
  get points(): number[][] {
    return this.#sums.map((step, at) => [this.#steps.starts[at] ?? 0, ...step]);
  }
}
