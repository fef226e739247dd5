import { randomUUID } from 'node:crypto';
import { openSqliteRecords } from '../adapters/records/sqlite/records.ts';
import { collections } from '../app/collections.ts';
import { dayText } from '../models/calendar-day.ts';
import { systemScope } from '../models/scope.ts';
import { systemRuntime } from '../models/runtime.ts';
import {
  trafficDays,
  trafficMonths,
  trafficValueMonths,
  trafficValues,
  type TrafficDay,
  type TrafficMonth,
  type TrafficOfDay,
  type TrafficSums,
  type TrafficValue,
  type TrafficValueMonth,
} from '../models/traffic.ts';
import { utcDayOf } from '../models/utc-days.ts';
import { addSums, noSums } from '../services/traffic/sums.ts';

/** What the generated totals hold. */
export interface MadeTraffic {
  /** Days since 1970, both counted. */
  from: number;
  to: number;
  buckets: number;
  valuesPerDay: number;
  requests: number;
  bytes: number;
}

const days = 30;
const buckets = 20;
const valuesPerDay = 200;
const hours = Array.from({ length: 24 }, (_, hour) => String(hour).padStart(2, '0'));

/**
 * Writes totals of 30 days, as if requests had been counted one by one: 20 buckets, 24 hours a day, and a dimension with
 * 200 values a day and bucket, of which the first have the most.
 */
export async function makeTraffic(folder: string, organizationId: string, requests: number): Promise<MadeTraffic> {
  const records = await openSqliteRecords({ folder, runtime: systemRuntime });
  const to = utcDayOf(Date.now()) - 1;
  const made = { from: to - days + 1, to, buckets, valuesPerDay, requests: 0, bytes: 0 };
  const perHour = requests / (buckets * days * hours.length);
  const weights = Array.from({ length: valuesPerDay }, (_, value) => 1 / (value + 1));
  const weight = weights.reduce((sum, each) => sum + each, 0);
  try {
    await records.prepare(collections);
    for (let number = 0; number < buckets; number += 1) {
      const bucketId = randomUUID();
      const months = new Map<string, TrafficMonth>();
      const valueMonths = new Map<string, TrafficValueMonth>();
      for (let at = made.from; at <= to; at += 1) {
        const day = dayText(at);
        const month = day.slice(0, 7);
        const common = { organizationId, bucketId, fold: 1 };
        const hourly = Object.fromEntries(hours.map((hour): [string, TrafficSums] => [hour, noSums()]));
        const values = weights.map((share, value): TrafficValue => {
          const own: { [hour: string]: TrafficSums } = {};
          let bytes = 0;
          for (const hour of hours) {
            const count = Math.round((perHour * share) / weight);
            if (count === 0) continue;
            const sums: TrafficSums = [count * 40_000, count, count, 0, count, 0, 0, 0];
            own[hour] = sums;
            bytes += sums[0];
            addSums((hourly[hour] ??= noSums()), sums);
          }
          const name = `course-${value}`;
          return {
            _id: `${bucketId}:${day}:${value}`,
            ...common,
            day,
            dimension: 'course',
            value: name,
            first: 1,
            bytes,
            hours: own,
          };
        });
        const sums = noSums();
        for (const each of Object.values(hourly)) addSums(sums, each);
        made.bytes += sums[0];
        made.requests += sums[1];
        const ofDay: TrafficOfDay = {
          groups: { 'india-asia': [sums[0], sums[1]] },
          sums,
          countries: { IN: sums[1] },
        };
        const known = months.get(month) ?? { _id: `${bucketId}:${month}`, ...common, month, days: {} };
        months.set(month, { ...known, days: { ...known.days, [day.slice(8)]: ofDay } });
        const dayDocument: TrafficDay = {
          _id: `${bucketId}:${day}`,
          ...common,
          day,
          hours: hourly,
          dimensions: { course: { hours: hourly, values: valuesPerDay, room: 1000, isFull: false } },
          missing: [],
        };
        await records.collection(trafficDays, systemScope).insert(dayDocument);
        await records.collection(trafficValues, systemScope).insertNew(values);
        for (const { value, bytes, dimension } of values) {
          const id = `${bucketId}:${month}:${value}`;
          const before = valueMonths.get(id) ?? { bytes: 0, requests: 0 };
          valueMonths.set(id, {
            _id: id,
            ...common,
            month,
            dimension,
            value,
            bytes: before.bytes + bytes,
            requests: before.requests + bytes / 40_000,
            hits: 0,
            misses: 0,
          });
        }
      }
      await records.collection(trafficMonths, systemScope).insertNew([...months.values()]);
      await records.collection(trafficValueMonths, systemScope).insertNew([...valueMonths.values()]);
    }
  } finally {
    await records.close();
  }
  return made;
}
