import type { CollectionDefinition, StoredRecord } from '../../../models/collection.ts';
import type { Query } from '../port.ts';
import { fixes } from '../paths.ts';
import { ownerField } from '../scoping.ts';

/** Rows that a read on the event loop may walk. */
const mostRows = 100;

/**
 * Whether a query reads no more rows than it answers, and few of them, because an index leads straight to them:
 * such a read takes microseconds and is quicker at once than on its way to another thread and back. So it is when
 * the filter fixes every field of a unique index, or fixes the first fields of an index, filters by nothing else,
 * and sorts by the fields that follow.
 */
export function isDirect(definition: CollectionDefinition<StoredRecord>, query: Query, owner: string | null): boolean {
  const filter = owner === null ? query.filter : { ...query.filter, [ownerField]: owner };
  const sort = query.sort ?? [];
  const filtered = new Set(Object.keys(filter));
  return definition.indexes.some((index) => {
    if (index.unique === true && query.after === undefined && fixes(filter, index.fields)) return true;
    if (index.sparse === true || query.limit + (query.skip ?? 0) > mostRows) return false;
    const prefix = index.fields.slice(0, filtered.size);
    return prefix.every((path) => filtered.has(path) && isScalar(filter[path]))
      && sort.every(([path, direction], place) => index.fields[filtered.size + place] === path && direction === sort[0]?.[1]);
  });
}

function isScalar(condition: unknown): boolean {
  return condition !== undefined && (condition === null || typeof condition !== 'object');
}
