import { hash } from 'node:crypto';
import type { Change } from '../../../adapters/records/port.ts';
import type { LoggedQuery, QueryDay } from '../../../models/search-log.ts';
import { maxSets, type QueryAddition } from './entry.ts';
import { headsOf } from './query-text.ts';

/** Minimum searches without principals before a query may be suggested. */
const enoughOpen = 3;
/** Maximum writers whose latest batch a document records when it is rewritten; older ones belong to ended processes. */
const maxWriters = 8;

type Sums = Pick<LoggedQuery, 'searches' | 'withoutResults' | 'results' | 'open'>;

/** Id of a query's document. */
export function queryId(organizationId: string, query: string): string {
  return `${organizationId}:${hash('sha256', query, 'hex').slice(0, 32)}`;
}

/** Key of a day among a query's days. */
function dayName(day: number): string {
  return `d${day}`;
}

/** The day of such a key. */
export function dayOfName(name: string): number {
  return Number(name.slice(1));
}

function shortened({ s, w = 0, r = 0, o = 0 }: QueryDay): QueryDay {
  return { s, ...(w > 0 ? { w } : {}), ...(r > 0 ? { r } : {}), ...(o > 0 ? { o } : {}) };
}

/**
 * Whether a query may be suggested: it had results, and it was used in at least three searches without principals or by
 * three different sets of principals.
 */
function maySuggest({ searches, withoutResults, open }: Omit<Sums, 'results'>, sets: LoggedQuery['sets']): boolean {
  return searches > withoutResults && (open >= enoughOpen || Object.keys(sets).length >= maxSets);
}

function headsWhere(suggestable: boolean, query: string): Pick<LoggedQuery, 'suggested' | 'head2' | 'head4'> {
  // Suggestions need a prefix of at least two characters.
  return suggestable && [...query.slice(0, 4)].length >= 2 ? headsOf(query) : {};
}

function sumsOf(days: Iterable<QueryDay>): Sums {
  const sums = { searches: 0, withoutResults: 0, results: 0, open: 0 };
  for (const { s, w = 0, r = 0, o = 0 } of days) {
    sums.searches += s;
    sums.withoutResults += w;
    sums.results += r;
    sums.open += o;
  }
  return sums;
}

/** The document of a new query. */
export function newLoggedQuery(
  { organizationId, query, days, sets, lastSearchedAt, lastWithoutAt }: QueryAddition,
  by: LoggedQuery['by'],
): LoggedQuery {
  const sums = sumsOf(days.values());
  return {
    _id: queryId(organizationId, query),
    organizationId,
    query,
    ...sums,
    days: Object.fromEntries([...days].map(([day, counts]) => [dayName(day), shortened(counts)])),
    oldestDay: Math.min(...days.keys()),
    sets,
    lastSearchedAt,
    rank: -sums.searches,
    ...(lastWithoutAt === null ? {} : { lastWithoutAt, withoutRank: -sums.withoutResults }),
    ...headsWhere(maySuggest(sums, sets), query),
    by,
    version: 1,
  };
}

/** The changes of an addition to the sums and days of an existing query. */
export function additionChange({
  days,
  lastSearchedAt,
  lastWithoutAt,
}: QueryAddition): Required<Pick<Change, 'set' | 'increment'>> {
  const sums = sumsOf(days.values());
  const increment: [string, number][] = [
    ...Object.entries(sums),
    ['rank', -sums.searches],
    ['withoutRank', -sums.withoutResults],
    ...[...days].flatMap(([day, counts]) =>
      Object.entries(counts).map(([name, count]): [string, number] => [`days.${dayName(day)}.${name}`, count]),
    ),
  ];
  return {
    set: { lastSearchedAt, ...(lastWithoutAt === null ? {} : { lastWithoutAt }) },
    increment: { version: 1, ...Object.fromEntries(increment.filter(([, amount]) => amount !== 0)) },
  };
}

/** The three latest sets of principals, stored and added. */
function latestSets(sets: LoggedQuery['sets'], added: LoggedQuery['sets']): LoggedQuery['sets'] {
  const all = new Map(Object.entries(sets));
  for (const [set, day] of Object.entries(added)) all.set(set, Math.max(day, all.get(set) ?? 0));
  return Object.fromEntries([...all].sort(([, one], [, other]) => other - one).slice(0, maxSets));
}

function sameSets(one: LoggedQuery['sets'], other: LoggedQuery['sets']): boolean {
  const names = Object.keys(one);
  return names.length === Object.keys(other).length && names.every((name) => one[name] === other[name]);
}

/**
 * The further changes of a query's document after an addition is in its sums: sets of principals, whether it may be
 * suggested, and its oldest day, since a late batch may contain an earlier day than all others. Null if nothing
 * changes.
 */
export function followUp(stored: LoggedQuery, { days, sets: added }: QueryAddition): Change | null {
  const sets = latestSets(stored.sets, added);
  const heads = headsWhere(maySuggest(stored, sets), stored.query);
  const becomesSuggested = stored.suggested === undefined && heads.suggested !== undefined;
  const oldestDay = Math.min(stored.oldestDay, ...days.keys());
  const set = {
    ...(sameSets(sets, stored.sets) ? {} : { sets }),
    ...(becomesSuggested ? heads : {}),
    ...(oldestDay === stored.oldestDay ? {} : { oldestDay }),
  };
  return Object.keys(set).length === 0 ? null : { set, increment: { version: 1 } };
}

/** Removes the counts before a day from a query's document. Returns the new fields, or null if nothing is left. */
export function withoutDaysBefore(stored: LoggedQuery, firstDay: number): Change | null {
  const kept = Object.entries(stored.days).filter(([name]) => dayOfName(name) >= firstDay);
  if (kept.length === 0) return null;
  const sums = sumsOf(kept.map(([, day]) => day));
  const sets = Object.fromEntries(Object.entries(stored.sets).filter(([, day]) => day >= firstDay));
  const heads = headsWhere(maySuggest(sums, sets), stored.query);
  const absent = [
    ...(heads.suggested === undefined ? ['suggested', 'head2', 'head4'] : []),
    ...(sums.withoutResults === 0 ? ['withoutRank', 'lastWithoutAt'] : []),
  ];
  return {
    set: {
      ...sums,
      sets,
      ...heads,
      days: Object.fromEntries(kept),
      oldestDay: Math.min(...kept.map(([name]) => dayOfName(name))),
      rank: -sums.searches,
      ...(sums.withoutResults === 0 ? {} : { withoutRank: -sums.withoutResults }),
      ...(Object.keys(stored.by).length > maxWriters ? { by: {} } : {}),
    },
    increment: { version: 1 },
    ...(absent.length > 0 ? { unset: absent } : {}),
  };
}
