import type { Collection } from '../../adapters/records/port.ts';
import type { AppContext } from '../../mixins/app-context.ts';
import { systemScope } from '../../models/scope.ts';
import { usageEvents, type UsageEvent } from '../../models/usage-event.ts';
import { usageFolds, usageMonths, type UsageDays, type UsageFold, type UsageMonth } from '../../models/usage-month.ts';
import { completeThrough, dayOfEvent } from './record.ts';
import { knownAccounts } from './state.ts';
import { fileKind, registrationTimes, resourceKind, subjectMonthId, unread, type SubjectKind } from './subjects.ts';
import { daysWith, totalWith } from './sums.ts';

/*
 * The log becomes roll-ups in the order of receipt, page by page. Each roll-up names the last event that it contains, and
 * is replaced by one write that is conditional on it: so a page can be counted again after a crash, and by several
 * processes at once, and each event is in each roll-up once. The log as a whole moves on when all roll-ups of a page are
 * written.
 */

/**
 * The log is counted up to so many milliseconds before the oldest batch that is on its way into it, or before now: longer
 * than the clocks of processes differ. Everything that was received before is in it.
 */
export const settleMs = 4000;
/** Events of one page, and documents that are read or written at a time. */
const maxEvents = 5000;
const together = 500;
/** Attempts at a write while other processes write the same document. */
const attempts = 10;

/** The sum of a roll-up's month cannot be read. It is made anew when the account is reconciled. */
export class DamagedRollUp extends Error {
  readonly accountId: string;
  /** YYYY-MM. */
  readonly month: string;

  constructor({ _id, accountId, month }: Pick<UsageMonth, '_id' | 'accountId' | 'month'>, options: ErrorOptions) {
    super(`the sum of the roll-up ${_id} cannot be read`, options);
    this.accountId = accountId;
    this.month = month;
  }
}

/** The parts of the app that counting uses. */
export type FoldContext = Pick<AppContext, 'records'>;

/** A place in the log, in the order of receipt. */
export interface Place {
  receivedAt: number;
  eventId: string;
}

/** An event as it is counted: its day is known. */
export type CountedEvent = UsageEvent & { day: string };

/** Whether an event lies behind a place. */
export function isBehind(event: Pick<UsageEvent, 'receivedAt' | '_id'>, { receivedAt, eventId }: Place): boolean {
  return event.receivedAt > receivedAt || (event.receivedAt === receivedAt && event._id > eventId);
}

/** How far the log has been counted. */
export async function countedThrough({ records }: FoldContext): Promise<Place> {
  return (await records.collection(usageFolds, systemScope).get('fold')) ?? { receivedAt: 0, eventId: '' };
}

/** Counts the next page of the log. Returns how many events it had. @throws StoreUnavailable, DamagedRollUp */
export async function foldRound(app: FoldContext): Promise<number> {
  const { records } = app;
  const from = await countedThrough(app);
  const through = (await completeThrough(app)) - settleMs;
  const page = await records.collection(usageEvents, systemScope).find({
    filter: { receivedAt: { $gte: from.receivedAt, $lte: through } },
    sort: [
      ['receivedAt', 1],
      ['_id', 1],
    ],
    limit: maxEvents,
    after: [from.receivedAt, from.eventId],
  });
  const last = page.at(-1);
  if (last === undefined) return 0;
  const events = await withDays(app, page);
  await foldMonths(app, events);
  await foldFiles(app, events);
  await foldResources(app, events);
  await moveOn(app, from, { receivedAt: last.receivedAt, eventId: last._id });
  return page.length;
}

/** Milliseconds for which the oldest event waits to be counted; 0 if none does. */
export async function oldestUncountedMs(app: FoldContext): Promise<number> {
  const from = await countedThrough(app);
  const [oldest] = await app.records.collection(usageEvents, systemScope).pick(
    {
      filter: { receivedAt: { $gte: from.receivedAt } },
      sort: [
        ['receivedAt', 1],
        ['_id', 1],
      ],
      limit: 1,
      after: [from.receivedAt, from.eventId],
    },
    ['receivedAt'],
  );
  return oldest === undefined ? 0 : Math.max(0, app.records.time() - Number(oldest[0]));
}

async function moveOn({ records }: FoldContext, from: Place, to: Place): Promise<void> {
  const folds = records.collection(usageFolds, systemScope);
  const first: UsageFold = { _id: 'fold', ...to };
  if (from.receivedAt === 0 && (await folds.insertNew([first])).length > 0) return;
  await folds.update('fold', { receivedAt: from.receivedAt, eventId: from.eventId }, { set: { ...to } });
}

/** Gives events of the first version, which have no day, the one that they count on. */
async function withDays(app: FoldContext, page: readonly UsageEvent[]): Promise<CountedEvent[]> {
  const undated = page.filter(({ day }) => day === undefined);
  const known = await knownAccounts(app, [...new Set(undated.map(({ accountId }) => accountId))]);
  const collection = app.records.collection(usageEvents, systemScope);
  const events: CountedEvent[] = [];
  for (const event of page) {
    const day = event.day ?? dayOfEvent(event, known.get(event.accountId)?.timeZone ?? 'UTC');
    if (event.day === undefined) await collection.update(event._id, {}, { set: { day } });
    events.push({ ...event, day });
  }
  return events;
}

function grouped(
  events: readonly CountedEvent[],
  idsOf: (event: CountedEvent) => readonly string[],
): Map<string, CountedEvent[]> {
  const groups = new Map<string, CountedEvent[]>();
  for (const event of events)
    for (const id of idsOf(event)) {
      const group = groups.get(id);
      if (group === undefined) groups.set(id, [event]);
      else group.push(event);
    }
  return groups;
}

