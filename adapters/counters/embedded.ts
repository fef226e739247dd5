import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Runtime } from '../../models/runtime.ts';
import type { Counters } from './port.ts';
import { memoryWindows } from './memory.ts';
import type { Group } from './window.ts';

/** Options of embedded counters. */
export interface EmbeddedCountersOptions {
  /** Folder of the file `counters.sqlite`. It is created if it does not exist. */
  folder: string;
  runtime: Pick<Runtime, 'now'>;
  /** Maximum number of counted keys. */
  maxKeys?: number;
  /** Milliseconds between writes of changed windows. */
  writeEveryMs?: number;
}

/** Rows written in one turn: a few milliseconds of work, so that the event loop is not blocked. */
const rowsAtATime = 500;

/** The groups of a stored row, or null if the row is not readable (it is then ignored). */
function parseGroups(text: unknown): Group[] | null {
  if (typeof text !== 'string') return null;
  const groups: Group[] = [];
  for (const part of text.split(';')) {
    const [first, last, count] = part.split(',').map(Number);
    if (first === undefined || last === undefined || count === undefined) return null;
    if (!Number.isFinite(first) || !Number.isFinite(last) || !Number.isSafeInteger(count) || count < 1) return null;
    groups.push({ first, last, count });
  }
  return groups;
}

function writeGroups(groups: readonly Group[]): string {
  return groups.map(({ first, last, count }) => `${first},${last},${count}`).join(';');
}

/**
 * Counters of a single process. They count in memory and write changes behind to a small SQLite file, so that a restart
 * does not reset the limits. A crash loses at most the last second.
 */
export async function openEmbeddedCounters(options: EmbeddedCountersOptions): Promise<Counters> {
  const { runtime, maxKeys = 100_000, writeEveryMs = 1000 } = options;
  mkdirSync(options.folder, { recursive: true });
  const database = new DatabaseSync(join(options.folder, 'counters.sqlite'), { timeout: 1000 });
  database.exec('pragma journal_mode = wal; pragma synchronous = normal');
  database.exec(
    'create table if not exists windows (key text primary key, window_ms real not null, expires_at real not null, groups text not null) without rowid',
  );
  database.exec('create index if not exists windows_expires_at on windows (expires_at)');
  const save = database.prepare(
    'insert into windows values (?, ?, ?, ?) on conflict do update set window_ms = excluded.window_ms, expires_at = excluded.expires_at, groups = excluded.groups',
  );
  const drop = database.prepare('delete from windows where key = ?');
  const expire = database.prepare(
    'delete from windows where key in (select key from windows where expires_at <= ? limit ?)',
  );

  const changed = new Set<string>();
  const windows = memoryWindows(maxKeys, (key) => changed.add(key));
  for (const row of database
    .prepare('select key, window_ms, groups from windows where expires_at > ? order by expires_at desc limit ?')
    .iterate(runtime.now(), maxKeys)) {
    const groups = parseGroups(row['groups']);
    if (groups === null || typeof row['key'] !== 'string' || typeof row['window_ms'] !== 'number') continue;
    windows.restore(row['key'], {
      windowMs: row['window_ms'],
      groups,
      total: groups.reduce((sum, group) => sum + group.count, 0),
    });
  }

  function write(most: number): void {
    const now = runtime.now();
    windows.sweep(now, most);
    if (changed.size === 0) {
      expire.run(now, most);
      return;
    }
    const keys = [...changed.values().take(most)];
    database.exec('begin immediate');
    try {
      for (const key of keys) {
        const window = windows.get(key);
        const newest = window?.groups.at(-1);
        if (window === undefined || newest === undefined) drop.run(key);
        else save.run(key, window.windowMs, newest.last + window.windowMs, writeGroups(window.groups));
      }
      expire.run(now, most);
      database.exec('commit');
    } catch (error) {
      database.exec('rollback');
      throw error;
    }
    for (const key of keys) changed.delete(key);
  }

  let failure: unknown = null;
  const timer = setInterval(() => {
    try {
      write(rowsAtATime);
      failure = null;
    } catch (error) {
      // Counting continues in memory; ping() reports that the file cannot be written.
      failure = error;
    }
  }, writeEveryMs);
  timer.unref();

  return {
    async take(key, limit, windowMs) {
      changed.add(key);
      return windows.take(key, limit, windowMs, runtime.now());
    },
    shareAmong() {
      // A single process has all of each limit.
    },
    async ping() {
      if (failure !== null) throw new Error('the counters cannot be written to their file', { cause: failure });
    },
    async close() {
      if (!database.isOpen) return;
      clearInterval(timer);
      try {
        while (changed.size > 0) write(10_000);
      } finally {
        database.close();
      }
    },
  };
}
