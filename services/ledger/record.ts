import { isDeepStrictEqual } from 'node:util';
import type { AppContext } from '../../mixins/app-context.ts';
import { assets } from '../../models/asset.ts';
import { calendarDay, dayText } from '../../models/calendar-day.ts';
import { systemScope } from '../../models/scope.ts';
import { receiptOf } from '../../models/statement.ts';
import {
  usageBatches,
  usageEvents,
  type NewUsageEvent,
  type UsageBatch,
  type UsageEvent,
} from '../../models/usage-event.ts';
import { usageFiles, usageFolds, type UsageFile } from '../../models/usage-month.ts';
import { metricOf } from '../../models/usage-metric.ts';
import { utcDayOf } from '../../models/utc-days.ts';
import { countEvents } from './quotas/count.ts';
import { isLate, knownAccounts, type KnownAccount } from './state.ts';

/** The parts of the app that recording usage uses. */
export type RecordContext = Pick<AppContext, 'records' | 'runtime'>;

/** The day (YYYY-MM-DD) that an event counts on. @param timeZone of the account */
export function dayOfEvent(
  { at, metric, day }: Pick<NewUsageEvent, 'at' | 'metric' | 'day'>,
  timeZone: string,
): string {
  if (day !== undefined) return day;
  return dayText(metricOf(metric).days === 'utc' ? utcDayOf(at) : calendarDay(at, timeZone));
}

/** Events of one batch. */
const maxEvents = 1000;
/** Milliseconds after which a batch is one of a process that died, or hangs. */
const abandonedMs = 5000;
/** Batches that are listed at a time. */
const pageSize = 200;

/**
 * Appends events to the log: those whose id is not there yet. When the promise resolves they are on disk, and the
 * producer may forget them.
 * @returns how many were new. @throws StoreUnavailable
 */
export async function recordEvents(app: RecordContext, events: readonly NewUsageEvent[]): Promise<number> {
  await rememberFiles(app, events);
  const batches = app.records.collection(usageBatches, systemScope);
  let recorded = 0;
  for (let start = 0; start < events.length; start += maxEvents) {
    const batch: UsageBatch = {
      _id: app.runtime.uuid(),
      at: app.records.time(),
      events: events.slice(start, start + maxEvents),
    };
    await batches.insert(batch);
    recorded += await finish(app, batch);
  }
  return recorded;
}

/**
 * Appends the events of a batch, and removes it. The ledgers are read after the batch was written, so a month that is being
 * closed is either seen here, or its closing sees the batch and does the same. The first to append an event decides
 * whether it is late. Safe to repeat, also at once in several processes, and by one that was paused for long.
 */
async function finish({ records }: Pick<RecordContext, 'records'>, { _id, events }: UsageBatch): Promise<number> {
  const receivedAt = await timeOfReceipt({ records });
  const known = await knownAccounts({ records }, [...new Set(events.map(({ accountId }) => accountId))]);
  const received = events.map((event) => receivedEvent(event, known.get(event.accountId), receivedAt));
  const recorded = await records.collection(usageEvents, systemScope).insertNew(received);
  const fresh = new Set(recorded);
  await Promise.all([
    countEvents(
      { records },
      received.filter((event) => fresh.has(event._id)),
    ),
    records.collection(usageBatches, systemScope).remove(_id),
  ]);
  return recorded.length;
}

/**
 * The time of the store, or the millisecond after the place up to which the log has been counted: where the clock was set
 * back, events of before that place would be in no roll-up. They are counted when the clock has come so far again.
 */
async function timeOfReceipt({ records }: Pick<RecordContext, 'records'>): Promise<number> {
  const counted = await records.collection(usageFolds, systemScope).get('fold');
  return Math.max(records.time(), (counted?.receivedAt ?? 0) + 1);
}

/**
 * Finishes every batch that is there, of all processes.
 * @param before store time: only batches of before it @throws StoreUnavailable
 */
export async function finishBatches({ records }: Pick<RecordContext, 'records'>, before?: number): Promise<void> {
  const batches = records.collection(usageBatches, systemScope);
  const ids: string[] = [];
  for (let after: (string | number)[] | null = null; ;) {
    const page = await batches.pick(
      {
        filter: before === undefined ? {} : { at: { $lt: before } },
        sort: [
          ['at', 1],
          ['_id', 1],
        ],
        limit: pageSize,
        ...(after === null ? {} : { after }),
      },
      ['at', '_id'],
    );
    ids.push(...page.map(([, id]) => String(id)));
    const last = page.at(-1);
    if (last === undefined || page.length < pageSize) break;
    after = [Number(last[0]), String(last[1])];
  }
  for (const id of ids) {
    const batch = await batches.get(id);
    if (batch !== null) await finish({ records }, batch);
  }
}

/** Finishes the batches of processes that died, or hang. @throws StoreUnavailable */
export function finishAbandoned(app: Pick<RecordContext, 'records'>): Promise<void> {
  return finishBatches(app, app.records.time() - abandonedMs);
}

/** Store time before which every event that was received is in the log. @throws StoreUnavailable */
export async function completeThrough({ records }: Pick<RecordContext, 'records'>): Promise<number> {
  const now = records.time();
  const [oldest] = await records
    .collection(usageBatches, systemScope)
    .pick({ filter: {}, sort: [['at', 1]], limit: 1 }, ['at']);
  return oldest === undefined ? now : Math.min(now, Number(oldest[0]));
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
  if (!isLate(account.ledger, month)) return { ...event, day, receivedAt };
  return { ...event, day, receivedAt: receiptOf(account.ledger, receivedAt), lateFor: month };
}

/** Keeps what the record of a file shows after the file was deleted. */
async function rememberFiles(
  { records }: Pick<RecordContext, 'records'>,
  events: readonly NewUsageEvent[],
): Promise<void> {
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