/** The id of a month's usage. @param organizationId empty: of the whole account */
export function usageMonthId(accountId: string, organizationId: string, month: string): string {
  return `${accountId}:${organizationId}:${month}`;
}

function foldMonths({ records }: FoldContext, events: readonly CountedEvent[]): Promise<void> {
  const groups = grouped(events, ({ accountId, organizationId, day }) => [
    usageMonthId(accountId, organizationId, day.slice(0, 7)),
    usageMonthId(accountId, '', day.slice(0, 7)),
  ]);
  return foldInto(
    records.collection(usageMonths, systemScope),
    groups,
    (id, { accountId, day }): UsageMonth => ({
      _id: id,
      accountId,
      organizationId: id.slice(accountId.length + 1, -8),
      month: day.slice(0, 7),
      total: '{}',
      ...unread,
    }),
    (before, added) => ({ total: newTotal(before, added) }),
  );
}

function newTotal(before: UsageMonth, added: readonly CountedEvent[]): string {
  try {
    return totalWith(before.total, added);
  } catch (cause) {
    throw new DamagedRollUp(before, { cause });
  }
}

async function foldFiles(app: FoldContext, events: readonly CountedEvent[]): Promise<void> {
  const ofFiles = eventsOf(fileKind, events);
  const createdAt = await registrationTimes(app, [...new Set(ofFiles.map(({ assetId }) => assetId ?? ''))]);
  await foldInto(
    app.records.collection(fileKind.definition, systemScope),
    grouped(
      ofFiles.filter(({ assetId }) => createdAt.has(assetId ?? '')),
      (event) => [subjectMonthId(fileKind, event)],
    ),
    (_id, first) => fileKind.empty(first, createdAt.get(first.assetId ?? '') ?? first.at),
    ({ duplicateOf }, added) => ({
      duplicateOf: added.findLast((event) => event.duplicateOf)?.duplicateOf ?? duplicateOf,
    }),
  );
}

async function foldResources({ records }: FoldContext, events: readonly CountedEvent[]): Promise<void> {
  await foldInto(
    records.collection(resourceKind.definition, systemScope),
    grouped(eventsOf(resourceKind, events), (event) => [subjectMonthId(resourceKind, event)]),
    (_id, first) => resourceKind.empty(first, first.at),
    () => ({}),
  );
}

function eventsOf(kind: Pick<SubjectKind<unknown>, 'counted'>, events: readonly CountedEvent[]): CountedEvent[] {
  return events.flatMap((event) => kind.counted(event) ?? []);
}

/** The place of a roll-up in the log, and its days. */
interface Placed {
  throughAt: number;
  throughId: string;
  days: UsageDays;
}

/** Further fields of a roll-up that events change. */
type Others<T> = (before: T, added: readonly CountedEvent[]) => { duplicateOf?: string | null; total?: string };

/**
 * Replaces roll-ups by ones with the events that they do not contain yet.
 * @param fresh a roll-up without events, for one that does not exist @param others further fields that events change
 */
async function foldInto<T extends Placed & { _id: string }>(
  collection: Collection<T>,
  groups: ReadonlyMap<string, CountedEvent[]>,
  fresh: (id: string, first: CountedEvent) => T,
  others: Others<T>,
): Promise<void> {
  let left = [...groups];
  for (let attempt = 0; attempt < attempts && left.length > 0; attempt += 1) {
    const again: typeof left = [];
    for (let start = 0; start < left.length; start += together) {
      const some = left.slice(start, start + together);
      const found = new Map((await collection.getMany(some.map(([id]) => id))).map((one) => [one._id, one]));
      const missing = some.filter(([id]) => !found.has(id));
      const made = missing.map(([id, [first, ...more]]): T => {
        if (first === undefined) throw new Error('a group of events is empty');
        const empty = fresh(id, first);
        const moved = movedBy(empty, [first, ...more], others);
        return moved === null ? empty : { ...empty, ...moved.fields, days: moved.days };
      });
      const inserted = new Set(await collection.insertNew(made));
      again.push(...missing.filter(([id]) => !inserted.has(id)));
      const changes = some.flatMap(([id, events]) => {
        const before = found.get(id);
        const moved = before === undefined ? null : movedBy(before, events, others);
        if (before === undefined || moved === null) return [];
        const { throughAt, throughId } = before;
        const days = Object.entries(moved.days).map(([day, sums]) => [`days.${day}`, sums] as const);
        const set = { ...moved.fields, ...Object.fromEntries(days) };
        return [{ id, filter: { throughAt, throughId }, change: { set } }];
      });
      // Where another process was quicker with some, all are looked at again: those that were written contain their events.
      if ((await collection.updateAll(changes)) < changes.length) again.push(...some.filter(([id]) => found.has(id)));
    }
    left = again;
  }
  if (left.length > 0) throw new Error('roll-ups of usage have too many concurrent writes');
}

/** What of a roll-up those events change that it does not contain yet: fields, and days. Null if it contains all. */
function movedBy<T extends Placed>(
  before: T,
  events: readonly CountedEvent[],
  others: Others<T>,
): { fields: Omit<Placed, 'days'> & ReturnType<Others<T>>; days: UsageDays } | null {
  const place = { receivedAt: before.throughAt, eventId: before.throughId };
  const added = events.filter((event) => isBehind(event, place));
  const last = added.at(-1);
  if (last === undefined) return null;
  return {
    fields: { throughAt: last.receivedAt, throughId: last._id, ...others(before, added) },
    days: daysWith(before.days, added),
  };
}
