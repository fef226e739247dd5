import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemAmbient } from '../../../models/ambient.ts';
import { passagesConformance } from '../conformance.ts';
import { openSqlitePassages } from './sqlite.ts';

passagesConformance('SQLite', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ply-passages-'));
  const passages = await openSqlitePassages({ folder, ambient: systemAmbient, readerThreads: 2 });
  return {
    passages,
    stop: async () => {
      await passages.close();
      rmSync(folder, { recursive: true });
    },
  };
});
