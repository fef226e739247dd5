import { randomUUID } from 'node:crypto';
import type { Collection } from '../adapters/records/port.ts';
import { openSqliteRecords } from '../adapters/records/sqlite/records.ts';
import { collections } from '../app/collections.ts';
import { systemRuntime } from '../models/runtime.ts';
import { calendarDay } from '../models/calendar-day.ts';
import type { StoredRecord } from '../models/collection.ts';
import { scopeOf } from '../models/scope.ts';
import { loggedQueries, searchDays, searchLogs } from '../models/search-log.ts';
import { entryOf, sumEntries, type LogEntry } from '../services/searcher/log/entry.ts';
import { newLoggedQuery } from '../services/searcher/log/logged-query.ts';
import { drawText, drawWord, englishWords, randomNumbers } from './vocabulary.ts';

const loggedDays = 90;
const aDay = 86_400_000;

/** Frequency of queries: as in language, the nth 1/n as often as the first, or all equal. */
export type Spread = 'as in language' | 'all alike rare';

/** A generated log of one organization. */
export interface MadeLog {
  organizationId: string;
  /** Different queries. */
  queries: number;
  /** Prefixes as people type them: the first 2 to 12 characters of searched queries. */
  prefixes: string[];
}

function* searchesOf(
  organizationId: string,
  queries: readonly string[],
  count: number,
  spread: Spread,
  random: () => number,
): Generator<LogEntry> {
  const now = Date.now();
  for (let at = 0; at < count; at += 1) {
    const query = spread === 'as in language' ? drawWord(queries, random) : (queries[at % queries.length] ?? '');
    const principals = random() < 0.3 ? [`group ${Math.floor(random() * 50)}`] : null;
    const milliseconds = 4 + 40 * random() ** 3;
    yield entryOf(
      {
        organizationId,
        accountId: organizationId,
        kind: 'search',
        query,
        principals,
        results: query.length % 5 === 0 ? 0 : Math.floor(random() * 40),
        milliseconds,
      },
      now - Math.floor(random() * loggedDays * aDay),
    );
  }
}

async function insertAll<T extends StoredRecord>(collection: Collection<T>, documents: Iterator<T>): Promise<void> {
  for (;;) {
    const part: T[] = [];
    while (part.length < 2000) {
      const next = documents.next();
      if (next.done === true) break;
      part.push(next.value);
    }
    if (part.length === 0) return;
    await collection.insertNew(part);
  }
}

/**
 * Writes a log of `count` searches of the last 90 days into the records of a data folder, aggregated like the
 * searcher's, in bulk.
 */
export async function makeSearchLog(
  folder: string,
  organizationId: string,
  count: number,
  spread: Spread,
): Promise<MadeLog> {
  const random = randomNumbers(count);
  const words = englishWords();
  const different = new Set<string>();
  const wanted = Math.floor(count / 3);
  while (different.size < wanted) different.add(drawText(words, 1 + Math.floor(random() * 6), random).toLowerCase());
  const pool = [...different];
  const { days, queries } = sumEntries(
    searchesOf(organizationId, pool, count, spread, random),
    ({ at }) => calendarDay(at, 'UTC'),
    () => true,
  );
  const records = await openSqliteRecords({ folder, runtime: systemRuntime });
  try {
    await records.prepare(collections);
    const scope = scopeOf(organizationId);
    await records.collection(searchLogs, scope).insert({
      _id: organizationId,
      organizationId,
      accountId: organizationId,
      recordingSince: Date.now() - loggedDays * aDay,
    });
    await insertAll(
      records.collection(searchDays, scope),
      days.values().map((day) => ({ _id: `${organizationId}:${day.day}`, ...day, by: {} })),
    );
    await insertAll(
      records.collection(loggedQueries, scope),
      queries.values().map((query) => newLoggedQuery(query, { [randomUUID().slice(0, 8)]: 1 })),
    );
  } finally {
    await records.close();
  }
  const prefixes = Array.from({ length: 1000 }, () =>
    [...drawWord(pool, random)].slice(0, 2 + Math.floor(random() * 11)).join(''),
  );
  return { organizationId, queries: queries.length, prefixes };
}
