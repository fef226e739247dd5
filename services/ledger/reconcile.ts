import { isDeepStrictEqual } from 'node:util';
import type { AppContext } from '../../mixins/app-context.ts';
import { dayText } from '../../models/calendar-day.ts';
import { accounts } from '../../models/organization.ts';
import { systemScope } from '../../models/scope.ts';
import {
  usageMonths,
  usageReconciliations,
  type UsageDays,
  type UsageReconciliation,
  type UsageSums,
} from '../../models/usage-month.ts';
import { utcDay } from '../../models/utc-days.ts';
import { countedThrough, isBehind, usageMonthId, type Place } from './fold.ts';
import { eventsOfDays, placeOf, rollUpsOf } from './log.ts';
import { reconcileSubjects } from './reconcile-subjects.ts';
import { knownAccounts, openMonthOf } from './state.ts';
import { addEvent, toStored, totalOf, type Sum, type Sums } from './sums.ts';

/*
 * Once a day, the roll-ups of each account are compared with its events, day by day from the oldest month that is not
 * closed, and those of its files and resources month by month. One day is in memory at a time: a sum for each organization
 * and metric. A roll-up that differs is replaced and reported; roll-ups and events agree unless there is a fault, or somebody wrote into the store.
 */

/** The parts of the app that reconciling uses. */
export type ReconcileContext = Pick<AppContext, 'records' | 'log'>;

const everyMs = 24 * 3_600_000;
/** How long a step has before another process goes on with it. */
const stepMs = 600_000;
const accountsAtOnce = 200;
const nothing: UsageSums = {};

/** What a roll-up says of one day, and the last event that it contains. */
interface StoredDay {
  sums: UsageSums;
  throughAt: number;
  throughId: string;
  /** Whether the sum of the month is that of its days; looked at with the first day. */
  isSum: boolean;
}

/**
 * Compares what the roll-ups of an account say of one day with its events, and replaces what differs. One that another
 * process changes meanwhile is left to the next time.
 * @param day YYYY-MM-DD @returns how many roll-ups differed. @throws StoreUnavailable
 */
export async function reconcileDay(app: ReconcileContext, accountId: string, day: string): Promise<number> {
  const counted = await countedThrough(app);
  const [month, number] = [day.slice(0, 7), day.slice(8)];
  const stored = new Map<string, StoredDay>();
  for await (const { organizationId, days, total, throughAt, throughId } of rollUpsOf(app, accountId, month)) {
    const isSum = number !== '01' || total === JSON.stringify(totalOf(days));
    stored.set(organizationId, { sums: days[number] ?? nothing, throughAt, throughId, isSum });
  }
  const sums = new Map<string, Sums>();
  for await (const page of eventsOfDays(app, accountId, day, day))
    for (const event of page)
      for (const organizationId of [event.organizationId, '']) {
        if (isBehind(event, placeOf(stored.get(organizationId), counted))) continue;
        const own = sums.get(organizationId) ?? new Map<string, Sum>();
        sums.set(organizationId, own);
        addEvent(own, event);
      }
  let differed = 0;
  for (const organizationId of new Set([...stored.keys(), ...sums.keys()])) {
    const before = stored.get(organizationId);
    const events = toStored(sums.get(organizationId) ?? new Map<string, Sum>());
    if (before?.isSum !== false && isDeepStrictEqual({ ...before?.sums }, events)) continue;
    const place = { accountId, organizationId, day };
    if (!(await replaceDay(app, place, before, counted, events))) continue;
    differed += 1;
    app.log.error({ ...place, stored: before?.sums ?? null, events }, 'a roll-up of usage differed from its events');
  }
  return differed;
}

async function replaceDay(
  { records }: ReconcileContext,
  { accountId, organizationId, day }: { accountId: string; organizationId: string; day: string },
  read: StoredDay | undefined,
  counted: Place,
  events: UsageSums,
): Promise<boolean> {
  const months = records.collection(usageMonths, systemScope);
  const month = day.slice(0, 7);
  const _id = usageMonthId(accountId, organizationId, month);
  const before = await months.get(_id);
  const days: UsageDays = { ...before?.days };
  if (Object.keys(events).length > 0) days[day.slice(8)] = events;
  else delete days[day.slice(8)];
  const total = JSON.stringify(totalOf(days));
  const { receivedAt, eventId } = placeOf(read, counted);
  const set = { throughAt: receivedAt, throughId: eventId, days, total };
  if (read === undefined)
    return (await months.insertNew([{ _id, accountId, organizationId, month, ...set }])).length > 0;
  const { throughAt, throughId } = read;
  return (await months.update(_id, { throughAt, throughId }, { set })) !== null;
}

