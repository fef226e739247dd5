import type { Collection, Filter } from '../../../adapters/records/port.ts';
import type { Suggestions } from '../../../models/analytics.ts';
import type { LoggedQuery } from '../../../models/search-log.ts';
import { codePoints } from '../../../models/schemas/values.ts';
import { meanOf } from './mean.ts';
import { compareTexts, normaliseQuery, pastPrefix } from './query-text.ts';

/** A shorter prefix is answered with nothing. */
const shortestPrefix = 2;
/** Queries with a prefix that are read to be sorted; where there are more, an index in the order of searches is walked. */
const fewQueries = 50;

/** Most searched first, then by the alphabet. */
function byRank(one: LoggedQuery, other: LoggedQuery): number {
  return one.rank - other.rank || compareTexts(one.query, other.query);
}

/** The queries that begin alike in the order of their searches; those without the prefix are passed over within the index. */
function walk(queries: Collection<LoggedQuery>, prefix: string, length: number, limit: number): Promise<LoggedQuery[]> {
  const characters = [...prefix];
  const head: Filter = length < 4 ? { head2: characters.slice(0, 2).join('') } : { head4: characters.slice(0, 4).join('') };
  const isHead = length === 2 || length === 4;
  return queries.find({ filter: { ...head, ...(isHead ? {} : { query: { $gte: prefix, $lt: pastPrefix(prefix) } }) }, sort: [['rank', 1], ['query', 1]], limit });
}

/**
 * Queries of an organization that begin with a prefix. Few of them are read and sorted; many are met soon on a walk in
 * the order of their searches: so the work stays small, however long the log is.
 */
export async function suggest(queries: Collection<LoggedQuery>, prefix: string, limit: number): Promise<Suggestions> {
  const normal = normaliseQuery(prefix);
  const length = codePoints(normal);
  if (codePoints(prefix) < shortestPrefix || length < shortestPrefix) return { prefix, items: [] };
  const few = length === 2 || length === 4 ? null : await queries.find({ filter: { suggested: { $gte: normal, $lt: pastPrefix(normal) } }, sort: [['suggested', 1]], limit: fewQueries });
  const found = few !== null && few.length < fewQueries ? few.sort(byRank).slice(0, limit) : await walk(queries, normal, length, limit);
  return { prefix, items: found.map(({ query, searches, results }) => ({ query, searches, meanResults: meanOf(results, searches) })) };
}
