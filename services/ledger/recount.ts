import { isDeepStrictEqual } from 'node:util';
import { dayText } from '../../models/calendar-day.ts';
import { systemScope } from '../../models/scope.ts';
import { usageEvents } from '../../models/usage-event.ts';
import { usageMonths, usageRecounts, type UsageDays, type UsageMonth } from '../../models/usage-month.ts';
import { daysOfMonth } from '../../models/utc-days.ts';
import { countedThrough, isBehind, settleMs, usageMonthId, type CountedEvent, type Place } from './fold.ts';
import type { RecordContext } from './record.ts';
import { addEvent, toStored, totalOf, type Sum, type Sums } from './sums.ts';

/** Events that are read at a time, and months of which one round counts again. */
const pageSize = 2000;
const maxMonths = 20;
/** Organizations that are read at a time. */
const readTogether = 200;

/** Events of an account between two days (YYYY-MM-DD), both included, in the order of days, a page at a time. */
export async function* eventsOfDays(
  { records }: RecordContext,
  accountId: string,
  from: string,
  to: string,
): AsyncGenerator<CountedEvent[]> {
  const events = records.collection(usageEvents, systemScope);
  for (let after: (string | number)[] | null = null; ;) {
    const page: Awaited<ReturnType<typeof events.find>> = await events.find({
      filter: { accountId, day: { $gte: from, $lte: to } },
      sort: [
        ['day', 1],
        ['_id', 1],
      ],
      limit: pageSize,
      ...(after === null ? {} : { after }),
    });
    yield page.map((event) => ({ ...event, day: event.day ?? from }));
    const last = page.at(-1);
    if (last === undefined || page.length < pageSize) return;
    after = [last.day ?? from, last._id];
  }
}

/** The roll-ups of an account's month: of each organization, and of the account. */
export async function* rollUpsOf(
  { records }: RecordContext,
  accountId: string,
  month: string,
): AsyncGenerator<UsageMonth> {
  const months = records.collection(usageMonths, systemScope);
  for (let after: (string | number)[] | null = null; ;) {
    const page: UsageMonth[] = await months.find({
      filter: { accountId, month },
      sort: [['organizationId', 1]],
      limit: readTogether,
      ...(after === null ? {} : { after }),
    });
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < readTogether) return;
    after = [last.organizationId];
  }
}

/**
 * Counts a month of an account again from its events, and replaces each roll-up that differs. Only events up to those that
 * a roll-up says it contains are compared; one that another process changes meanwhile is left to the next time.
 * @param month YYYY-MM @returns how many roll-ups differed. @throws StoreUnavailable
 */
export async function recountMonth(app: RecordContext, accountId: string, month: string): Promise<number> {
  const counted = await countedThrough(app);
  const stored = new Map<string, UsageMonth>();
  for await (const rollUp of rollUpsOf(app, accountId, month)) stored.set(rollUp.organizationId, rollUp);
  const sums = new Map<string, Map<string, Sums>>();
  const { from, to } = daysOfMonth(month);
  for await (const page of eventsOfDays(app, accountId, dayText(from), dayText(to)))
    for (const event of page)
      for (const organizationId of [event.organizationId, '']) {
        if (isBehind(event, placeOf(stored.get(organizationId), counted))) continue;
        const days = sums.get(organizationId) ?? new Map<string, Sums>();
        sums.set(organizationId, days);
        const day = days.get(event.day.slice(8)) ?? new Map<string, Sum>();
        days.set(event.day.slice(8), day);
        addEvent(day, event);
      }
  let differed = 0;
  for (const organizationId of new Set([...stored.keys(), ...sums.keys()])) {
    const days = toDays(sums.get(organizationId));
    const before = stored.get(organizationId);
    if (before !== undefined && isDeepStrictEqual({ ...before.days }, days)) continue;
    if (await replace(app, { accountId, organizationId, month }, before, days, counted)) differed += 1;
  }
  return differed;
}

/** Up to which event a roll-up is complete: as the whole log is, or further. */
/** The last event that a roll-up contains; one that is missing contains what was counted. */
export function placeOf(rollUp: Pick<UsageMonth, 'throughAt' | 'throughId'> | undefined, counted: Place): Place {
  if (rollUp === undefined || !isBehind({ receivedAt: rollUp.throughAt, _id: rollUp.throughId }, counted))
    return counted;
  return { receivedAt: rollUp.throughAt, eventId: rollUp.throughId };
}

function toDays(sums: ReadonlyMap<string, Sums> | undefined): UsageDays {
  const days = [...(sums ?? [])].toSorted(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(days.map(([day, ofDay]) => [day, toStored(ofDay)]));
}

async function replace(
  { records }: RecordContext,
  { accountId, organizationId, month }: Pick<UsageMonth, 'accountId' | 'organizationId' | 'month'>,
  before: UsageMonth | undefined,
  days: UsageDays,
  counted: Place,
): Promise<boolean> {
  const months = records.collection(usageMonths, systemScope);
  const _id = usageMonthId(accountId, organizationId, month);
  const { receivedAt, eventId } = placeOf(before, counted);
  const total = JSON.stringify(totalOf(days));
  const place = { throughAt: receivedAt, throughId: eventId };
  if (before !== undefined) {
    const { throughAt, throughId } = before;
    return (await months.update(_id, { throughAt, throughId }, { set: { ...place, days, total } })) !== null;
  }
  return (await months.insertNew([{ _id, accountId, organizationId, month, ...place, days, total }])).length > 0;
}

/**
 * Counts the months again of which an event was late in reaching the log. @returns how many roll-ups differed
 * @throws StoreUnavailable
 */
export async function recountRound(app: RecordContext): Promise<number> {
  const recounts = app.records.collection(usageRecounts, systemScope);
  // By then the log has been counted past the event.
  const due = await recounts.find({
    filter: { since: { $lte: app.records.time() - settleMs } },
    sort: [['since', 1]],
    limit: maxMonths,
  });
  let differed = 0;
  for (const { _id, accountId, month, since } of due) {
    differed += await recountMonth(app, accountId, month);
    await recounts.remove(_id, { since });
  }
  return differed;
}
