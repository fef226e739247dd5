import type { Records } from '../../adapters/records/port.ts';
import { libraryCollections } from '../../models/library-collection.ts';
import type { SearchFilter } from '../../models/passage.ts';
import type { OrganizationScope } from '../../models/scope.ts';

/** Writes a filter as the index knows it: collections by their ids. One that does not exist matches nothing. */
export function collectionFilter(records: Pick<Records, 'collection'>): (scope: OrganizationScope, filter: SearchFilter) => Promise<SearchFilter> {
  return async (scope, filter) => {
    if (filter.collections === undefined || filter.collections.length === 0) return filter;
    const externalIds = [...new Set(filter.collections)];
    const found = await records.collection(libraryCollections, scope).find({ filter: { externalKey: { $in: externalIds } }, limit: externalIds.length });
    return { ...filter, collections: found.map(({ _id }) => _id) };
  };
}
