import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ServiceBroker } from 'moleculer';
import type { Records } from '../../adapters/records/port.ts';
import { openSqliteRecords } from '../../adapters/records/sqlite/records.ts';
import { defineCollection } from '../../models/collection.ts';
import { systemRuntime } from '../../models/runtime.ts';
import { scopeOf, systemScope } from '../../models/scope.ts';
import { entitiesConformance, notes } from './conformance.ts';
import { recordsMixin } from './records.ts';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'ply-mixin-'))));
afterEach(() => rmSync(folder, { recursive: true }));

entitiesConformance('SQLite', () => openSqliteRecords({ folder, runtime: systemRuntime }));

describe('the records mixin', () => {
  it('creates the collections when the service starts, and publishes no action', async () => {
    const records = await openSqliteRecords({ folder, runtime: systemRuntime });
    const broker = new ServiceBroker({ logger: false, nodeID: 'mixin-test' });
    broker.createService({ name: 'notes', mixins: [recordsMixin(records, notes)] });
    await broker.start();
    await records.collection(notes, scopeOf('o')).insert({ _id: 'a', organizationId: 'o', text: 'one' });
    expect(broker.registry.getActionList({ onlyLocal: true, skipInternal: true })).toEqual([]);
    for (const action of ['find', 'list', 'create', 'remove', 'update', 'get', 'insert', 'count']) {
      await expect(broker.call(`notes.${action}`, { query: { $where: 'true' } })).rejects.toMatchObject({
        type: 'SERVICE_NOT_FOUND',
      });
    }
    await broker.stop();
    await records.close();
  });

  it('waits at the start until the store answers', async () => {
    const records = await openSqliteRecords({ folder, runtime: systemRuntime });
    let refusals = 1;
    const flaky: Records = {
      ...records,
      prepare: async (...given: Parameters<typeof records.prepare>) => {
        refusals -= 1;
        if (refusals >= 0) throw new Error('away');
        await records.prepare(...given);
      },
    };
    const own = defineCollection<{ _id: string }>({ name: 'own', owner: 'deployment', indexes: [] });
    const broker = new ServiceBroker({ logger: false, nodeID: 'mixin-test-2' });
    broker.createService({ name: 'own', mixins: [recordsMixin(flaky, own)] });
    await broker.start();
    expect(refusals).toBe(-1);
    expect(await records.collection(own, systemScope).get('a')).toBeNull();
    await broker.stop();
    await records.close();
  });
});
