import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { answered, api } from './client.ts';
import type { components } from './schema.d.ts';

/** Collections that are offered to choose from: the page of their own shows all. */
const offered = 200;

/** The first collections of the organization by their names, for choices and for names in place of ids. */
export function useCollections(): UseQueryResult<components['schemas']['Collections']> {
  return useQuery({
    queryKey: ['collections'],
    queryFn: () => answered(api.GET('/api/content/v1/collections', { params: { query: { limit: offered } } })),
  });
}
