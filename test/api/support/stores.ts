import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { openSqliteRecords } from '../../../adapters/records/sqlite/records.ts';
import { systemRuntime } from '../../../models/runtime.ts';
import { assets, type Asset } from '../../../models/asset.ts';
import { systemScope } from '../../../models/scope.ts';
import { usageEvents, type UsageEvent } from '../../../models/usage-event.ts';
import type { TestProgram } from './program.ts';

/** Content of the records of a stopped program. */
export interface Stored {
  usage: UsageEvent[];
  assets: Asset[];
}

/** Reads the records of a stopped program. */
export async function readStores({ folder }: Pick<TestProgram, 'folder'>): Promise<Stored> {
  const records = await openSqliteRecords({ folder: join(folder, 'data'), runtime: systemRuntime });
  try {
    const all = { filter: {}, limit: 100_000 };
    return {
      usage: await records.collection(usageEvents, systemScope).find(all),
      assets: await records.collection(assets, systemScope).find(all),
    };
  } finally {
    await records.close();
  }
}

/** The result of SQLite's integrity check for each file; all must be `ok`. */
export function integrityOf({ folder }: Pick<TestProgram, 'folder'>): string[] {
  return ['records.db', 'passages.db'].map((file) => {
    const database = new DatabaseSync(join(folder, 'data', file));
    const rows = database.prepare('pragma integrity_check').all();
    database.close();
    return rows.map((row) => String(row['integrity_check'])).join('; ');
  });
}
