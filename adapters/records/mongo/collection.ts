import type {
  Collection as MongoCollection,
  Document,
  Filter as MongoFilter,
  MongoBulkWriteError,
  UpdateFilter,
  WithId,
} from 'mongodb';
import type { CollectionDefinition, StoredRecord } from '../../../models/collection.ts';
import type { JsonObject } from '../../../models/json.ts';
import type { Change, Collection, Filter, PartsList, Query } from '../port.ts';
import { applyChange, checkChange, pathsOf, type JsonChange } from '../change.ts';
import { checkedPath, valueAt } from '../paths.ts';
import { checkDocument, ownerField } from '../scoping.ts';
import { duplicateKey, translated } from './errors.ts';
import { keyedIndexes, keysField, keysOf, touched } from './keys.ts';
import { plainForDriver } from './plain.ts';
import { filterOf, filterOfOne, filterOfQuery, joined, updateOf, type Kept, type Narrowing } from './query.ts';

const attempts = 100;
const inOneRead = 500;
/** Parts of documents of a first read, and of those with long lists; values of the lists of one read, about. */
const [firstParts, fewestParts, maxListValues] = [64, 8, 20_000];
/** Values up to which a list is kept as it is. */
const maxListKept = 100;
const maxTimeMS = 20_000;
const projection = { [keysField]: 0 };

