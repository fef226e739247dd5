import type { Logger } from 'pino';
import type { Passages } from '../../adapters/passages/port.ts';
import { languagesOfQuery } from '../../models/analyser/query-languages.ts';
import type { SearchItem, SearchRequest, SearchResponse } from '../../models/api.ts';
import { passageIdOf, type Passage, type SearchFilter } from '../../models/passage.ts';
import { weighQuery, type RelevanceModel } from '../../models/relevance/relevance.ts';
import type { OrganizationScope } from '../../models/scope.ts';
import type { AssetRecord, CheckTools } from './check.ts';
import { commonWordFilter, markWords, stemIndex, type TextWord } from './highlight.ts';
import { groupByFile, momentsOf, pageOf, type Hit } from './order.ts';
import { presentItem, presentMoment, type Marking } from './present.ts';
import { planQuery, type AnalysedQueryWord, type QueryPlan } from './query.ts';
import { expandQuery } from './query-expansion.ts';
import type { GradedVector, QueryVectors } from './query-vectors.ts';
import { retrieveChecked, type Tuned } from './retrieve.ts';
import type { ExpandedResult } from './substitutes.ts';
import type { SearchSlots } from './search-slots.ts';
import { readWhole } from './whole-documents.ts';
import { occursIn, markedStems, widen, type Widening } from './tuning/synonyms.ts';
import type { Tuning } from './tuning/tuning.ts';

/** What a search works with. */
export interface SearchTools extends CheckTools {
  passages: Pick<Passages, 'retrieve' | 'nearestWords' | 'frequenciesOf' | 'fetch'>;
  vectors: QueryVectors;
  languages: (scope: OrganizationScope) => Promise<readonly string[]>;
  tuning: (scope: OrganizationScope) => Promise<Tuning>;
  /** The ids of library collections by their external ids; those that do not exist are left out. */
  collectionIds: (scope: OrganizationScope, externalIds: readonly string[]) => Promise<string[]>;
  analyse: (text: string, language: string) => readonly TextWord[];
  wordsOf: Marking['wordsOf'];
  analyseQuery: (query: string, languages: readonly string[]) => AnalysedQueryWord[];
  relevance: RelevanceModel;
  log: Pick<Logger, 'warn' | 'error'>;
  slots: Pick<SearchSlots, 'run'>;
}

/** The result of a search, before it has an id. */
export interface SearchOutcome {
  response: Omit<SearchResponse, 'searchId'>;
  /** True where the organization has no retrievable passage: such a search is not charged. */
  emptyLibrary: boolean;
  /** Passages found, on all pages. */
  results: number;
  /** The id of each item's passage. */
  passageIds: string[];
}

/** How often a search starts over because passages were removed between retrieving and reading them. */
const maxRestarts = 2;

/** The query analysed as a text in each of the languages. */
function readingsOf(tools: SearchTools, query: string, languages: readonly string[]): (readonly TextWord[])[] {
  return (languages.length === 0 ? ['und'] : languages).map((language) => tools.analyse(query, language));
}

async function planOf(
  tools: SearchTools,
  scope: OrganizationScope,
  query: string,
  vectors: Promise<readonly GradedVector[]>,
): Promise<QueryPlan> {
  const languages = await tools.languages(scope);
  const [words, readings] = [tools.analyseQuery(query, languages), readingsOf(tools, query, languages)];
  return planQuery(words, readings, (await vectors).length > 0);
}

/** The hits of one page. */
export interface Page {
  hits: Hit[];
  /** With grouping: the moments of each hit's file, and how many of its passages match. */
  moments: { shown: Hit[]; count: number }[] | null;
  hasMore: boolean;
}

function choosePage(hits: readonly Hit[], request: SearchRequest): Page {
  if (request.group === null) {
    const { page, hasMore } = pageOf(hits, request.offset, request.limit);
    return { hits: page, moments: null, hasMore };
  }
  const { page, hasMore } = pageOf(groupByFile(hits), request.offset, request.limit);
  return {
    hits: page.map((group) => group.best),
    moments: page.map((group) => ({ shown: momentsOf(group), count: group.hits.length })),
    hasMore,
  };
}

/** Identifies a passage in maps. */
export function keyOf(hit: { assetId: string; revision: number; ordinal: number }): string {
  return `${hit.assetId}/${hit.revision}/${hit.ordinal}`;
}

