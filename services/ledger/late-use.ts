import type { AppContext } from '../../mixins/app-context.ts';
import { systemScope } from '../../models/scope.ts';
import {
  statements,
  statementId,
  usageAdjustments,
  type Statement,
  type StatementTerms,
  type UsageAdjustment,
} from '../../models/statement.ts';
import { usageEvents } from '../../models/usage-event.ts';
import type { CountedEvent } from './fold.ts';
import { servedDays, type Service } from './period.ts';
import type { LateUse } from './pricing/month.ts';
import type { Terms } from './pricing/lines.ts';
import { isServed } from './reading/service-window.ts';
import { addEvent, addStored, type Sum, type Sums } from './sums.ts';

type Context = Pick<AppContext, 'records'>;

const pageSize = 1000;

/** Times of receipt, in milliseconds: from `since` until before `before`. */
export interface Window {
  since: number;
  before: number;
}

/** Late events of an account that were received in a window, in the order of receipt, a page at a time. */
export async function* lateEvents(
  { records }: Context,
  accountId: string,
  { since, before }: Window,
): AsyncGenerator<CountedEvent[]> {
  const events = records.collection(usageEvents, systemScope);
  // Several events may share a time of receipt, so a page is read on by the id as well.
  for (let after: (string | number)[] | null = null; ;) {
    const page: Awaited<ReturnType<typeof events.find>> = await events.find({
      filter: { accountId, receivedAt: { $gte: since, $lt: before }, lateFor: { $exists: true } },
      sort: [
        ['receivedAt', 1],
        ['lateFor', 1],
        ['_id', 1],
      ],
      limit: pageSize,
      ...(after === null ? {} : { after }),
    });
    yield page.map((event) => ({ ...event, day: event.day ?? '' }));
    const last = page.at(-1);
    if (last === undefined || page.length < pageSize) return;
    after = [last.receivedAt, last.lateFor ?? '', last._id];
  }
}

/** What arrived late in a window, by the month that it belongs to. */
export interface ArrivedLate {
  /** Of the whole account. */
  sums: Map<string, Sums>;
  /** By month, then by organization. */
  organizations: Map<string, Map<string, Sums>>;
  /** All events that arrived, also those outside the service. */
  events: EventCount;
}

/** A number of events, with the lowest and the highest of their ids. */
export interface EventCount {
  count: number;
  firstId: string | null;
  lastId: string | null;
}

/** Counts an event. */
export function countEvent(counted: EventCount, id: string): void {
  counted.count += 1;
  if (counted.firstId === null || id < counted.firstId) counted.firstId = id;
  if (counted.lastId === null || id > counted.lastId) counted.lastId = id;
}

/** Nothing that arrived late. */
export function nothingLate(): ArrivedLate {
  return { sums: new Map(), organizations: new Map(), events: { count: 0, firstId: null, lastId: null } };
}

function addLate(arrived: ArrivedLate, event: CountedEvent): void {
  const month = event.day.slice(0, 7);
  const sums = arrived.sums.get(month) ?? new Map<string, Sum>();
  arrived.sums.set(month, sums);
  addEvent(sums, event);
  const organizations = arrived.organizations.get(month) ?? new Map<string, Sums>();
  arrived.organizations.set(month, organizations);
  const own = organizations.get(event.organizationId) ?? new Map<string, Sum>();
  organizations.set(event.organizationId, own);
  addEvent(own, event);
}

/**
 * What arrived late in a window for closed months, and is inside the service that its month was closed with.
 * @param until the month (YYYY-MM) on which it is charged: the closed ones are those before it
 */
