import {
  DuplicateRecord,
  type Change,
  type Collection,
  type Condition,
  type Filter,
  type Records,
} from '../../adapters/records/port.ts';
import type { CollectionDefinition, StoredRecord } from '../../models/collection.ts';

/**
 * A store in memory for tests of services: it supports only equality and comparisons on top-level fields, and unique
 * ids.
 */
export interface MemoryRecords extends Records {
  /** The documents of a collection, of all organizations. */
  all(name: string): StoredRecord[];
  /** Runs before every operation. Throw from it to simulate an unavailable store. */
  before: (operation: string, collection: string) => Promise<void>;
  /** Sets the store's clock, in milliseconds. */
  clock: () => number;
}

function matches(record: StoredRecord, filter: Filter): boolean {
  const fields = new Map<string, unknown>(Object.entries(record));
  return Object.entries(filter).every(([path, condition]) => holds(fields.get(path) ?? null, condition));
}

function holds(value: unknown, condition: Condition): boolean {
  if (typeof condition !== 'object' || condition === null) return value === condition;
  const { $lte, $lt, $gt, $ne, $in } = condition;
  if (Object.keys(condition).some((name) => !['$lte', '$lt', '$gt', '$ne', '$in'].includes(name)))
    throw new Error(`the store in memory does not support ${JSON.stringify(condition)}`);
  if ($ne !== undefined && value === $ne) return false;
  if ($in !== undefined && !$in.some((each) => each === value)) return false;
  if (typeof value !== 'number') return $lte === undefined && $lt === undefined && $gt === undefined;
  return (
    ($lte === undefined || value <= Number($lte)) &&
    ($lt === undefined || value < Number($lt)) &&
    ($gt === undefined || value > Number($gt))
  );
}

/** A new store in memory. */
export function memoryRecords(): MemoryRecords {
  const stores = new Map<string, Map<string, StoredRecord>>();
  const storeOf = (name: string): Map<string, StoredRecord> => {
    const store = stores.get(name) ?? new Map<string, StoredRecord>();
    stores.set(name, store);
    return store;
  };
  const records: MemoryRecords = {
    all: (name) => [...storeOf(name).values()],
    before: () => Promise.resolve(),
    clock: () => Date.now(),
    prepare: () => Promise.resolve(),
    purge: () => Promise.resolve(),
    time: () => records.clock(),
    ping: () => records.before('ping', ''),
    close: () => Promise.resolve(),
    collection: <T extends StoredRecord>(definition: CollectionDefinition<T>): Collection<T> => {
      const { name } = definition;
      // A collection's name stands for its type: definitions are unique.
      const store = storeOf(name) as Map<string, T>;
      const copy = (record: T): T => structuredClone(record);
      const found = (filter: Filter): T[] => [...store.values()].filter((record) => matches(record, filter));
      return {
        insert: async (document) => {
          await records.before('insert', name);
          if (store.has(document._id)) throw new DuplicateRecord(name, '_id');
          store.set(document._id, copy(document));
        },
        insertNew: async (documents) => {
          await records.before('insertNew', name);
          const fresh = documents.filter(({ _id }) => !store.has(_id));
          for (const document of fresh) store.set(document._id, copy(document));
          return fresh.map(({ _id }) => _id);
        },
        get: async (id) => {
          await records.before('get', name);
          const record = store.get(id);
          return record === undefined ? null : copy(record);
        },
        getMany: async (ids) => {
          await records.before('getMany', name);
          return ids.flatMap((id) => store.get(id) ?? []).map(copy);
        },
        getParts: async (ids) => {
          await records.before('getParts', name);
          return ids.flatMap((id) => store.get(id) ?? []).map(copy);
        },
        find: async ({ filter, limit }) => {
          await records.before('find', name);
          return found(filter).slice(0, limit).map(copy);
        },
        pick: async ({ filter, limit }, paths) => {
          await records.before('pick', name);
          return found(filter)
            .slice(0, limit)
            .map((record) => paths.map((path) => scalarOf(new Map<string, unknown>(Object.entries(record)).get(path))));
        },
        count: async (filter) => {
          await records.before('count', name);
          return found(filter).length;
        },
        distinct: async (filter, path, { after, limit }) => {
          await records.before('distinct', name);
          const texts = found(filter).map((record) => new Map<string, unknown>(Object.entries(record)).get(path));
          return [...new Set(texts)]
            .filter((text) => typeof text === 'string' && text > after)
            .map(String)
            .sort()
            .slice(0, limit);
        },
        largestSums: () => Promise.reject(new Error('these records have no sums')),
        update: async (id, filter, change) => {
          await records.before('update', name);
          const record = store.get(id);
          if (record === undefined || !matches(record, filter)) return null;
          const changed = { ...record, ...setOf(change) };
          store.set(id, changed);
          return copy(changed);
        },
        updateAll: async (changes) => {
          await records.before('updateAll', name);
          const matched = changes.filter(({ id, filter }) => {
            const record = store.get(id);
            return record !== undefined && matches(record, filter);
          });
          for (const { id, change } of matched) {
            const record = store.get(id);
            if (record !== undefined) store.set(id, { ...record, ...setOf(change) });
          }
          return matched.length;
        },
        put: async (document) => {
          await records.before('put', name);
          store.set(document._id, copy(document));
        },
        remove: async (id, filter = {}) => {
          await records.before('remove', name);
          const record = store.get(id);
          return record !== undefined && matches(record, filter) && store.delete(id);
        },
        removeMany: async (filter, limit) => {
          await records.before('removeMany', name);
          const doomed = found(filter).slice(0, limit);
          for (const { _id } of doomed) store.delete(_id);
          return doomed.length;
        },
      };
    },
  };
  return records;
}

function scalarOf(value: unknown): string | number | null {
  return typeof value === 'string' || typeof value === 'number' ? value : null;
}

function setOf({ set = {}, unset, increment, push, pullById }: Change): NonNullable<Change['set']> {
  if (unset !== undefined || increment !== undefined || push !== undefined || pullById !== undefined)
    throw new Error('the store in memory only sets fields');
  return set;
}
