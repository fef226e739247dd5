import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemAmbient } from '../../../models/ambient.ts';
import { recordsConformance } from '../conformance.ts';
import { openSqliteRecords } from './records.ts';

recordsConformance('SQLite', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ply-records-'));
  const records = await openSqliteRecords({ folder, ambient: systemAmbient });
  return {
    records,
    stop: async () => {
      await records.close();
      rmSync(folder, { recursive: true });
    },
  };
});
