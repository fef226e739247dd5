import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ServiceBroker } from 'moleculer';
import { openSqliteRecords } from '../../adapters/records/sqlite/records.ts';
import { systemAmbient } from '../../models/ambient.ts';
import { defineCollection } from '../../models/collection.ts';
import { recordsMixin, type recordsAdapter } from './records.ts';

const notes = defineCollection<{ _id: string; text: string }>({ name: 'notes', owner: 'deployment', indexes: [{ name: 'text', fields: ['text'], unique: true }] });

describe('the records mixin', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'ply-mixin-'))));
  afterEach(() => rmSync(folder, { recursive: true }));

  it('makes the collections when the service starts, lets go when it stops, and publishes no action', async () => {
    const records = await openSqliteRecords({ folder, ambient: systemAmbient });
    const broker = new ServiceBroker({ logger: false, nodeID: 'mixin-test' });
    const service = broker.createService({ name: 'notes', mixins: [recordsMixin(records, notes)] });
    await broker.start();
    const adapter: ReturnType<typeof recordsAdapter<{ _id: string; text: string }>> = Reflect.get(service, 'adapter');
    await adapter.insert({ _id: 'a', text: 'one' });
    await expect(adapter.insert({ _id: 'b', text: 'one' })).rejects.toMatchObject({ name: 'DuplicateRecord', index: 'text' });
    expect(await adapter.findById('a')).toEqual({ _id: 'a', text: 'one' });
    for (let round = 0; round < 2; round += 1) {
      const found = await adapter.findByIds(['b', 'a']);
      expect(found).toEqual([{ _id: 'a', text: 'one' }]);
      // As moleculer-db does with ids.
      Object.assign(found[0] ?? {}, { text: 'written into' });
    }
    await expect(adapter.find()).rejects.toThrow('not offered');
    await expect(adapter.clear()).rejects.toThrow('not offered');
    expect(broker.registry.getActionList({ onlyLocal: true, skipInternal: true })).toEqual([]);
    for (const action of ['find', 'list', 'create', 'remove', 'update', 'get', 'insert', 'count']) {
      await expect(broker.call(`notes.${action}`, { query: { $where: 'true' } })).rejects.toMatchObject({ type: 'SERVICE_NOT_FOUND' });
    }
    await broker.stop();
    await expect(adapter.findById('a')).rejects.toThrow('not connected');
    await records.close();
  });

  it('waits at the start until the store answers', async () => {
    const records = await openSqliteRecords({ folder, ambient: systemAmbient });
    let refusals = 1;
    const flaky = { ...records, prepare: async (...given: Parameters<typeof records.prepare>) => {
      refusals -= 1;
      if (refusals >= 0) throw new Error('away');
      await records.prepare(...given);
    } };
    const broker = new ServiceBroker({ logger: false, nodeID: 'mixin-test-2' });
    const service = broker.createService({ name: 'notes', mixins: [recordsMixin(flaky, notes)] });
    await broker.start();
    expect(refusals).toBe(-1);
    const adapter: ReturnType<typeof recordsAdapter> = Reflect.get(service, 'adapter');
    expect(await adapter.findById('a')).toBeNull();
    await broker.stop();
    await records.close();
  });
});
