import type {
  Change,
  Collection,
  ConditionalChange,
  Filter,
  PartsList,
  Picked,
  Query,
  Records,
} from '../../adapters/records/port.ts';
import type { CollectionDefinition, StoredRecord } from '../../models/collection.ts';
import type { Scope } from '../../models/scope.ts';
import type { Observe } from './latency.ts';

/** One collection whose operations are timed. */
class MeasuredCollection<T extends StoredRecord> implements Collection<T> {
  private readonly inner: Collection<T>;
  private readonly observe: Observe;

  constructor(inner: Collection<T>, observe: Observe) {
    this.inner = inner;
    this.observe = observe;
  }

  insert(document: T): Promise<void> {
    return this.observe('insert', performance.now(), this.inner.insert(document));
  }

  insertNew(documents: readonly T[]): Promise<string[]> {
    return this.observe('insertNew', performance.now(), this.inner.insertNew(documents));
  }

  get(id: string): Promise<T | null> {
    return this.observe('get', performance.now(), this.inner.get(id));
  }

  getMany(ids: readonly string[]): Promise<Readonly<T>[]> {
    return this.observe('getMany', performance.now(), this.inner.getMany(ids));
  }

  getParts<K extends keyof T & string>(
    ids: readonly string[],
    fields: readonly K[],
    list?: PartsList<K>,
  ): Promise<Readonly<Pick<T, K>>[]> {
    return this.observe('getParts', performance.now(), this.inner.getParts(ids, fields, list));
  }

  find(query: Query): Promise<T[]> {
    return this.observe('find', performance.now(), this.inner.find(query));
  }

  pick(query: Query, paths: readonly string[]): Promise<Picked[]> {
    return this.observe('pick', performance.now(), this.inner.pick(query, paths));
  }

  count(filter: Filter): Promise<number> {
    return this.observe('count', performance.now(), this.inner.count(filter));
  }

  distinct(filter: Filter, path: string, page: { after: string; limit: number }): Promise<string[]> {
    return this.observe('distinct', performance.now(), this.inner.distinct(filter, path, page));
  }

  largestSums(filter: Filter, path: string, summed: string, limit: number): Promise<[text: string, sum: number][]> {
    return this.observe('largestSums', performance.now(), this.inner.largestSums(filter, path, summed, limit));
  }

  update(id: string, filter: Filter, change: Change): Promise<T | null> {
    return this.observe('update', performance.now(), this.inner.update(id, filter, change));
  }

  updateAll(changes: readonly ConditionalChange[]): Promise<number> {
    return this.observe('updateAll', performance.now(), this.inner.updateAll(changes));
  }

  put(document: T): Promise<void> {
    return this.observe('put', performance.now(), this.inner.put(document));
  }

  remove(id: string, filter?: Filter): Promise<boolean> {
    return this.observe('remove', performance.now(), this.inner.remove(id, filter));
  }

  removeMany(filter: Filter, limit: number): Promise<number> {
    return this.observe('removeMany', performance.now(), this.inner.removeMany(filter, limit));
  }
}

/** The records with every operation timed. */
export function measuredRecords(inner: Records, observe: Observe): Records {
  return {
    prepare: (collections) => inner.prepare(collections),
    collection: <T extends StoredRecord>(definition: CollectionDefinition<T>, scope: Scope): Collection<T> => {
      const collection = inner.collection(definition, scope);
      return new MeasuredCollection(collection, observe);
    },
    time: () => inner.time(),
    purge: () => inner.purge(),
    ping: () => inner.ping(),
    close: () => inner.close(),
  };
}