/**
 * Reconciles the accounts that are due, one after another. Each step is claimed by one conditional write, so several
 * processes share the accounts, and one goes on after another that died.
 * @returns how many roll-ups differed. @throws StoreUnavailable
 */
export async function reconcileRound(app: ReconcileContext, isStopping: () => boolean): Promise<number> {
  await listAccounts(app);
  const collection = app.records.collection(usageReconciliations, systemScope);
  let differed = 0;
  for (let after: (string | number)[] | null = null; ;) {
    const due: UsageReconciliation[] = await collection.find({
      filter: { dueAt: { $lte: app.records.time() } },
      sort: [
        ['dueAt', 1],
        ['_id', 1],
      ],
      limit: accountsAtOnce,
      ...(after === null ? {} : { after }),
    });
    for (const reconciliation of due) differed += await reconcileAccount(app, reconciliation, isStopping);
    const last = due.at(-1);
    if (last === undefined || due.length < accountsAtOnce || isStopping()) return differed;
    after = [last.dueAt, last._id];
  }
}

async function reconcileAccount(
  app: ReconcileContext,
  { _id, dueAt, day: reached }: UsageReconciliation,
  isStopping: () => boolean,
): Promise<number> {
  const collection = app.records.collection(usageReconciliations, systemScope);
  const known = (await knownAccounts(app, [_id])).get(_id);
  if (known === undefined || known.isErased) {
    await collection.remove(_id, { dueAt });
    return 0;
  }
  // Days of a time zone reach up to a day beyond those of UTC.
  const last = dayText(Math.floor(app.records.time() / everyMs) + 1);
  let differed = 0;
  let held = dueAt;
  /** Claims the next stretch of time, if it is still this process's. */
  const hold = async (set: { day?: string }): Promise<boolean> => {
    const until = app.records.time() + stepMs;
    if (isStopping() || (await collection.update(_id, { dueAt: held }, { set: { ...set, dueAt: until } })) === null)
      return false;
    held = until;
    return true;
  };
  const goOn = async (): Promise<boolean> =>
    !isStopping() && (app.records.time() < held - stepMs / 2 || (await hold({})));
  for (let day = reached ?? `${openMonthOf(known.ledger)}-01`; day <= last; day = dayAfter(day)) {
    if (!(await hold({ day }))) return differed;
    if (day.endsWith('-01')) differed += await reconcileSubjects(app, _id, day.slice(0, 7), goOn);
    differed += await reconcileDay(app, _id, day);
  }
  const now = app.records.time();
  await collection.update(_id, { dueAt: held }, { set: { day: null, dueAt: now + everyMs, completedAt: now } });
  return differed;
}

function dayAfter(day: string): string {
  return dayText((utcDay(day) ?? 0) + 1);
}

/**
 * Has an account reconciled from a month (YYYY-MM) on with the next round; where it is at an earlier day, from there on.
 * @throws StoreUnavailable
 */
export async function reconcileSoon(
  { records }: Pick<ReconcileContext, 'records'>,
  accountId: string,
  month: string,
): Promise<void> {
  const collection = records.collection(usageReconciliations, systemScope);
  const reached = (await collection.get(accountId))?.day ?? null;
  const first = `${month}-01`;
  const day = reached !== null && reached < first ? reached : first;
  await collection.update(accountId, {}, { set: { day, dueAt: records.time() } });
}

/** Makes every account known to the reconciliation. */
async function listAccounts({ records }: ReconcileContext): Promise<void> {
  const collection = records.collection(usageReconciliations, systemScope);
  for (let after: string[] | null = null; ;) {
    const page = await records
      .collection(accounts, systemScope)
      .pick({ filter: {}, sort: [['_id', 1]], limit: accountsAtOnce, ...(after === null ? {} : { after }) }, ['_id']);
    const ids = page.map(([id]) => String(id));
    const known = new Set((await collection.getMany(ids)).map(({ _id }) => _id));
    const now = records.time();
    const missing = ids.filter((id) => !known.has(id));
    if (missing.length > 0)
      await collection.insertNew(missing.map((_id) => ({ _id, dueAt: now, day: null, completedAt: now })));
    const last = ids.at(-1);
    if (last === undefined || ids.length < accountsAtOnce) return;
    after = [last];
  }
}

/** Milliseconds since the account that waits longest was last reconciled; 0 without accounts. */
export async function oldestReconciledMs({ records }: ReconcileContext): Promise<number> {
  const [oldest] = await records.collection(usageReconciliations, systemScope).find({
    filter: {},
    sort: [
      ['completedAt', 1],
      ['_id', 1],
    ],
    limit: 1,
  });
  return oldest === undefined ? 0 : Math.max(0, records.time() - oldest.completedAt);
}
