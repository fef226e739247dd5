import type { House } from '../../../mixins/house.ts';
import { settingsOf } from '../../../mixins/settings/settings.ts';
import { calendarDay } from '../../../models/calendar-day.ts';
import { searchLogs } from '../../../models/search-log.ts';
import { scopeOf } from '../../../models/scope.ts';
import { UsageBuffer } from '../usage.ts';
import { entryOf, sumEntries, type FinishedSearch, type LogEntry } from './entry.ts';
import { timeZones } from './time-zone.ts';
import { writeBatch } from './write.ts';

/** Milliseconds that a finished search waits to be logged with others: what a process that is killed loses. */
const pause = 1000;
/** Searches kept while the records are away: at most 2,000 characters each. */
const capacity = 10_000;
/** Organizations whose log is known to be there, and for how many milliseconds that is believed. */
const known = { most: 10_000, believed: 30_000 };

/** What the search log needs of the house. */
export type LogHouse = Pick<House, 'ambient' | 'records' | 'log' | 'metrics'>;

/** Where finished searches are told. */
export interface SearchLog {
  /** Takes a finished search at once; it is written with others a moment later. Never throws. */
  logSearch(search: FinishedSearch): void;
  /** Writes what waits: true when all of it was written. */
  flush(): Promise<boolean>;
  /** Writes the rest, trying for at most so many milliseconds; reports what could not be. */
  stop(milliseconds: number): Promise<void>;
}

/** Notes that an organization has a log, and since when texts are kept in it. */
function stateKeeper({ records }: Pick<LogHouse, 'records'>): (entry: LogEntry, keepsText: boolean) => Promise<void> {
  const noted = new Map<string, number>();
  return async ({ organizationId, accountId, at }, keepsText) => {
    const key = `${organizationId}:${keepsText}`;
    if (at - (noted.get(key) ?? -Infinity) < known.believed) return;
    const states = records.collection(searchLogs, scopeOf(organizationId));
    const recordingSince = keepsText ? at : null;
    const [isNew] = await states.insertNew([{ _id: organizationId, organizationId, accountId, recordingSince }]);
    if (isNew === undefined && keepsText) await states.update(organizationId, { recordingSince: null }, { set: { recordingSince } });
    if (noted.size >= known.most) noted.clear();
    noted.set(key, at);
  };
}

/**
 * Opens the log of finished searches. Searches wait in memory (bounded) and are written in batches, summed by
 * organization and day and by query. A batch that was written in part is sent again and counts once. A killed process
 * loses the searches of its last second, and more only while the records are away.
 */
export function openSearchLog(house: LogHouse): SearchLog {
  const { ambient, log, metrics, records } = house;
  const writer = ambient.uuid().replaceAll('-', '').slice(0, 12);
  const lost = metrics.counter('ply_search_log_lost_total', 'Finished searches that could not be written to the search log.', []);
  const zones = timeZones(house);
  const note = stateKeeper(house);

  async function send(entries: LogEntry[], number: number): Promise<void> {
    // The first search of each organization: texts are kept since then.
    const organizations = new Map(entries.toReversed().map((entry) => [entry.organizationId, entry]));
    const facts = new Map<string, { timeZone: string; keepsText: boolean }>();
    for (const [organizationId, entry] of organizations) {
      const [timeZone, { searchLogDays }] = await Promise.all([zones.ofAccount(entry.accountId), settingsOf(house, organizationId)]);
      facts.set(organizationId, { timeZone, keepsText: searchLogDays > 0 });
      await note(entry, searchLogDays > 0);
    }
    const dayOf = ({ organizationId, at }: LogEntry): number => calendarDay(at, facts.get(organizationId)?.timeZone ?? 'UTC');
    const keepsText = ({ organizationId }: LogEntry): boolean => facts.get(organizationId)?.keepsText ?? false;
    await writeBatch(records, { writer, number }, sumEntries(entries, dayOf, keepsText));
  }

  const buffer = new UsageBuffer<LogEntry>({
    send,
    lost: (count, reason) => {
      lost.inc(count);
      log.error({ count, err: reason }, 'finished searches could not be written to the search log');
    },
    pause,
    capacity,
  });
  return {
    logSearch: (search) => buffer.add(entryOf(search, ambient.now())),
    flush: () => buffer.flush(),
    stop: (milliseconds) => buffer.stop(milliseconds),
  };
}
