import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemRuntime } from '../../../models/runtime.ts';
import { recordsConformance } from '../conformance.ts';
import { openSqliteRecords } from './records.ts';

recordsConformance('SQLite', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ply-records-'));
  const records = await openSqliteRecords({ folder, runtime: systemRuntime });
  return {
    records,
    stop: async () => {
      await records.close();
      rmSync(folder, { recursive: true });
    },
  };
});
