import { isDeepStrictEqual } from 'node:util';
import type { AppContext } from '../../mixins/app-context.ts';
import { assets } from '../../models/asset.ts';
import { calendarDay, dayText } from '../../models/calendar-day.ts';
import { systemScope } from '../../models/scope.ts';
import { usageEvents, type NewUsageEvent, type UsageEvent } from '../../models/usage-event.ts';
import { usageFiles, usageRecounts, type UsageFile } from '../../models/usage-month.ts';
import { metricOf } from '../../models/usage-metric.ts';
import { utcDayOf } from '../../models/utc-days.ts';
import { countEvents } from './quotas/count.ts';
import { isLate, knownAccounts, lateReceipt, type KnownAccount } from './state.ts';

/** The parts of the app that recording usage uses. */
export type RecordContext = Pick<AppContext, 'records'>;

/** The day (YYYY-MM-DD) that an event counts on. @param timeZone of the account */
export function dayOfEvent(
  { at, metric, day }: Pick<NewUsageEvent, 'at' | 'metric' | 'day'>,
  timeZone: string,
): string {
  if (day !== undefined) return day;
  return dayText(metricOf(metric).days === 'utc' ? utcDayOf(at) : calendarDay(at, timeZone));
}

/** Longest time from an event's time of receipt until it is in the log, in milliseconds: half of what counting waits. */
const slowMs = 2000;

/**
 * Appends events to the log: those whose id is not there yet. When the promise resolves they are on disk, and the
 * producer may forget them.
 * @returns how many were new. @throws StoreUnavailable
 */
export async function recordEvents({ records }: RecordContext, events: readonly NewUsageEvent[]): Promise<number> {
  await rememberFiles({ records }, events);
  // Before the ledgers are read: a closing that begins later ends after this time.
  let receivedAt = records.time();
  const ids = [...new Set(events.map(({ accountId }) => accountId))];
  let known = await knownAccounts({ records }, ids);
  if (records.time() - receivedAt > slowMs) {
    receivedAt = records.time();
    known = await knownAccounts({ records }, ids);
  }
  const received = events.map((event) => receivedEvent(event, known.get(event.accountId), receivedAt));
  const log = records.collection(usageEvents, systemScope);
  const recorded = await log.insertNew(received);
  const fresh = new Set(recorded);
  await countEvents(
    { records },
    received.filter(({ _id }) => fresh.has(_id)),
  );
  if (records.time() - receivedAt > slowMs) await catchUp({ records }, received, fresh);
  return recorded.length;
}

/** An event as it is stored. Use before the account's first month counts on that month's first day. */
function receivedEvent(
  event: NewUsageEvent,
  account: KnownAccount | undefined,
  receivedAt: number,
): UsageEvent & { day: string } {
  const named = dayOfEvent(event, account?.timeZone ?? 'UTC');
  if (account === undefined) return { ...event, day: named, receivedAt };
  const first = `${account.ledger.firstMonth}-01`;
  const day = named < first ? first : named;
  const month = day.slice(0, 7);
  if (!isLate(account.ledger, month, receivedAt)) return { ...event, day, receivedAt };
  return { ...event, day, receivedAt: lateReceipt(account.ledger, receivedAt), lateFor: month };
}

/**
 * What is to be done for events that took long to reach the log. It may have been counted past their time of receipt by
 * now, so their months are counted again; and their month may have been closed without them, so they are received now.
 */
async function catchUp(
  { records }: RecordContext,
  events: readonly (UsageEvent & { day: string })[],
  recorded: ReadonlySet<string>,
): Promise<void> {
  const log = records.collection(usageEvents, systemScope);
  const known = await knownAccounts({ records }, [...new Set(events.map(({ accountId }) => accountId))]);
  for (const event of events) {
    const ledger = known.get(event.accountId)?.ledger;
    const month = event.day.slice(0, 7);
    const mayBeMissed = ledger?.closing?.month === month || isLate(ledger ?? neverClosed, month, event.receivedAt);
    if (recorded.has(event._id) && event.lateFor === undefined && mayBeMissed)
      await log.update(event._id, {}, { set: { receivedAt: records.time(), lateFor: month } });
  }
  await recount({ records }, events);
}

const neverClosed = { closedThrough: null, closing: null };

/** Makes the months of events be counted again. */
async function recount(
  { records }: RecordContext,
  events: readonly { accountId: string; day: string }[],
): Promise<void> {
  const since = records.time();
  const months = new Map(
    events.map(({ accountId, day }) => {
      const month = day.slice(0, 7);
      return [`${accountId}:${month}`, { _id: `${accountId}:${month}`, accountId, month, since }];
    }),
  );
  for (const month of months.values()) await records.collection(usageRecounts, systemScope).put(month);
}

/** Keeps what the record of a file shows after the file was deleted. */
async function rememberFiles({ records }: RecordContext, events: readonly NewUsageEvent[]): Promise<void> {
  const ids = [...new Set(events.flatMap(({ assetId }) => (assetId === null ? [] : [assetId])))];
  if (ids.length === 0) return;
  const files = records.collection(usageFiles, systemScope);
  const known = new Map((await files.getMany(ids)).map((file) => [file._id, file]));
  for (const asset of await records.collection(assets, systemScope).getMany(ids)) {
    const { _id, accountId, organizationId, externalId, filename, kind, createdAt } = asset;
    const file: UsageFile = {
      _id,
      accountId,
      organizationId,
      externalId,
      filename,
      kind,
      createdAt,
      extractContentFromVideoFrames: asset.extractContentFromVideoFrames,
    };
    const before = known.get(_id);
    if (before === undefined || !isDeepStrictEqual({ ...before }, file)) await files.put(file);
  }
}
