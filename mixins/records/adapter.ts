import type { Change, Collection, Filter, Records } from '../../adapters/records/port.ts';
import type { CollectionDefinition, StoredRecord } from '../../models/collection.ts';
import type { Json, JsonObject } from '../../models/json.ts';
import type { Scope } from '../../models/scope.ts';

/** What moleculer-db asks of a search: conditions of the records port, never a client's. */
export interface EntityQuery {
  query?: Filter;
  /** At most, and by default, `maxEntities`. */
  limit?: number | null;
  offset?: number | null;
  /** Field paths; a leading `-` sorts descending. */
  sort?: string | readonly string[];
}

/** A change in moleculer-db's form. */
export interface EntityUpdate {
  $set?: JsonObject;
  $unset?: { readonly [path: string]: Json };
  $inc?: { readonly [path: string]: number };
}

/** Entities that one search returns. */
export const maxEntities = 1000;
/** Documents that a change or removal of many takes at a time. */
const pageSize = 500;

function changeOf({ $set, $unset, $inc, ...unknown }: EntityUpdate): Change {
  const [operator] = Object.keys(unknown);
  if (operator !== undefined) throw new Error(`${operator} is no change`);
  return {
    ...($set === undefined ? {} : { set: $set }),
    ...($unset === undefined ? {} : { unset: Object.keys($unset) }),
    ...($inc === undefined ? {} : { increment: $inc }),
  };
}

function sortOf(sort: EntityQuery['sort'] = []): (readonly [string, 1 | -1])[] {
  const fields = typeof sort === 'string' ? sort.split(/[,\s]+/) : sort;
  return fields.map((field) => (field.startsWith('-') ? ([field.slice(1), -1] as const) : ([field, 1] as const)));
}

/**
 * moleculer-db's adapter contract over a collection of the records port, seen through one scope: every operation is
 * narrowed to it. It is a plain object of functions because Moleculer clones schemas, which breaks classes.
 */
export function recordsAdapter<T extends StoredRecord>(
  records: Pick<Records, 'collection'>,
  definition: CollectionDefinition<T>,
  scope: Scope,
) {
  const collection = (): Collection<T> => records.collection(definition, scope);
  const find = async ({ query = {}, limit, offset, sort }: EntityQuery = {}): Promise<T[]> =>
    collection().find({
      filter: query,
      sort: sortOf(sort),
      limit: Math.min(limit ?? maxEntities, maxEntities),
      skip: offset ?? 0,
    });
  const removeMany = async (query: Filter): Promise<number> => {
    for (let all = 0; ;) {
      const removed = await collection().removeMany(query, pageSize);
      all += removed;
      if (removed < pageSize) return all;
    }
  };
  return {
    init: (): void => undefined,
    connect: async (): Promise<void> => undefined,
    disconnect: async (): Promise<void> => undefined,
    find,
    findOne: async (query: Filter): Promise<T | null> => (await find({ query, limit: 1 }))[0] ?? null,
    findById: async (id: string): Promise<T | null> => collection().get(id),
    // moleculer-db writes into what it receives, and the store shares what it reads by ids.
    findByIds: async (ids: readonly string[]): Promise<T[]> =>
      (await collection().getMany(ids)).map((document): T => ({ ...document })),
    count: async ({ query = {} }: EntityQuery = {}): Promise<number> => collection().count(query),
    /** @throws DuplicateRecord */
    insert: async (entity: T): Promise<T> => {
      await collection().insert(entity);
      return entity;
    },
    /** Inserts those that no unique index refuses, and returns them. */
    insertMany: async (entities: readonly T[]): Promise<T[]> => {
      const inserted = new Set(await collection().insertNew(entities));
      return entities.filter(({ _id }) => inserted.has(_id));
    },
    updateById: async (id: string, update: EntityUpdate): Promise<T | null> =>
      collection().update(id, {}, changeOf(update)),
    /** Changes the matching documents one after the other; returns how many. */
    updateMany: async (query: Filter, update: EntityUpdate): Promise<number> => {
      const change = changeOf(update);
      let changed = 0;
      for (let after: string | null = null; ;) {
        const page: T[] = await collection().find({
          filter: query,
          sort: [['_id', 1]],
          limit: pageSize,
          ...(after === null ? {} : { after: [after] }),
        });
        for (const { _id } of page) if ((await collection().update(_id, query, change)) !== null) changed += 1;
        const last = page.at(-1);
        if (last === undefined || page.length < pageSize) return changed;
        after = last._id;
      }
    },
    /** Removes the document with this id, and returns it as it was; null if there is none. */
    removeById: async (id: string): Promise<T | null> => {
      const entity = await collection().get(id);
      return entity !== null && (await collection().remove(id)) ? entity : null;
    },
    removeMany,
    /** Removes every document of the scope. */
    clear: async (): Promise<number> => removeMany({}),
    entityToObject: (entity: T): T => entity,
    beforeSaveTransformID: (entity: T): T => entity,
    afterRetrieveTransformID: (entity: T): T => entity,
  };
}

/** The adapter of one scope. */
export type RecordsAdapter<T extends StoredRecord> = ReturnType<typeof recordsAdapter<T>>;
