import type { CollectionDefinition, StoredRecord } from '../../../models/collection.ts';
import type { Filter } from '../port.ts';
import { quoted, type Sql } from './sql.ts';

/*
 * The index of a text field for `$contains`: a full-text table (https://sqlite.org/fts5.html) whose words stand for the
 * trigrams of the lower-case text. Each word is a hash of the organization and the trigram, so a search reads the
 * entries of its own organization alone, however large the others are. Texts that hold a fragment of three or more
 * characters hold all of its trigrams: the index gives candidates, and `ply_contains` decides.
 */

/** Name of the SQL function fragments(organization, text). */
export const fragmentsFunction = 'ply_fragments';

/** Stands between the collection and the field in the name of a full-text table; in neither of them. */
export const separator = '~';
const fragmentLength = 3;
/** Trigrams of a needle that are looked up: more of them hardly exclude further candidates. */
const maxLookedUp = 12;
/** A needle with more candidates is common: walking the query's own index meets matches soon. */
export const maxCandidates = 2000;

/** FNV-1a over UTF-16 code units, continued from `hash`: https://datatracker.ietf.org/doc/html/draft-eastlake-fnv */
function hashed(text: string, hash: number): number {
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash;
}

function wordsOf(organizationId: string, text: string): string[] {
  const lower = text.toLowerCase();
  const organization = hashed(organizationId, 0x811c9dc5);
  const words = new Set<string>();
  for (let at = 0; at + fragmentLength <= lower.length; at++)
    words.add((hashed(lower.slice(at, at + fragmentLength), organization) >>> 0).toString(36));
  return [...words];
}

/** The words that a text is indexed with, separated by spaces: the body of `ply_fragments`. */
export function fragmentsOf(organizationId: unknown, text: unknown): string {
  return typeof organizationId === 'string' && typeof text === 'string' ? wordsOf(organizationId, text).join(' ') : '';
}

/** The full-text table of a field, quoted. */
export function fragmentsTable(definition: { name: string }, path: string): string {
  return quoted(`${definition.name}${separator}${path}`);
}

/**
 * The rows that may hold what `$contains` asks of an indexed field, as a subquery of their row ids; null if no index
 * serves the filter.
 */
export function candidatesOf(
  definition: CollectionDefinition<StoredRecord>,
  filter: Filter,
  owner: string | null,
): Sql | null {
  if (owner === null) return null;
  for (const path of definition.substrings ?? []) {
    const condition = filter[path];
    if (typeof condition !== 'object' || condition?.$contains === undefined) continue;
    const words = wordsOf(owner, condition.$contains);
    if (words.length === 0) continue;
    const step = Math.max(1, words.length / maxLookedUp);
    const lookedUp = Array.from(
      { length: Math.min(words.length, maxLookedUp) },
      (_, index) => words[Math.floor(index * step)] ?? '',
    );
    const table = fragmentsTable(definition, path);
    return { text: `SELECT rowid AS candidate FROM ${table} WHERE ${table} MATCH ?`, values: [lookedUp.join(' ')] };
  }
  return null;
}
