import type { Collection, Query } from '../../../adapters/records/port.ts';
import type { LoggedQuery, QueryDay } from '../../../models/search-log.ts';
import { dayOfName } from './logged-query.ts';
import { compareTexts } from './query-text.ts';

/** Maximum documents of a page. */
const pageSize = 500;
/**
 * Maximum pages read of the queries by their total searches, and of the recently searched ones, so that a log of
 * equally rare queries is not read completely.
 */
const maxPages = { byRank: 20, latest: 40 };
/** The scan by total searches stops after this fraction of the documents that the other scan may read. */
const share = 1 / 8;

/** A query with its counts within the window. */
export interface WindowQuery {
  stored: LoggedQuery;
  searches: number;
  withoutResults: number;
  results: number;
}

/** The window of the log to read. */
export interface Window {
  firstDay: number;
  lastDay: number;
  /** The start of the first day or slightly earlier, in milliseconds. */
  since: number;
  /** Searches within the window, an upper bound of its queries. */
  searches: number;
}

/** The measure by which queries are ranked: all their searches, or those without results. */
export type Measure = 'searches' | 'withoutResults';

/** The top queries by each measure. */
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

/** A scan of documents, page by page. */
class Walk {
  readonly #queries: Collection<LoggedQuery>;
  readonly #query: Query;
  #after: (string | number)[] | null = null;
  /** Whether the last page has been read. */
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
    this.#list.sort(
      (one, other) => other[this.#measure] - one[this.#measure] || compareTexts(one.stored.query, other.stored.query),
    );
    this.#list.length = Math.min(this.#list.length, this.#limit);
  }

  get list(): WindowQuery[] {
    return this.#list;
  }

  /** Whether every query with at totalSearches this many total searches ranks below the list. */
  beats(totalSearches: number): boolean {
    return this.#list.length === this.#limit && (this.#list.at(-1)?.[this.#measure] ?? 0) > totalSearches;
  }
}

/**
 * Scans the queries by descending total searches, until no further one can rank within the window. Returns true then,
 * or false if the limit of pages is reached first.
 */
async function walkByRank(
  queries: Collection<LoggedQuery>,
  window: Window,
  measure: Measure,
  best: Best,
): Promise<boolean> {
  const rank = ranks[measure];
  const walk = new Walk(queries, {
    filter: { [rank]: { $lt: 0 } },
    sort: [
      [rank, 1],
      ['_id', 1],
    ],
    limit: pageSize,
  });
  const pages = Math.min(maxPages.byRank, Math.ceil((window.searches * share) / pageSize));
  for (let at = 0; at < pages; at += 1) {
    const page = await walk.page();
    best.add(page, window);
    const last = page.at(-1);
    if (walk.ended || last === undefined || best.beats(-(last[rank] ?? 0))) return true;
  }
  return window.searches === 0;
}

/**
 * The queries of a window with the most searches, and those with the most searches without results, in descending
 * order. For a long window, a short scan of the queries by total searches usually suffices. If it does not, as for a
 * short window, all queries searched within the window are read, at most twenty thousand. If there are more, the result
 * is the best of the queries read; a missing query ranks below ten thousand others by total searches.
 */
export async function topQueries(queries: Collection<LoggedQuery>, window: Window, limit: number): Promise<TopQueries> {
  const best = { searches: new Best('searches', limit), withoutResults: new Best('withoutResults', limit) };
  const sure = await Promise.all([
    walkByRank(queries, window, 'searches', best.searches),
    walkByRank(queries, window, 'withoutResults', best.withoutResults),
  ]);
  const walk = new Walk(queries, {
    filter: { lastSearchedAt: { $gte: window.since } },
    sort: [
      ['lastSearchedAt', -1],
      ['_id', -1],
    ],
    limit: pageSize,
  });
  for (let at = 0; at < maxPages.latest && !walk.ended && sure.includes(false); at += 1) {
    const page = await walk.page();
    best.searches.add(page, window);
    best.withoutResults.add(page, window);
  }
  return { searches: best.searches.list, withoutResults: best.withoutResults.list };
}
