import type { Collection, Storable } from '../../adapters/records/port.ts';
import type { StoredRecord } from '../../models/collection.ts';

/** Totals that name the last group of parts that they contain. */
export interface Folded extends StoredRecord {
  fold: number;
}

/** Documents that are read, and written, at a time. */
const together = 64;
/** Attempts at a write while others write the same document: each time another group was added. */
const attempts = 10;

/** Runs writes of many items, a few at a time. */
export async function inGroups<T>(items: readonly T[], write: (item: T) => Promise<unknown>): Promise<void> {
  for (let start = 0; start < items.length; start += together)
    await Promise.all(items.slice(start, start + together).map(write));
}

/**
 * Adds a group of parts to documents of totals: to those that do not contain it, which are made where they are missing.
 * Idempotent.
 * @param fresh each document as it is without any group (`fold` 0)
 * @param change the fields of a document with the group added
 */
export async function applyOnce<T extends Folded>(
  collection: Collection<T>,
  fold: number,
  fresh: readonly T[],
  change: (before: T) => Partial<T> & { readonly [field: string]: Storable },
): Promise<void> {
  let left = fresh;
  for (let attempt = 0; attempt < attempts && left.length > 0; attempt += 1)
    left = await applied(collection, fold, left, change);
  if (left.length > 0) throw new Error('totals of traffic have too many concurrent writes');
}

/** One attempt. Returns the documents that are to be looked at again. */
async function applied<T extends Folded>(
  collection: Collection<T>,
  fold: number,
  fresh: readonly T[],
  change: (before: T) => Partial<T> & { readonly [field: string]: Storable },
): Promise<T[]> {
  const found = new Map<string, Readonly<T>>();
  for (let start = 0; start < fresh.length; start += 500)
    for (const document of await collection.getMany(fresh.slice(start, start + 500).map(({ _id }) => _id)))
      found.set(document._id, document);
  const missing = fresh.filter(({ _id }) => !found.has(_id));
  const made = new Set<string>();
  for (let start = 0; start < missing.length; start += 500) {
    const group = missing.slice(start, start + 500).map((document): T => ({ ...document, ...change(document), fold }));
    for (const id of await collection.insertNew(group)) made.add(id);
  }
  const again = missing.filter(({ _id }) => !made.has(_id));
  await inGroups(fresh, async (document) => {
    const before = found.get(document._id);
    if (before === undefined || before.fold >= fold) return;
    const set = { ...change(structuredClone(before)), fold };
    if ((await collection.update(document._id, { fold: before.fold }, { set })) === null) again.push(document);
  });
  return again;
}
