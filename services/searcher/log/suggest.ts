import type { Collection, Filter } from '../../../adapters/records/port.ts';
import type { Suggestions } from '../../../models/analytics.ts';
import type { LoggedQuery } from '../../../models/search-log.ts';
import { codePoints } from '../../../models/schemas/faults.ts';
import { compareTexts, normaliseQuery, pastPrefix } from './query-text.ts';
import { meanOf } from './statistics.ts';

/** Minimum length of a prefix; for shorter ones there are no suggestions. */
const shortestPrefix = 2;
/**
 * Maximum queries with a prefix that are read and sorted; if there are more, an index ordered by searches is scanned.
 */
const fewQueries = 50;

/** By descending number of searches, then alphabetically. */
function byRank(one: LoggedQuery, other: LoggedQuery): number {
  return one.rank - other.rank || compareTexts(one.query, other.query);
}

/**
 * The queries with a prefix in the order of their searches; queries without the prefix are skipped within the index.
 */
function walk(queries: Collection<LoggedQuery>, prefix: string, length: number, limit: number): Promise<LoggedQuery[]> {
  const characters = [...prefix];
  const head: Filter =
    length < 4 ? { head2: characters.slice(0, 2).join('') } : { head4: characters.slice(0, 4).join('') };
  const isHead = length === 2 || length === 4;
  return queries.find({
    filter: { ...head, ...(isHead ? {} : { query: { $gte: prefix, $lt: pastPrefix(prefix) } }) },
    sort: [
      ['rank', 1],
      ['query', 1],
    ],
    limit,
  });
}

/**
 * Queries of an organization with a prefix. If there are few, they are read and sorted; if there are many, a scan in
 * the order of searches soon finds enough. So the cost is bounded for logs of any length.
 */
export async function suggest(queries: Collection<LoggedQuery>, prefix: string, limit: number): Promise<Suggestions> {
  const normal = normaliseQuery(prefix);
  const length = codePoints(normal);
  if (codePoints(prefix) < shortestPrefix || length < shortestPrefix) return { prefix, items: [] };
  const few =
    length === 2 || length === 4
      ? null
      : await queries.find({
          filter: { suggested: { $gte: normal, $lt: pastPrefix(normal) } },
          sort: [['suggested', 1]],
          limit: fewQueries,
        });
  const found =
    few !== null && few.length < fewQueries
      ? few.sort(byRank).slice(0, limit)
      : await walk(queries, normal, length, limit);
  return {
    prefix,
    items: found.map(({ query, searches, results }) => ({ query, searches, meanResults: meanOf(results, searches) })),
  };
}
