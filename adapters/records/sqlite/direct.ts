import type { CollectionDefinition, StoredRecord } from '../../../models/collection.ts';
import type { Condition, Filter, Query } from '../port.ts';
import { fixes } from '../paths.ts';
import { ownerField } from '../scoping.ts';

/** Rows that a read on the event loop may walk. */
const mostRows = 100;

/**
 * Whether a query can find one document at most, because it fixes every field of a unique index by itself. Whose the
 * document is can then be seen when it is there, which costs less than asking the statement.
 */
export function findsOne(definition: CollectionDefinition<StoredRecord>, query: Query): boolean {
  return query.after === undefined && definition.indexes.some((index) => index.unique === true && fixes(query.filter, index.fields));
}

/**
 * Whether a query reads no more rows than it answers, and few of them, because an index leads straight to them:
 * such a read takes microseconds and is quicker at once than on its way to another thread and back. So it is when
 * the filter fixes every field of a unique index, or fixes the first fields of an index, filters by nothing else
 * but a range of the next, and sorts by the fields that follow.
 */
export function isDirect(definition: CollectionDefinition<StoredRecord>, query: Query, owner: string | null): boolean {
  const filter: Filter = owner === null ? query.filter : { ...query.filter, [ownerField]: owner };
  const paths = Object.keys(filter);
  const fixed = paths.filter((path) => isScalar(filter[path]));
  const ranges = paths.filter((path) => !fixed.includes(path));
  const sort = query.sort ?? [];
  return definition.indexes.some(({ fields, unique, sparse }) => {
    if (unique === true && query.after === undefined && fixes(filter, fields)) return true;
    if (sparse === true || query.limit + (query.skip ?? 0) > mostRows) return false;
    const next = fields[fixed.length];
    return fields.slice(0, fixed.length).every((path) => fixed.includes(path))
      && (ranges.length === 0 || (ranges.length === 1 && ranges[0] === next && isRange(filter[next ?? ''])))
      && sort.every(([path, direction], place) => fields[fixed.length + place] === path && direction === sort[0]?.[1]);
  });
}

function isScalar(condition: Condition | undefined): boolean {
  return condition !== undefined && (condition === null || typeof condition !== 'object');
}

function isRange(condition: Condition | undefined): boolean {
  return typeof condition === 'object' && condition !== null && Object.keys(condition).every((operator) => ['$gt', '$gte', '$lt', '$lte'].includes(operator));
}
