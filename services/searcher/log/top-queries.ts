import type { Collection, Query } from '../../../adapters/records/port.ts';
import type { LoggedQuery, QueryDay } from '../../../models/search-log.ts';
import { dayOfName } from './logged-query.ts';
import { compareTexts } from './query-text.ts';

/** Documents of a page. */
const pageSize = 500;
/** Pages of both walks together: a log of queries that are all alike rare is not read whole. */
const mostPages = 80;

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
}

/** By what queries are listed: all their searches, or those without results. */
export type Measure = 'searches' | 'withoutResults';

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

/**
 * The queries of a window with the most searches (or searches without results), the most first. Two walks take turns,
 * and the first that can be sure ends both: one over all queries by their searches since ever, which ends once no further
 * one can have as many within the window; and one over those that were searched within the window. The first is quick for
 * long windows, the second for short ones. After `mostPages` pages the best seen so far are answered: then more than ten
 * thousand queries have as many searches as the last of the list.
 */
export async function topQueries(queries: Collection<LoggedQuery>, window: Window, measure: Measure, limit: number): Promise<WindowQuery[]> {
  const rank = ranks[measure];
  const most = new Walk(queries, { filter: { [rank]: { $lt: 0 } }, sort: [[rank, 1], ['_id', 1]], limit: pageSize });
  const latest = new Walk(queries, { filter: { lastSearchedAt: { $gte: window.since } }, sort: [['lastSearchedAt', -1], ['_id', -1]], limit: pageSize });
  const best = new Best(measure, limit);
  for (let pages = 0; pages < mostPages; pages += 2) {
    const page = await most.page();
    best.add(page, window);
    const last = page.at(-1);
    if (most.ended || last === undefined || best.beats(-(last[rank] ?? 0))) return best.list;
    best.add(await latest.page(), window);
    if (latest.ended) return best.list;
  }
  return best.list;
}
