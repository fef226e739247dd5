import type { ServiceSchema } from 'moleculer';
import DbService from 'moleculer-db';
import type { CollectionDefinition, StoredRecord } from '../../models/collection.ts';
import { systemScope } from '../../models/scope.ts';
import type { Collection, Records } from '../../adapters/records/port.ts';

/** Actions that moleculer-db would publish: none is, because they take queries and whole documents from any caller. */
const unpublished = { find: false, count: false, list: false, create: false, insert: false, get: false, update: false, remove: false } as const;

/**
 * moleculer-db's adapter contract over a collection of ours. Only what has one meaning in both is offered; queries
 * and changes are made with the typed port, so those of moleculer-db's own shape are refused by name.
 * It is a plain object of functions because Moleculer clones schemas, which takes classes apart.
 */
export function recordsAdapter<T extends StoredRecord>(records: Records, main: CollectionDefinition<T>, all: readonly CollectionDefinition<StoredRecord>[]) {
  let opened: Collection<T> | null = null;
  const collection = (): Collection<T> => {
    if (opened === null) throw new Error(`${main.name} is not connected: the service has not started, or has stopped`);
    return opened;
  };
  const refused = (name: string) => async (): Promise<never> => {
    throw new Error(`${name} is not offered: use the records port`);
  };
  return {
    init: (): void => undefined,
    /** Makes the service's collections and indexes. moleculer-db tries again each second until it succeeds. */
    connect: async (): Promise<void> => {
      await records.prepare(all);
      opened = records.collection(main, systemScope);
    },
    /** Ends this service's use. The store itself is shared and is closed last, by the process. */
    disconnect: async (): Promise<void> => {
      opened = null;
    },
    findById: async (id: string) => collection().get(id),
    // moleculer-db writes into what it is given, and the store shares what it reads so.
    findByIds: async (ids: string[]) => (await collection().getMany(ids)).map((document): T => ({ ...document })),
    insert: async (document: T) => {
      await collection().insert(document);
      return document;
    },
    insertMany: async (documents: T[]) => collection().insertNew(documents),
    removeById: async (id: string) => collection().remove(id),
    find: refused('find'),
    findOne: refused('findOne'),
    count: refused('count'),
    updateById: refused('updateById'),
    updateMany: refused('updateMany'),
    removeMany: refused('removeMany'),
    clear: refused('clear'),
    entityToObject: (entity: T): T => entity,
    beforeSaveTransformID: (entity: T): T => entity,
    afterRetrieveTransformID: (entity: T): T => entity,
  };
}

// moleculer-db's types describe its schema object as a class.
const life: object = DbService;

/**
 * Ties a service to the collections that it owns: moleculer-db's life cycle connects when the service starts, which
 * waits until the store answers, and disconnects when it stops.
 */
export function recordsMixin<T extends StoredRecord>(records: Records, main: CollectionDefinition<T>, all: readonly CollectionDefinition<StoredRecord>[] = [main]): Partial<ServiceSchema> {
  const schema: Partial<ServiceSchema> & { adapter: unknown } = { mixins: [life as Partial<ServiceSchema>], adapter: recordsAdapter(records, main, all), actions: { ...unpublished } };
  return schema;
}