/** Reads the passages of the page, and no others. */
async function textsOf(
  tools: SearchTools,
  scope: OrganizationScope,
  page: Page,
): Promise<{ texts: Map<string, Passage>; complete: boolean }> {
  const shown = new Map<string, Hit>();
  for (const hit of [...page.hits, ...(page.moments ?? []).flatMap((moments) => moments.shown)])
    shown.set(keyOf(hit.candidate), hit);
  if (shown.size === 0) return { texts: new Map(), complete: true };
  const keys = [...shown.values()].map(({ candidate: { assetId, revision, ordinal } }) => ({
    assetId,
    revision,
    ordinal,
  }));
  const passages = await tools.passages.fetch(scope, keys);
  return {
    texts: new Map(passages.map((passage) => [keyOf(passage), passage])),
    complete: passages.length === keys.length,
  };
}

async function applyTuning(
  tools: SearchTools,
  scope: OrganizationScope,
  query: string,
  plan: QueryPlan,
  tuning: Tuning,
): Promise<Tuned> {
  const dictionary = await tuning.dictionary(await tools.languages(scope));
  return { widening: widen(query, plan, dictionary), boostOf: tuning.boostOf, pins: tuning.pinsOf(query) };
}

/** The filter with library collections by id, as the index knows them. */
async function indexFilter(tools: SearchTools, scope: OrganizationScope, filter: SearchFilter): Promise<SearchFilter> {
  const { collections } = filter;
  if (collections === undefined || collections.length === 0) return filter;
  return { ...filter, collections: await tools.collectionIds(scope, collections) };
}

/**
 * Query words, as typed, that a passage of the page contains, as themselves or as a synonym. A corrected word is listed
 * as the words that were found in its place.
 */
function matchedTerms({ plan, page, widening }: Pick<Findings, 'plan' | 'page' | 'widening'>): string[] {
  const shown = page.moments === null ? page.hits : [...page.hits, ...page.moments.flatMap((moments) => moments.shown)];
  const held = (widening?.substitutions ?? []).filter((substitution) =>
    shown.some((hit) => occursIn(substitution, hit.candidate)),
  );
  const covered = new Set(held.flatMap((substitution) => substitution.covered));
  const own = plan.typed.flatMap((typed, term) => {
    if (covered.has(term)) return typed;
    const matching = shown.filter((hit) => (hit.candidate.frequencies[term] ?? 0) > 0);
    return matching.flatMap((hit) => hit.candidate.corrected?.get(term) ?? typed);
  });
  // A synonym's term of common words alone covers no term of the query.
  return [
    ...new Set([
      ...own,
      ...held.flatMap((substitution) => (substitution.covered.length === 0 ? substitution.typed : [])),
    ]),
  ];
}

/** The results of a query, with the texts of the chosen page. */
export interface Findings {
  plan: QueryPlan;
  /** The query's synonyms; null for none. */
  widening: Widening | null;
  page: Page;
  texts: ReadonlyMap<string, Passage>;
  /** The documents of the page's files. */
  assets: ReadonlyMap<string, AssetRecord>;
  marking: Marking;
  withheldAsWeak: number;
  /** Passages found, on all pages. */
  results: number;
  /** True where the organization has no retrievable passage. */
  emptyLibrary: boolean;
}

/** Computes a value once for each language: nearly all passages of a page have the same. */
function onceForEach<T>(make: (language: string) => T): (language: string) => T {
  const made = new Map<string, T>();
  return (language) => {
    const known = made.get(language);
    if (known !== undefined) return known;
    const value = make(language);
    made.set(language, value);
    return value;
  };
}

/** Takes from the cosines of a model what the query's mean cosine with the library exceeds the usual one by. */
function withGradedCosines(result: ExpandedResult, vectors: readonly GradedVector[]): ExpandedResult {
  const excesses = new Map(vectors.map(({ model, excess }) => [model, excess]));
  for (const candidate of result.candidates) {
    const excess = excesses.get(candidate.model ?? '') ?? 0;
    if (candidate.cosine !== null && excess !== 0) candidate.cosine -= excess;
  }
  return result;
}

/**
 * Runs a query: analyses it, retrieves candidates by words and by meaning, grades them, checks them against the
 * records, orders them, and reads the texts of the page that `choosePage` selects.
 * @throws Refusal 503 if too many searches run
 */
export function find(
  tools: SearchTools,
  scope: OrganizationScope,
  request: SearchRequest,
  choosePage: (hits: readonly Hit[]) => Page,
): Promise<Findings> {
  return tools.slots.run(() => findNow(tools, scope, request, choosePage));
}

