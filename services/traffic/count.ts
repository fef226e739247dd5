import type { ServedRow, TrafficOfDay, TrafficPart, TrafficSums } from '../../models/traffic.ts';
import { regionGroupOf } from '../../models/region-group.ts';
import { dimensionValue } from './dimension-value.ts';
import { addRow, noSums } from './sums.ts';

/** Sums by hour (two digits). */
export interface Hours {
  [hour: string]: TrafficSums;
}

/** What was counted of one day by a dimension. */
export interface CountedDimension {
  hours: Hours;
  values: Map<string, Hours>;
  /** The ceiling of distinct values in force. */
  ceiling: number;
}

/** What was counted of one day. */
export interface CountedDay {
  /** For the totals of the month. */
  totals: TrafficOfDay;
  hours: Hours;
  dimensions: Map<string, CountedDimension>;
  /** Hours of which responses are missing. */
  missing: Set<string>;
}

/** UTC day (`YYYY-MM-DD`) and hour (two digits) of a time in milliseconds. */
export function hourOf(at: number): { day: string; hour: string } {
  const text = new Date(at).toISOString();
  return { day: text.slice(0, 10), hour: text.slice(11, 13) };
}

/** Counts the responses of parts of one bucket, by UTC day. */
export function countParts(parts: readonly Readonly<TrafficPart>[]): Map<string, CountedDay> {
  const days = new Map<string, CountedDay>();
  const dayOf = (day: string): CountedDay => {
    const known = days.get(day);
    if (known !== undefined) return known;
    const fresh: CountedDay = { totals: { groups: {} }, hours: {}, dimensions: new Map(), missing: new Set() };
    days.set(day, fresh);
    return fresh;
  };
  for (const { rows, rules, missingHours } of parts) {
    for (const row of rows) {
      const { day, hour } = hourOf(row[0]);
      const counted = dayOf(day);
      addVolume(counted, row, rules.home);
      if (rules.analytics !== null && row[0] >= rules.analytics.since)
        addAnalytics(counted, row, hour, rules.analytics);
    }
    for (const at of missingHours) {
      const { day, hour } = hourOf(at);
      dayOf(day).missing.add(hour);
    }
  }
  return days;
}

function addVolume({ totals: { groups } }: CountedDay, row: ServedRow, home: TrafficPart['rules']['home']): void {
  const [, , bytes, country] = row;
  const volume = (groups[country === null ? home : regionGroupOf(country)] ??= [0, 0]);
  volume[0] += bytes;
  volume[1] += 1;
}

function addAnalytics(
  { totals, hours, dimensions }: CountedDay,
  row: ServedRow,
  hour: string,
  { dimensions: rules, ceiling }: NonNullable<TrafficPart['rules']['analytics']>,
): void {
  const [, , , country] = row;
  addRow((totals.sums ??= noSums()), row);
  if (country !== null) {
    const countries = (totals.countries ??= {});
    countries[country] = (countries[country] ?? 0) + 1;
  }
  addRow((hours[hour] ??= noSums()), row);
  for (const rule of rules) {
    const counted = dimensions.get(rule.name) ?? { hours: {}, values: new Map<string, Hours>(), ceiling };
    dimensions.set(rule.name, counted);
    counted.ceiling = ceiling;
    addRow((counted.hours[hour] ??= noSums()), row);
    const value = dimensionValue(rule, row);
    const ofValue = counted.values.get(value) ?? {};
    counted.values.set(value, ofValue);
    addRow((ofValue[hour] ??= noSums()), row);
  }
}