/** A collection of the MongoDB database, narrowed to an owner unless that is null. */
export function mongoCollection<T extends StoredRecord>(
  definition: CollectionDefinition<T>,
  owner: string | null,
  kept: MongoCollection<Kept>,
): Collection<T> {
  const keyed = keyedIndexes(definition);
  const narrowing: Narrowing = { owner, keyed };
  const guarded = owner === null ? null : ownerField;

  async function attempt<R>(work: () => Promise<R>): Promise<R> {
    try {
      return await work();
    } catch (error) {
      throw translated(definition, error);
    }
  }
  const stored = (document: T): Kept => {
    // By way of JSON, as other stores keep it: nothing undefined, nothing that is more than JSON.
    const plain = JSON.parse(JSON.stringify(document)) as Kept;
    const fields = keyed.length === 0 ? plain : { ...plain, [keysField]: keysOf(keyed, plain) };
    return plainForDriver(fields) as Kept;
  };
  const ours = (found: WithId<Kept> | Document): T => found as T;
  const oneOf = (id: string, filter: Filter) => filterOfOne(id, filter, narrowing);

  async function updateKeyed(id: string, filter: Filter, change: Change): Promise<T | null> {
    const indexes = touched(keyed, pathsOf(change));
    for (let turn = 0; turn < attempts; turn += 1) {
      const current = await kept.findOne(oneOf(id, filter), { projection, maxTimeMS });
      if (current === null) return null;
      const next = JSON.parse(JSON.stringify(current)) as JsonObject;
      applyChange(next, JSON.parse(JSON.stringify(change)) as JsonChange);
      const keys = keysOf(indexes, next);
      const set = { ...change.set };
      const unset = [...(change.unset ?? [])];
      for (const { name } of indexes) {
        const text = keys[name];
        if (text === undefined) unset.push(`${keysField}.${name}`);
        else set[`${keysField}.${name}`] = text;
      }
      // Only if the fields of the keys are still what the texts were made from.
      const unchanged = indexes.flatMap(({ fields }) =>
        fields.map((path) => ({ [path]: valueAt(current, path) ?? null })),
      );
      const changed = await kept.findOneAndUpdate(
        joined([oneOf(id, filter), ...unchanged]),
        updateOf({ ...change, set, unset }) ?? {},
        { returnDocument: 'after', projection },
      );
      if (changed !== null) return ours(changed);
    }
    throw new Error(`${definition.name}: the key of ${id} is being changed by too many at once`);
  }

  const collection: Collection<T> = {
    insert: (document) =>
      attempt(async () => {
        checkDocument(definition, owner, document);
        await kept.insertOne(stored(document));
      }),

    insertNew: (documents) =>
      attempt(async () => {
        for (const document of documents) checkDocument(definition, owner, document);
        if (documents.length === 0) return [];
        const refused = await insertUnordered(kept, documents.map(stored));
        return documents.filter((_, i) => !refused.has(i)).map(({ _id }) => _id);
      }),

    get: (id) =>
      attempt(async () => {
        const found = await kept.findOne(oneOf(id, {}), { projection, maxTimeMS });
        return found === null ? null : ours(found);
      }),

    getMany: (ids) =>
      attempt(async () => {
        const found = new Map<string, T>();
        for (let start = 0; start < ids.length; start += inOneRead) {
          const part = ids.slice(start, start + inOneRead);
          for (const document of await kept
            .find(filterOf({ _id: { $in: part } }, narrowing), { projection, maxTimeMS })
            .toArray())
            found.set(document._id, ours(document));
        }
        return ids.map((id) => found.get(id)).filter((document) => document !== undefined);
      }),

    getParts: <K extends keyof T & string>(ids: readonly string[], fields: readonly K[], list?: PartsList<K>) =>
      attempt(async () => {
        const wanted = { ...Object.fromEntries(fields.map((field) => [checkedPath(field), 1])) };
        const found = new Map<string, T>();
        let count = firstParts;
        for (let start = 0; start < ids.length;) {
          const part = ids.slice(start, start + count);
          start += count;
          let values = 0;
          for (const document of await kept
            .find(filterOf({ _id: { $in: part } }, narrowing), { projection: wanted, maxTimeMS })
            .toArray()) {
            if (list !== undefined) values += cutList(document, list);
            found.set(document._id, ours(document));
          }
          // Long lists take milliseconds each to read, and other requests must get a turn in between.
          count = Math.max(fewestParts, Math.min(inOneRead, Math.floor((count * maxListValues) / Math.max(1, values))));
        }
        return ids.map((id) => found.get(id)).filter((document) => document !== undefined);
      }),

    find: (query: Query) =>
      attempt(async () => {
        const filter = filterOfQuery(query, narrowing);
        // To the driver a limit of 0 is none at all.
        if (query.limit <= 0) return [];
        const sort = (query.sort ?? []).map(([path, direction]): [string, 1 | -1] => [path, direction]);
        const found = await kept
          .find(filter, { projection, sort, limit: query.limit, skip: query.skip ?? 0, maxTimeMS })
          .toArray();
        return found.map(ours);
      }),

    pick: (query: Query, paths: readonly string[]) =>
      attempt(async () => {
        const filter = filterOfQuery(query, narrowing);
        if (query.limit <= 0) return [];
        const sort = (query.sort ?? []).map(([path, direction]): [string, 1 | -1] => [path, direction]);
        const fields = { _id: 0, ...Object.fromEntries(paths.map((path) => [checkedPath(path), 1])) };
        const found = await kept
          .find(filter, { projection: fields, sort, limit: query.limit, skip: query.skip ?? 0, maxTimeMS })
          .toArray();
        return found.map((document) => paths.map((path) => scalarAt(document, path)));
      }),

    count: (filter: Filter) => attempt(() => kept.countDocuments(filterOf(filter, narrowing), { maxTimeMS })),

    distinct: (filter: Filter, path: string, { after, limit }: { after: string; limit: number }) =>
      attempt(async () => {
        if (limit <= 0) return [];
        const behind = joined([filterOf(filter, narrowing), { [checkedPath(path)]: { $gt: after } }]);
        // A group by a field of an index, without sums, walks the index from value to value (DISTINCT_SCAN).
        const found = await kept
          .aggregate<{ _id: unknown }>(
            [{ $match: behind }, { $group: { _id: `$${path}` } }, { $sort: { _id: 1 } }, { $limit: limit }],
            { maxTimeMS },
          )
          .toArray();
        return found.map(({ _id }) => String(_id));
      }),

    largestSums: (filter: Filter, path: string, summed: string, limit: number) =>
      attempt(async () => {
        if (limit <= 0) return [];
        const field = checkedPath(path);
        // Only texts are at or behind the empty text.
        const texts = joined([filterOf(filter, narrowing), { $and: [{ [field]: { $gte: '' } }] }]);
        const found = await kept
          .aggregate<{ _id: string; sum: number }>(
            [
              { $match: texts },
              { $group: { _id: `$${field}`, sum: { $sum: `$${checkedPath(summed)}` } } },
              { $sort: { sum: -1, _id: 1 } },
              { $limit: limit },
            ],
            { maxTimeMS },
          )
          .toArray();
        return found.map(({ _id, sum }): [string, number] => [_id, sum]);
      }),

    update: (id: string, filter: Filter, change: Change) =>
      attempt(async () => {
        checkChange(change, guarded);
        if (touched(keyed, pathsOf(change)).length > 0) return updateKeyed(id, filter, change);
        const update = updateOf(change);
        const changed =
          update === null
            ? await kept.findOne(oneOf(id, filter), { projection, maxTimeMS })
            : await kept.findOneAndUpdate(oneOf(id, filter), update, { returnDocument: 'after', projection });
        return changed === null ? null : ours(changed);
      }),

    updateAll: (changes) =>
      attempt(async () => {
        // One that no store can do is refused before any is done.
        for (const { change } of changes) checkChange(change, guarded);
        const operations: { updateOne: { filter: MongoFilter<Kept>; update: UpdateFilter<Kept> } }[] = [];
        let matched = 0;
        for (const { id, filter, change } of changes) {
          const update = updateOf(change);
          if (update === null || touched(keyed, pathsOf(change)).length > 0)
            matched += (await collection.update(id, filter, change)) === null ? 0 : 1;
          else operations.push({ updateOne: { filter: oneOf(id, filter), update } });
        }
        if (operations.length === 0) return matched;
        const result = await kept.bulkWrite(operations, { ordered: false });
        return matched + result.matchedCount;
      }),

    put: (document) =>
      attempt(async () => {
        checkDocument(definition, owner, document);
        const { _id, ...rest } = stored(document);
        const filter = { _id, ...(owner === null ? {} : { [ownerField]: owner }) };
        try {
          await kept.replaceOne(filter, rest, { upsert: true });
        } catch (error) {
          // Two that insert the same id at once: one of them finds it there and replaces it.
          if (!isDuplicate(error) || (await kept.countDocuments(filter, { maxTimeMS })) === 0) throw error;
          await kept.replaceOne(filter, rest);
        }
      }),

    remove: (id: string, filter: Filter = {}) =>
      attempt(async () => (await kept.deleteOne(oneOf(id, filter))).deletedCount === 1),

    removeMany: (filter: Filter, limit: number) =>
      attempt(async () => {
        if (limit <= 0) return 0;
        const narrowed = filterOf(filter, narrowing);
        const ids = await kept
          .find(narrowed, { projection: { _id: 1 }, limit, maxTimeMS })
          .map(({ _id }) => _id)
          .toArray();
        if (ids.length === 0) return 0;
        return (await kept.deleteMany(joined([{ _id: { $in: ids } }, narrowed]))).deletedCount;
      }),
  };
  return collection;
}

/** Cuts a long list to the values that are searched for; returns how many it had. */
function cutList(document: Document, { field, among }: PartsList<string>): number {
  const values: unknown = document[field];
  if (!Array.isArray(values)) return 0;
  if (values.length > maxListKept)
    document[field] = values.filter((value) => typeof value === 'string' && among.has(value));
  return values.length;
}

function scalarAt(document: Document, path: string): string | number | null {
  const value = valueAt(document, path);
  return typeof value === 'string' || typeof value === 'number' ? value : null;
}

function isDuplicate(error: unknown): error is MongoBulkWriteError {
  return error instanceof Error && 'code' in error && error.code === duplicateKey;
}

/** Inserts all it can; returns the indexes of those that a unique index refused. */
async function insertUnordered(kept: MongoCollection<Kept>, documents: Kept[]): Promise<Set<number>> {
  try {
    await kept.insertMany(documents, { ordered: false });
    return new Set();
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    const errors = [error.writeErrors].flat();
    if (errors.some(({ code }) => code !== duplicateKey)) throw error;
    return new Set(errors.map(({ index }) => index));
  }
}