async function findNow(
  tools: SearchTools,
  scope: OrganizationScope,
  request: SearchRequest,
  choosePage: (hits: readonly Hit[]) => Page,
): Promise<Findings> {
  const embedding = tools.vectors.of(scope, request.query, (error) =>
    tools.log.warn({ err: error }, 'an embedding model failed; this search does without it'),
  );
  const [vectors, plan, tuning, filter, languages] = await Promise.all([
    embedding,
    planOf(tools, scope, request.query, embedding),
    tools.tuning(scope),
    indexFilter(tools, scope, request.filter),
    tools.languages(scope),
  ]);
  const tuned = await applyTuning(tools, scope, request.query, plan, tuning);
  const { widening } = tuned;
  const expansion = expandQuery(tools.passages, scope, plan, languages, languagesOfQuery(request.query, languages));
  const retrieve = async (limit: number): Promise<ExpandedResult> => {
    const terms = widening?.terms ?? plan.terms;
    const { principals } = request;
    return withGradedCosines(await expansion.retrieve({ principals, filter, terms, vectors, limit }), vectors);
  };
  for (let attempt = 0; ; attempt += 1) {
    const found = await retrieveChecked(tools, scope, request.principals, plan.occurrences, retrieve, tuned);
    let { hits } = found;
    let page = choosePage(hits);
    const { assets, gone } = await readWhole(tools, scope, new Set(request.principals), (without) => {
      if (without.size > 0) {
        hits = found.hits.filter(({ candidate }) => !without.has(candidate.assetId));
        page = choosePage(hits);
      }
      return page.hits.map(({ candidate }) => candidate);
    });
    const { texts, complete } = await textsOf(tools, scope, page);
    // What was replaced or removed since is an earlier revision: retrieving again finds the new one.
    if ((gone.size > 0 || !complete) && attempt < maxRestarts) continue;
    const isCommonWord = commonWordFilter(request.query, plan);
    const stemsIn = onceForEach((language) => stemIndex(expansion.terms(language)));
    return {
      plan,
      widening,
      page,
      texts,
      assets,
      withheldAsWeak: found.withheldAsWeak,
      results: hits.length,
      emptyLibrary: found.statistics.passages === 0,
      marking: {
        marksOf: (candidate, passage, words) => {
          const stems = stemsIn(passage.analysedAs);
          return markWords(words, widening === null ? stems : markedStems(widening, stems, candidate)).filter(
            (mark) =>
              !isCommonWord(mark, passage) && expansion.counts(mark.term, words[mark.index], passage.analysedAs),
          );
        },
        weights: weighQuery(found.statistics, plan.occurrences).weights,
        wordsOf: tools.wordsOf,
      },
    };
  }
}

/** The ids of the passages of a page, in the order of `presentPage`. */
export function passageIdsOf({ page, texts, assets }: Pick<Findings, 'page' | 'texts' | 'assets'>): string[] {
  return page.hits.flatMap(({ candidate }) =>
    texts.has(keyOf(candidate)) && assets.has(candidate.assetId) ? [passageIdOf(candidate)] : [],
  );
}

/** The hits of a page as the API returns them. */
export function presentPage(
  tools: Pick<SearchTools, 'relevance'>,
  { page, texts, assets, marking }: Pick<Findings, 'page' | 'texts' | 'assets' | 'marking'>,
): SearchItem[] {
  return page.hits.flatMap((hit, index) => {
    const moment = (found: Hit) => {
      const passage = texts.get(keyOf(found.candidate));
      return passage === undefined ? [] : [presentMoment(found, passage, marking, tools.relevance)];
    };
    const [best] = moment(hit);
    const asset = assets.get(hit.candidate.assetId);
    if (best === undefined || asset === undefined) return [];
    const item = presentItem(hit, best, asset);
    const group = page.moments?.[index];
    return [group === undefined ? item : { ...item, momentCount: group.count, moments: group.shown.flatMap(moment) }];
  });
}

/** Runs a search and presents the requested page. */
export async function search(
  tools: SearchTools,
  scope: OrganizationScope,
  request: SearchRequest,
): Promise<SearchOutcome> {
  const found = await find(tools, scope, request, (hits) => choosePage(hits, request));
  return {
    response: {
      items: presentPage(tools, found),
      withheldAsWeak: found.withheldAsWeak,
      hasMore: found.page.hasMore,
      terms: matchedTerms(found),
    },
    emptyLibrary: found.emptyLibrary,
    results: found.results,
    passageIds: passageIdsOf(found),
  };
}
