import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Runs `work` while no other process runs it for the same file. The lock is SQLite's on that file, so the system
 * releases it when a process dies.
 */
export async function withLock<T>(file: string, work: () => Promise<T>): Promise<T> {
  await mkdir(dirname(file), { recursive: true });
  const database = new DatabaseSync(file);
  try {
    database.exec('pragma busy_timeout = 0');
    while (!hasLock(database)) await sleep(200);
    return await work();
  } finally {
    database.close();
  }
}

const databaseIsBusy = 5;

function hasLock(database: DatabaseSync): boolean {
  try {
    database.exec('begin exclusive');
    return true;
  } catch (error) {
    if (typeof error === 'object' && error !== null && 'errcode' in error && error.errcode === databaseIsBusy)
      return false;
    throw error;
  }
}
