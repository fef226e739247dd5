import { useQuery, type QueryClient } from '@tanstack/react-query';
import { answered, api } from '../../api/client.ts';
import type { components } from '../../api/schema.d.ts';
import { readersOf, type Place } from './address.ts';

type SearchItem = components['schemas']['SearchItem'];

/** What was searched, and as whom. */
interface Query {
  q?: string | undefined;
  as?: string | undefined;
}

/** A passage of a file that a search found. */
export type FoundPassage = Pick<SearchItem, 'snippet' | 'highlights' | 'location' | 'confidence'>;

const atMost = 50;
const none: readonly FoundPassage[] = [];

function keyOf(assetId: string, { q, as }: Query): readonly unknown[] {
  return ['passages', assetId, q, as];
}

/** Keeps what a search found, so that the page of a file that is opened from it marks it without asking again. */
export function keepPassages(queries: QueryClient, asked: Query, items: readonly SearchItem[]): void {
  const files = Map.groupBy(items, ({ assetId }) => assetId);
  for (const [assetId, passages] of files) queries.setQueryData(keyOf(assetId, asked), passages);
}

/** The passages of a file that a query finds, in their order in the file; none without a query. */
export function usePassages(
  assetId: string,
  { q, as }: Query,
): { passages: readonly FoundPassage[]; isPending: boolean; error: unknown } {
  const principals = readersOf(as);
  const { data, isPending, error } = useQuery({
    queryKey: keyOf(assetId, { q, as }),
    enabled: q !== undefined,
    staleTime: Infinity,
    select: inOrder,
    queryFn: async (): Promise<readonly FoundPassage[]> => {
      const { items } = await answered(
        api.POST('/api/content/v1/search', {
          body: {
            query: q ?? '',
            limit: atMost,
            offset: 0,
            filter: { assetIds: [assetId] },
            ...(principals === undefined ? {} : { principals }),
          },
        }),
      );
      return items;
    },
  });
  return { passages: q === undefined ? none : (data ?? none), isPending: isPending && q !== undefined, error };
}

function orderOf({ startSeconds, page, slide, lineStart, row, block, element, charStart }: Place): number[] {
  return [startSeconds ?? page ?? slide ?? 0, lineStart ?? row ?? block ?? element ?? 0, charStart ?? 0];
}

function inOrder(passages: readonly FoundPassage[]): readonly FoundPassage[] {
  return passages.toSorted((one, other) => {
    const [left, right] = [orderOf(one.location), orderOf(other.location)];
    const at = left.findIndex((value, index) => value !== right[index]);
    return at < 0 ? 0 : (left[at] ?? 0) - (right[at] ?? 0);
  });
}