export async function arrivedLate(
  app: Context,
  accountId: string,
  window: Window,
  until: string,
): Promise<ArrivedLate> {
  const arrived = nothingLate();
  const services = new Map<string, Service>();
  for await (const page of lateEvents(app, accountId, window)) {
    const late = page.filter(({ day }) => day.slice(0, 7) < until);
    const months = [...new Set(late.map(({ day }) => day.slice(0, 7)))].filter((month) => !services.has(month));
    for (const { month, terms } of await closedMonths(app, accountId, months)) services.set(month, terms);
    for (const event of late) {
      const service = services.get(event.day.slice(0, 7));
      if (service === undefined) throw new Error(`the statement of ${event.day.slice(0, 7)} is missing`);
      countEvent(arrived.events, event._id);
      if (isServed(event, service)) addLate(arrived, event);
    }
  }
  return arrived;
}

function closedMonths({ records }: Context, accountId: string, months: readonly string[]): Promise<Statement[]> {
  return records.collection(statements, systemScope).getMany(months.map((month) => statementId(accountId, month)));
}

/** The terms by which a closed month is charged. */
export function termsOfStatement({ month, terms }: Pick<Statement, 'month' | 'terms'>): Terms {
  return pricingTerms(month, terms);
}

/** What a month is charged by, of everything that holds for it. */
export function pricingTerms(month: string, terms: StatementTerms): Terms {
  const { active, inMonth } = servedDays(month, terms.timeZone, terms);
  return { prices: terms.prices, minimum: terms.plan?.monthlyMinimum ?? 0, days: { active, inMonth } };
}

/**
 * Late use with what its months were charged for so far: by their own statements, and by the late lines of later ones.
 * @param until the month (YYYY-MM) on which it is charged now
 */
export async function lateUse(
  { records }: Context,
  accountId: string,
  sums: ReadonlyMap<string, Sums>,
  until: string,
): Promise<LateUse> {
  const collection = records.collection(statements, systemScope);
  const months = [...sums.keys()].toSorted();
  const [first] = months;
  if (first === undefined) return [];
  const charged = new Map<string, { statement: Statement; sums: Sums }>();
  const [oldest] = await collection.getMany([statementId(accountId, first)]);
  if (oldest === undefined) throw new Error(`the statement of ${first} is missing`);
  for (let after: (string | number)[] = [oldest.sequence - 1]; ;) {
    // In the order of months: what a later statement charges late belongs to one that was read.
    const page = await collection.find({ filter: { accountId }, sort: [['sequence', 1]], limit: 20, after });
    for (const statement of page) {
      if (statement.month >= until) break;
      for (const [month, late] of Object.entries(statement.late)) {
        const before = charged.get(month);
        if (before !== undefined) addStored(before.sums, late);
      }
      if (!sums.has(statement.month)) continue;
      const own: Sums = new Map();
      addStored(own, statement.sums);
      charged.set(statement.month, { statement, sums: own });
    }
    const last = page.at(-1);
    if (last === undefined || page.length < 20 || last.month >= until) break;
    after = [last.sequence];
  }
  return months.map((month) => {
    const known = charged.get(month);
    if (known === undefined) throw new Error(`the statement of ${month} is missing`);
    return {
      month,
      closed: { terms: termsOfStatement(known.statement), charged: known.sums },
      sums: sums.get(month) ?? new Map<string, Sum>(),
    };
  });
}

/** The corrections of an account that were made in a window, in the order of time. */
export async function adjustmentsIn(
  { records }: Context,
  accountId: string,
  { since, before }: Window,
): Promise<UsageAdjustment[]> {
  const collection = records.collection(usageAdjustments, systemScope);
  const all: UsageAdjustment[] = [];
  for (let after: (string | number)[] | null = null; ;) {
    const page: UsageAdjustment[] = await collection.find({
      filter: { accountId, receivedAt: { $gte: since, $lt: before } },
      sort: [
        ['receivedAt', 1],
        ['_id', 1],
      ],
      limit: pageSize,
      ...(after === null ? {} : { after }),
    });
    all.push(...page);
    const last = page.at(-1);
    if (last === undefined || page.length < pageSize) return all;
    after = [last.receivedAt ?? 0, last._id];
  }
}
