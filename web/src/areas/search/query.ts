import type { components } from '../../api/schema.d.ts';
import { metadataOf } from '../files/metadata.ts';
import { readersOf, type FileAddress } from '../viewer/address.ts';
import type { Asked } from './routes.ts';

/** The body of a search without its paging. */
export function bodyOf({ q = '', kind, collection, after, before, meta, as }: Asked): {
  query: string;
  kind?: components['schemas']['Kind'];
  filter?: components['schemas']['SearchFilter'];
  principals?: string[];
} {
  const filter = {
    ...(collection !== undefined && { collections: [collection] }),
    ...(after !== undefined && { createdAfter: `${after}T00:00:00Z` }),
    ...(before !== undefined && { createdBefore: `${before}T00:00:00Z` }),
    ...(meta !== undefined && { metadata: metadataOf(meta.replaceAll(';', '\n')) }),
  };
  const principals = readersOf(as);
  return {
    query: q,
    ...(kind !== undefined && { kind }),
    ...(Object.keys(filter).length > 0 && { filter }),
    ...(principals !== undefined && { principals }),
  };
}

/** What the page of a file takes over from the search that led to it. */
export function readingOf({ q, as }: Asked): Pick<FileAddress, 'q' | 'as'> {
  return { ...(q !== undefined && { q }), ...(as !== undefined && { as }) };
}

const key = 'ply.recent-searches';
const kept = 8;

/** The latest queries of this browser, the newest first. */
export function recentQueries(): string[] {
  try {
    const found: unknown = JSON.parse(localStorage.getItem(key) ?? '[]');
    return Array.isArray(found) ? found.filter((query) => typeof query === 'string').slice(0, kept) : [];
  } catch {
    return [];
  }
}

/** Notes a query for the next visits. */
export function noteQuery(query: string): void {
  const others = recentQueries().filter((other) => other !== query);
  localStorage.setItem(key, JSON.stringify([query, ...others].slice(0, kept)));
}
