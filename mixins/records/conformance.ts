import { ServiceBroker } from 'moleculer';
import type { Records } from '../../adapters/records/port.ts';
import { defineCollection } from '../../models/collection.ts';
import { scopeOf, systemScope } from '../../models/scope.ts';
import { recordsAdapter } from './adapter.ts';
import { isEntityNotFound, recordsService } from './records.ts';

interface Note {
  _id: string;
  organizationId: string;
  text: string;
  stars?: number;
}

/** The suite's collection. */
export const notes = defineCollection<Note>({
  name: 'notes',
  owner: 'organization',
  indexes: [{ name: 'text', fields: ['organizationId', 'text'], unique: true }],
});

function note(id: string, text: string, organizationId = 'o'): Note {
  return { _id: id, organizationId, text };
}

/** Registers the tests of moleculer-db over a records store. */
export function entitiesConformance(name: string, open: () => Promise<Records>): void {
  describe(`moleculer-db over ${name}`, () => {
    let records: Records;
    beforeEach(async () => {
      records = await open();
      await records.prepare([notes]);
      await records.collection(notes, systemScope).removeMany({}, 1000);
    });
    afterEach(() => records.close());

    it('offers the whole adapter contract, within the scope', async () => {
      const own = recordsAdapter(records, notes, scopeOf('o'));
      const other = recordsAdapter(records, notes, scopeOf('p'));
      await own.insert(note('a', 'one'));
      await expect(own.insert(note('b', 'one'))).rejects.toMatchObject({ name: 'DuplicateRecord', index: 'text' });
      expect(await own.insertMany([note('b', 'two'), note('a', 'three'), note('c', 'three')])).toEqual([
        note('b', 'two'),
        note('c', 'three'),
      ]);
      await other.insert(note('x', 'one', 'p'));
      expect(await own.find({ query: { text: { $gt: 'o' } }, sort: '-text', limit: 2, offset: 1 })).toEqual([
        note('c', 'three'),
        note('a', 'one'),
      ]);
      expect([await own.count(), await own.count({ query: { text: 'one' } })]).toEqual([3, 1]);
      expect(await own.findOne({ text: 'two' })).toEqual(note('b', 'two'));
      expect(await own.findById('x')).toBeNull();
      expect(await own.findByIds(['x', 'c', 'a'])).toEqual([note('c', 'three'), note('a', 'one')]);
      expect(await own.updateById('a', { $set: { text: 'uno' }, $inc: { stars: 2 } })).toEqual({
        ...note('a', 'uno'),
        stars: 2,
      });
      expect(await own.updateById('x', { $set: { text: 'taken' } })).toBeNull();
      expect(await own.updateMany({ text: { $in: ['two', 'three', 'one'] } }, { $inc: { stars: 1 } })).toBe(2);
      await expect(own.updateMany({}, { $where: 1 } as object)).rejects.toThrow('no change');
      expect(await own.removeById('x')).toBeNull();
      expect(await own.removeById('a')).toEqual({ ...note('a', 'uno'), stars: 2 });
      expect(await own.removeMany({ text: 'two' })).toBe(1);
      expect(await own.clear()).toBe(1);
      expect(await other.find()).toEqual([note('x', 'one', 'p')]);
    });

    it('carries out the operations of a service with its life cycle, within the scope', async () => {
      const seen: string[] = [];
      const service = recordsService(records, notes, [notes], {
        entityValidator: ({ text }) => {
          if (text === '') throw new Error('a note needs a text');
        },
        entityCreated: ({ _id }) => void seen.push(`created ${_id}`),
        entityUpdated: ({ _id }) => void seen.push(`updated ${_id}`),
        entityRemoved: ({ _id }) => void seen.push(`removed ${_id}`),
      });
      const broker = new ServiceBroker({ logger: false, skipProcessEventRegistration: true });
      broker.createService({ name: 'notes', mixins: [service.mixin] });
      const own = service.entities(scopeOf('o'));
      const other = service.entities(scopeOf('p'));
      await own.create(note('a', 'one'));
      await expect(own.create(note('b', ''))).rejects.toThrow('needs a text');
      await expect(own.create(note('b', 'b', 'p'))).rejects.toThrow('another organization');
      await own.insert([note('b', 'two'), note('c', 'three')]);
      expect(await own.find({ sort: ['text'] })).toEqual([note('a', 'one'), note('c', 'three'), note('b', 'two')]);
      expect(await own.list({ page: 2, pageSize: 2, sort: 'text' })).toMatchObject({
        rows: [note('b', 'two')],
        total: 3,
        totalPages: 2,
      });
      expect(await own.update('a', { text: 'uno' })).toEqual(note('a', 'uno'));
      expect(await own.get('a')).toEqual(note('a', 'uno'));
      expect([await own.count({}), await other.count({})]).toEqual([3, 0]);
      for (const foreign of [other.get('a'), other.update('a', { text: 'x' }), other.remove('a')]) {
        const error: unknown = await foreign.catch((reason: unknown) => reason);
        expect(isEntityNotFound(error)).toBe(true);
      }
      expect(await other.find({})).toEqual([]);
      expect(await own.remove('a')).toEqual(note('a', 'uno'));
      expect(seen).toEqual(['created a', expect.stringContaining('created'), 'updated a', 'removed a']);
    });
  });
}
