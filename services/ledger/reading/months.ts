import { monthAfter } from '../../../models/zoned-month.ts';
import { monthBounds, type Period } from '../period.ts';

/** The months (YYYY-MM) that a period touches, ascending. Call it for periods of bounded length. */
export function monthsBetween(period: Pick<Period, 'from' | 'to'>): string[] {
  const { first, last } = monthBounds(period);
  const months: string[] = [];
  for (let month = first; month <= last; month = monthAfter(month)) months.push(month);
  return months;
}
