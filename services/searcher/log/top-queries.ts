import type { Collection, Query } from '../../../adapters/records/port.ts';
import type { LoggedQuery, QueryDay } from '../../../models/search-log.ts';
import { dayOfName } from './logged-query.ts';
import { compareTexts } from './query-text.ts';

/** Documents of a page. */
const pageSize = 500;
/** Pages that are read at most of the queries by their searches since ever, and of those that were searched last: a log of queries that are all alike rare is not read whole. */
const mostPages = { byRank: 20, latest: 40 };
/** Part of the documents that the other walk would read at most, after which this one gives up. */
const share = 1 / 8;

/** A query with its counts within the window. */
export interface WindowQuery {
  stored: LoggedQuery;
  searches: number;
  withoutResults: number;
  results: number;
}

/** What is asked of the log. */
export interface Window {
  firstDay: number;
  lastDay: number;
  /** The beginning of the first day, or a little earlier, in milliseconds. */
  since: number;
  /** Searches within it: there cannot be more queries. */
  searches: number;
}

/** By what queries are listed: all their searches, or those without results. */
export type Measure = 'searches' | 'withoutResults';

/** The queries with the most of either. */
export type TopQueries = { [M in Measure]: WindowQuery[] };

const ranks = { searches: 'rank', withoutResults: 'withoutRank' } as const;

function within(stored: LoggedQuery, { firstDay, lastDay }: Window): WindowQuery {
  const sums = { searches: 0, withoutResults: 0, results: 0 };
  for (const [name, { s, w = 0, r = 0 }] of Object.entries<QueryDay>(stored.days)) {
    const day = dayOfName(name);
    if (day < firstDay || day > lastDay) continue;
    sums.searches += s;
    sums.withoutResults += w;
    sums.results += r;
  }
  return { stored, ...sums };
}

/** A walk over documents, page by page. */
class Walk {
  readonly #queries: Collection<LoggedQuery>;
  readonly #query: Query;
  #after: (string | number)[] | null = null;
  /** Whether there is nothing more to come. */
  ended = false;

  constructor(queries: Collection<LoggedQuery>, query: Query) {
    this.#queries = queries;
    this.#query = query;
  }

  async page(): Promise<LoggedQuery[]> {
    if (this.ended) return [];
    const page = await this.#queries.find({ ...this.#query, ...(this.#after === null ? {} : { after: this.#after }) });
    const last = page.at(-1);
    this.ended = page.length < this.#query.limit;
    const [first] = this.#query.sort ?? [];
    if (last !== undefined && first !== undefined) this.#after = [Number(Reflect.get(last, first[0])), last._id];
    return page;
  }
}

/** The best queries seen so far. */
class Best {
  readonly #measure: Measure;
  readonly #limit: number;
  #list: WindowQuery[] = [];
  readonly #seen = new Set<string>();

  constructor(measure: Measure, limit: number) {
    this.#measure = measure;
    this.#limit = limit;
  }

  add(page: readonly LoggedQuery[], window: Window): void {
    for (const stored of page) {
      if (this.#seen.has(stored._id)) continue;
      this.#seen.add(stored._id);
      const counted = within(stored, window);
      if (counted[this.#measure] > 0) this.#list.push(counted);
    }
    this.#list.sort((one, other) => other[this.#measure] - one[this.#measure] || compareTexts(one.stored.query, other.stored.query));
    this.#list.length = Math.min(this.#list.length, this.#limit);
  }

  get list(): WindowQuery[] {
    return this.#list;
  }

  /** Whether no query that was searched at most so often, ever, belongs among them. */
  beats(most: number): boolean {
    return this.#list.length === this.#limit && (this.#list.at(-1)?.[this.#measure] ?? 0) > most;
  }
}

/** Walks over all queries by their searches since ever, until no further one can have as many within the window: true then, false where that takes too long. */
async function walkByRank(queries: Collection<LoggedQuery>, window: Window, measure: Measure, best: Best): Promise<boolean> {
  const rank = ranks[measure];
  const walk = new Walk(queries, { filter: { [rank]: { $lt: 0 } }, sort: [[rank, 1], ['_id', 1]], limit: pageSize });
  const pages = Math.min(mostPages.byRank, Math.ceil((window.searches * share) / pageSize));
  for (let at = 0; at < pages; at += 1) {
    const page = await walk.page();
    best.add(page, window);
    const last = page.at(-1);
    if (walk.ended || last === undefined || best.beats(-(last[rank] ?? 0))) return true;
  }
  return window.searches === 0;
}

/**
 * The queries of a window with the most searches, and those with the most searches without results, the most first. A
 * long window is answered by a short walk over the queries that were searched most since ever; where that cannot be sure
 * soon, as in a short window, all queries are read that were searched within it. Of those at most twenty thousand: where
 * there are more and the first walk was not sure, the best of what was read is answered, and what is missing there is
 * behind ten thousand other queries since ever.
 */
export async function topQueries(queries: Collection<LoggedQuery>, window: Window, limit: number): Promise<TopQueries> {
  const best = { searches: new Best('searches', limit), withoutResults: new Best('withoutResults', limit) };
  const sure = await Promise.all([walkByRank(queries, window, 'searches', best.searches), walkByRank(queries, window, 'withoutResults', best.withoutResults)]);
  const walk = new Walk(queries, { filter: { lastSearchedAt: { $gte: window.since } }, sort: [['lastSearchedAt', -1], ['_id', -1]], limit: pageSize });
  for (let at = 0; at < mostPages.latest && !walk.ended && sure.includes(false); at += 1) {
    const page = await walk.page();
    best.searches.add(page, window);
    best.withoutResults.add(page, window);
  }
  return { searches: best.searches.list, withoutResults: best.withoutResults.list };
}
