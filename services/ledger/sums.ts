import type { UsageEvent } from '../../models/usage-event.ts';
import type { UsageDays, UsageSum, UsageSums } from '../../models/usage-month.ts';

/** What sums of events are made of. */
export type Counted = Pick<UsageEvent, 'metric' | 'dimension' | 'quantity' | 'duplicateOf'>;

/** A sum for arithmetic: base units, events, duplicates. */
export interface Sum {
  quantity: bigint;
  events: number;
  duplicates: number;
}

/** Sums by key, for arithmetic. */
export type Sums = Map<string, Sum>;

/** The key of an event in sums. */
export function keyOf({ metric, dimension }: Pick<UsageEvent, 'metric' | 'dimension'>): string {
  return dimension === undefined ? metric : `${metric}/${dimension}`;
}

/** The metric and the dimension of a key. */
export function partsOf(key: string): { metric: string; dimension: string | null } {
  const at = key.indexOf('/');
  return at < 0 ? { metric: key, dimension: null } : { metric: key.slice(0, at), dimension: key.slice(at + 1) };
}

/** Adds to one key. */
export function addTo(sums: Sums, key: string, { quantity, events, duplicates }: Sum): void {
  const known = sums.get(key);
  if (known === undefined) {
    sums.set(key, { quantity, events, duplicates });
    return;
  }
  known.quantity += quantity;
  known.events += events;
  known.duplicates += duplicates;
}

/** Adds an event. */
export function addEvent(sums: Sums, event: Counted): void {
  addTo(sums, keyOf(event), {
    quantity: BigInt(event.quantity),
    events: 1,
    duplicates: event.duplicateOf === undefined ? 0 : 1,
  });
}

/** Adds stored sums. */
export function addStored(sums: Sums, stored: Readonly<UsageSums>): void {
  for (const [key, [quantity, events, duplicates]] of Object.entries(stored))
    addTo(sums, key, { quantity: BigInt(quantity), events, duplicates });
}

/** Sums as they are stored, in the order of their keys. */
export function toStored(sums: Sums): UsageSums {
  return Object.fromEntries(
    [...sums]
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([key, { quantity, events, duplicates }]): [string, UsageSum] => [
        key,
        [quantity.toString(), events, duplicates],
      ]),
  );
}

/** The days of events, with these added. @param events with their days */
export function daysWith(days: Readonly<UsageDays>, events: readonly (Counted & { day: string })[]): UsageDays {
  const changed = new Map<string, Sums>();
  for (const event of events) {
    const day = event.day.slice(8);
    let sums = changed.get(day);
    if (sums === undefined) {
      sums = new Map();
      const stored = days[day];
      if (stored !== undefined) addStored(sums, stored);
      changed.set(day, sums);
    }
    addEvent(sums, event);
  }
  return Object.fromEntries([...changed].map(([day, sums]) => [day, toStored(sums)]));
}

/** A sum, as JSON, with events added. */
export function totalWith(total: string, events: readonly Counted[]): string {
  const sums: Sums = new Map();
  addStored(sums, JSON.parse(total) as UsageSums);
  for (const event of events) addEvent(sums, event);
  return JSON.stringify(toStored(sums));
}

/** The sum of days. */
export function totalOf(days: Readonly<UsageDays>): UsageSums {
  const sums: Sums = new Map();
  for (const stored of Object.values(days)) addStored(sums, stored);
  return toStored(sums);
}
