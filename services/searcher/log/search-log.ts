import type { AppContext } from '../../../mixins/app-context.ts';
import { settingsOf } from '../../../mixins/settings/settings.ts';
import { calendarDay } from '../../../models/calendar-day.ts';
import { RecentKeys } from '../../../models/recent-keys.ts';
import { searchLogs } from '../../../models/search-log.ts';
import { scopeOf } from '../../../models/scope.ts';
import { EventBuffer } from '../event-buffer.ts';
import { entryOf, sumEntries, type FinishedSearch, type LogEntry } from './entry.ts';
import { timeZones } from './time-zone.ts';
import { writeBatch } from './write.ts';

/** Milliseconds for which finished searches are buffered; a killed process loses those of this period. */
const pauseMs = 1000;
/** Searches buffered while the records are unavailable: at most 2,000 characters each. */
const capacity = 10_000;
/** Organizations whose log is known to exist, and milliseconds before it is checked again. */
const [maxKnownLogs, knownLogMs] = [10_000, 30_000];

/** The parts of the app context that the search log uses. */
export type LogContext = Pick<AppContext, 'runtime' | 'records' | 'log' | 'metrics'>;

/** The log of finished searches. */
export interface SearchLog {
  /** Buffers a finished search, which is written a moment later. Never throws. */
  logSearch(search: FinishedSearch): void;
  /** Writes everything buffered. Returns whether it succeeded. */
  flush(): Promise<boolean>;
  /** Writes the rest, trying for at most `timeoutMs`, and reports what was lost. */
  stop(timeoutMs: number): Promise<void>;
}

/** Records that an organization has a log, and since when it contains texts. */
function logStateWriter({
  records,
  runtime,
}: Pick<LogContext, 'records' | 'runtime'>): (entry: LogEntry, keepsText: boolean) => Promise<void> {
  const known = new RecentKeys({ max: maxKnownLogs, ttlMs: knownLogMs, clock: runtime });
  return async ({ organizationId, accountId, at }, keepsText) => {
    const key = `${organizationId}:${keepsText}`;
    if (known.has(key)) return;
    const states = records.collection(searchLogs, scopeOf(organizationId));
    const recordingSince = keepsText ? at : null;
    const [isNew] = await states.insertNew([{ _id: organizationId, organizationId, accountId, recordingSince }]);
    if (isNew === undefined && keepsText)
      await states.update(organizationId, { recordingSince: null }, { set: { recordingSince } });
    known.add(key);
  };
}

/**
 * Opens the log of finished searches. Searches are buffered in memory and written in batches, summed by organization
 * and day and by query. A partly written batch is sent again and counts once. A killed process loses the searches of
 * its last second, or of a longer period while the records are unavailable.
 */
export function openSearchLog(app: LogContext): SearchLog {
  const { runtime, log, metrics, records } = app;
  const writer = runtime.uuid().replaceAll('-', '').slice(0, 12);
  const lost = metrics.counter(
    'ply_search_log_lost_total',
    'Finished searches that could not be written to the search log.',
    {},
  );
  const zones = timeZones(app);
  const writeState = logStateWriter(app);

  async function send(entries: LogEntry[], number: number): Promise<void> {
    // The first entry of an organization records since when its texts are stored.
    const organizations = new Map(entries.toReversed().map((entry) => [entry.organizationId, entry]));
    const facts = new Map<string, { timeZone: string; keepsText: boolean }>();
    for (const [organizationId, entry] of organizations) {
      const [timeZone, { searchLogDays }] = await Promise.all([
        zones.ofAccount(entry.accountId),
        settingsOf(app, organizationId),
      ]);
      facts.set(organizationId, { timeZone, keepsText: searchLogDays > 0 });
      await writeState(entry, searchLogDays > 0);
    }
    const dayOf = ({ organizationId, at }: LogEntry): number =>
      calendarDay(at, facts.get(organizationId)?.timeZone ?? 'UTC');
    const keepsText = ({ organizationId }: LogEntry): boolean => facts.get(organizationId)?.keepsText ?? false;
    await writeBatch(records, { writer, number }, sumEntries(entries, dayOf, keepsText));
  }

  const buffer = new EventBuffer<LogEntry>({
    send,
    onLost: (count, reason) => {
      lost.inc(count);
      log.error({ count, err: reason }, 'finished searches could not be written to the search log');
    },
    pauseMs,
    capacity,
  });
  return {
    logSearch: (search) => buffer.add(entryOf(search, runtime.now())),
    flush: () => buffer.flush(),
    stop: (timeoutMs) => buffer.stop(timeoutMs),
  };
}
