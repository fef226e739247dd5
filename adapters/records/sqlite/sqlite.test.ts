import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemRuntime } from '../../../models/runtime.ts';
import { systemScope } from '../../../models/scope.ts';
import { recordsConformance } from '../conformance.ts';
import { thing, things } from '../conformance-ground.ts';
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

it('an id is not taken for a query that was answered', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ply-records-'));
  const records = await openSqliteRecords({ folder, runtime: systemRuntime });
  try {
    await records.prepare([things]);
    const collection = records.collection(things, systemScope);
    await collection.insert(thing('a'));
    const query = { filter: { name: 'name of a' }, limit: 1 };
    expect(await collection.find(query)).toEqual([thing('a')]);
    const asId = JSON.stringify(query);
    expect(await collection.get(asId)).toBeNull();
    expect(await collection.getMany([asId, `?${asId}`])).toEqual([]);
  } finally {
    await records.close();
    rmSync(folder, { recursive: true });
  }
});
