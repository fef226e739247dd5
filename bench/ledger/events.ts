import { createHash } from 'node:crypto';
import type { NewUsageEvent } from '../../models/usage-event.ts';
import type { UsageMetric } from '../../models/usage-metric.ts';
import { monthAfter } from '../../models/zoned-month.ts';

/*
 * Events that are decided by their number alone, so that the oracle (oracle.py) makes the same ones without reading them.
 * Whoever changes what an event is changes it there as well.
 */

/** What the events of a run are made of. */
export interface Plan {
  events: number;
  seed: number;
  /** YYYY-MM; events happen in `months` months from it, by days of UTC. */
  firstMonth: string;
  months: number;
  accounts: { id: string; timeZone: string; organizationId: string }[];
  /** They belong to the accounts in turn, and the first of each is the account's own. */
  organizationIds: string[];
}

/** The metrics of events, and below which number of base units each quantity lies. */
const quantities: readonly (readonly [UsageMetric, number])[] = [
  ['searches', 2],
  ['answers', 2],
  ['media_hours', 7_200_000],
  ['document_megabytes', 20_000_000],
  ['source_bytes', 1_000_000_000],
  ['delivery_gb', 4_000_000_000],
  ['upload_gb', 4_000_000_000],
  ['encoding_minutes', 3_600_000],
];

/** A number from 0 to 2^32 - 1 that is decided by an event's number and a purpose. */
export function mixed(seed: number, event: number, purpose: number): number {
  let hash = (Math.imul(event, 0x9e3779b1) + Math.imul(purpose, 0x85ebca6b) + seed) >>> 0;
  hash = Math.imul(hash ^ (hash >>> 16), 0x7feb352d) >>> 0;
  hash = Math.imul(hash ^ (hash >>> 15), 0x846ca68b) >>> 0;
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** The month of a phase: all that is delivered in it, and not late, happened in this month of UTC. */
export function monthOfPhase({ firstMonth }: Plan, phase: number): string {
  return monthAfter(firstMonth, phase);
}

/** An id that is decided by a text. */
export function uuidOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

function perPhase({ events, months }: Plan): number {
  return Math.floor(events / months);
}

/** Whether an event is delivered when its month is closed: in the phase after its own. The last phase has none. */
function isLate(plan: Plan, event: number, phase: number): boolean {
  return phase < plan.months - 1 && mixed(plan.seed, event, 6) % 50 === 0;
}

/** The numbers of the events of a phase in the order of delivery: shuffled, five percent of them twice. */
export function deliveredIn(plan: Plan, phase: number): Uint32Array {
  const numbers: number[] = [];
  const count = perPhase(plan);
  const add = (event: number): void => {
    numbers.push(event);
    if (mixed(plan.seed, event, 7) % 20 === 0) numbers.push(event);
  };
  for (let event = phase * count; event < (phase + 1) * count; event += 1) if (!isLate(plan, event, phase)) add(event);
  if (phase > 0)
    for (let event = (phase - 1) * count; event < phase * count; event += 1)
      if (isLate(plan, event, phase - 1)) add(event);
  const order = Uint32Array.from(numbers);
  for (let at = order.length - 1; at > 0; at -= 1) {
    const other = mixed(plan.seed, phase * 100_000_000 + at, 8) % (at + 1);
    [order[at], order[other]] = [order[other] ?? 0, order[at] ?? 0];
  }
  return order;
}

/** Makes events by their numbers. */
export function eventsOf(plan: Plan): (event: number) => NewUsageEvent {
  const begins = Array.from({ length: plan.months + 1 }, (_, phase) =>
    Date.parse(`${monthOfPhase(plan, phase)}-01T00:00:00Z`),
  );
  return (event) => {
    const phase = Math.floor(event / perPhase(plan));
    return eventOf(plan, event, begins[phase] ?? 0, begins[phase + 1] ?? 0);
  };
}

/** An event that happens from `begins` until before `ends`, in milliseconds. */
function eventOf(plan: Plan, event: number, begins: number, ends: number): NewUsageEvent {
  const seconds = (ends - begins) / 1000;
  const organization = mixed(plan.seed, event, 2) % plan.organizationIds.length;
  const [metric, below] = quantities[mixed(plan.seed, event, 3) % quantities.length] ?? ['searches', 2];
  const isHuge = mixed(plan.seed, event, 9) % 1000 === 0;
  return {
    _id: `event-${event}`,
    accountId: plan.accounts[organization % plan.accounts.length]?.id ?? '',
    organizationId: plan.organizationIds[organization] ?? '',
    assetId: null,
    metric,
    quantity: isHuge ? Number.MAX_SAFE_INTEGER : mixed(plan.seed, event, 4) % below,
    at: begins + (mixed(plan.seed, event, 5) % seconds) * 1000,
  };
}
