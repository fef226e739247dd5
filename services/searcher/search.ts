import type { Logger } from 'pino';
import type { Embeddings } from '../../adapters/embeddings/port.ts';
import type { Passages } from '../../adapters/passages/port.ts';
import type { SearchItem, SearchRequest, SearchResponse } from '../../models/api.ts';
import type { Passage, SearchFilter } from '../../models/passage.ts';
import { weighQuery, type RelevanceModel } from '../../models/relevance/relevance.ts';
import type { OrganizationScope } from '../../models/scope.ts';
import type { AssetRecord } from './check.ts';
import { markWords, stemIndex } from './highlight.ts';
import { likeWords, type LikeResult } from './like-words.ts';
import { groupByFile, momentsOf, pageOf, type Hit } from './order.ts';
import { presentItem, presentMoment, type Marking } from './present.ts';
import { modelReads, planQuery, type AnalysedQueryWord, type QueryPlan } from './query.ts';
import { retrieveChecked, type CheckTools, type Tuned } from './retrieve.ts';
import { strayMarks } from './stray-marks.ts';
import { isHeld, markedStems, widen, type Widening } from './tuning/synonyms.ts';
import type { Tuning } from './tuning/tuning.ts';
import type { TextWord } from './words.ts';

/** What a search works with. */
export interface SearchTools {
  passages: Pick<Passages, 'retrieve' | 'nearestWords' | 'fetch'>;
  embeddings: Pick<Embeddings, 'model' | 'embed'>;
  /** Documents of the assets with these ids, those that exist. */
  readAssets: CheckTools['readAssets'];
  languages: (scope: OrganizationScope) => Promise<readonly string[]>;
  /** The organization's tuning; null where it has none. */
  tuning: (scope: OrganizationScope) => Promise<Tuning | null>;
  /** A filter as the index knows it. */
  indexFilter: (scope: OrganizationScope, filter: SearchFilter) => Promise<SearchFilter>;
  analyse: (text: string, language: string) => readonly TextWord[];
  /** The words of a passage that is shown. */
  wordsOf: Marking['wordsOf'];
  analyseQuery: (query: string, languages: readonly string[]) => AnalysedQueryWord[];
  relevance: RelevanceModel;
  log: Pick<Logger, 'warn' | 'error'>;
  /** Counts a hit that the index gave although it knew that the records forbid it. */
  permissionDropped: (hit: { assetId: string; revision: number }) => void;
  /** Resolves when it is the turn of one of the organization's searches to do with found passages what takes long. */
  turn: (organizationId: string) => Promise<void>;
  /** Told of a revision in the index that nobody will show again. */
  leftOver: (hit: { organizationId: string; assetId: string; revision: number }) => void;
}

/** A search's answer, still without its id, and whether there was anything to search. */
export interface SearchOutcome {
  response: Omit<SearchResponse, 'searchId'>;
  /** True where the organization has no retrievable passage at all: such a search is not charged. */
  emptyLibrary: boolean;
  /** Passages found, on all pages. */
  results: number;
}

/** Times that a search starts over because passages were removed between finding and reading them. */
const restarts = 2;

async function queryVector(tools: SearchTools, { organizationId }: OrganizationScope, query: string): Promise<Float32Array | null> {
  const { model } = tools.embeddings;
  if (model === null || !modelReads(query, model.languages)) return null;
  try {
    const [vector] = await tools.embeddings.embed([query], 'query', organizationId);
    return vector ?? null;
  } catch (error) {
    tools.log.warn({ err: error }, 'the embedding model failed; this search goes by words alone');
    return null;
  }
}

/** The query as a text, in each of the languages. */
function readingsOf(tools: SearchTools, query: string, languages: readonly string[]): (readonly TextWord[])[] {
  return (languages.length === 0 ? ['und'] : languages).map((language) => tools.analyse(query, language));
}

async function planOf(tools: SearchTools, scope: OrganizationScope, query: string, vector: Promise<Float32Array | null>): Promise<QueryPlan> {
  const languages = await tools.languages(scope);
  const [words, readings] = [tools.analyseQuery(query, languages), readingsOf(tools, query, languages)];
  const plan = planQuery(words, readings, true);
  // Only a query of nothing but common words depends on whether there is a vector.
  return plan.terms.length > 0 || (await vector) !== null ? plan : planQuery(words, readings, false);
}

/** What is shown of the hits. */
export interface Page {
  hits: Hit[];
  /** With grouping: the moments of each of `hits`, and how many passages of the file match. */
  moments: { shown: Hit[]; count: number }[] | null;
  hasMore: boolean;
}

function choosePage(hits: readonly Hit[], request: SearchRequest): Page {
  if (request.group === null) {
    const { page, hasMore } = pageOf(hits, request.offset, request.limit);
    return { hits: page, moments: null, hasMore };
  }
  const { page, hasMore } = pageOf(groupByFile(hits), request.offset, request.limit);
  return { hits: page.map((group) => group.best), moments: page.map((group) => ({ shown: momentsOf(group), count: group.hits.length })), hasMore };
}

/** A passage's key in maps. */
export function keyOf(hit: { assetId: string; revision: number; ordinal: number }): string {
  return `${hit.assetId}/${hit.revision}/${hit.ordinal}`;
}

/** The texts of everything that the page shows, by key; nothing else is read. */
async function textsOf(tools: SearchTools, scope: OrganizationScope, page: Page): Promise<{ texts: Map<string, Passage>; complete: boolean }> {
  const shown = new Map<string, Hit>();
  for (const hit of [...page.hits, ...(page.moments ?? []).flatMap((moments) => moments.shown)]) shown.set(keyOf(hit.candidate), hit);
  if (shown.size === 0) return { texts: new Map(), complete: true };
  const keys = [...shown.values()].map(({ candidate: { assetId, revision, ordinal } }) => ({ assetId, revision, ordinal }));
  const passages = await tools.passages.fetch(scope, keys);
  return { texts: new Map(passages.map((passage) => [keyOf(passage), passage])), complete: passages.length === keys.length };
}

/** What the organization's tuning makes of the query, which is otherwise as it is without. */
async function tuned(tools: SearchTools, scope: OrganizationScope, query: string, plan: QueryPlan, tuning: Tuning | null): Promise<Tuned> {
  if (tuning === null) return { widening: null, boostOf: () => 1, pins: [] };
  const dictionary = await tuning.dictionary(await tools.languages(scope));
  return { widening: widen(query, plan, dictionary), boostOf: tuning.boostOf, pins: tuning.pinsOf(query) };
}

/** Query words, as typed, that any passage on the page holds, itself or by a synonym. */
function matchedTerms({ plan, page, widening }: Pick<Findings, 'plan' | 'page' | 'widening'>): string[] {
  const shown = page.moments === null ? page.hits : [...page.hits, ...page.moments.flatMap((moments) => moments.shown)];
  const held = (widening?.substitutions ?? []).filter((substitution) => shown.some((hit) => isHeld(substitution, hit.candidate)));
  const covered = new Set(held.flatMap((substitution) => substitution.covered));
  const own = plan.typed.flatMap((typed, term) => (covered.has(term) || shown.some((hit) => (hit.candidate.frequencies[term] ?? 0) > 0) ? typed : []));
  // A term of common words alone has no words of the query's own: then they were matched after all.
  return [...new Set([...own, ...held.flatMap((substitution) => (substitution.covered.length === 0 ? substitution.typed : []))])];
}

/** What was found for a query, with the texts of what was chosen of it. */
export interface Findings {
  plan: QueryPlan;
  /** What synonyms added to the query; null for nothing. */
  widening: Widening | null;
  page: Page;
  /** The passages of the page. */
  texts: ReadonlyMap<string, Passage>;
  assets: ReadonlyMap<string, AssetRecord>;
  marking: Marking;
  withheldAsWeak: number;
  /** Passages found, on all pages. */
  results: number;
  /** True where the organization has no retrievable passage at all. */
  emptyLibrary: boolean;
}

/** Makes something once for each language that it is asked for: nearly all passages of a page are of one. */
function onceForEach<T>(make: (language: string) => T): (language: string) => T {
  const made = new Map<string, T>();
  return (language) => {
    const known = made.get(language);
    if (known !== undefined) return known;
    const fresh = make(language);
    made.set(language, fresh);
    return fresh;
  };
}

/**
 * Finds: analyse, retrieve by both legs, grade, check against the records, order, and read the texts of what `choose`
 * takes of the ordered hits.
 */
export async function find(tools: SearchTools, scope: OrganizationScope, request: SearchRequest, choose: (hits: readonly Hit[]) => Page): Promise<Findings> {
  // The query is analysed, and its words are looked up, while the model computes its vector.
  const vector = queryVector(tools, scope, request.query);
  const [plan, tuning, filter] = await Promise.all([planOf(tools, scope, request.query, vector), tools.tuning(scope), tools.indexFilter(scope, request.filter)]);
  const tune = await tuned(tools, scope, request.query, plan, tuning);
  const { widening } = tune;
  const terms = widening?.terms ?? plan.terms;
  const like = likeWords(tools.passages, scope, plan, await tools.languages(scope));
  const retrieve = async (limit: number): Promise<LikeResult> => {
    const result = await like.retrieve({ principals: request.principals, filter, terms, vector, embeddingModel: tools.embeddings.model?.id ?? null, limit });
    await tools.turn(scope.organizationId);
    return result;
  };
  for (let attempt = 0; ; attempt += 1) {
    const found = await retrieveChecked(tools, scope, request.principals, plan.occurrences, retrieve, tune);
    const page = choose(found.hits);
    const { texts, complete } = await textsOf(tools, scope, page);
    // A passage that is gone by now was replaced by another revision: what replaced it is found by asking again.
    if (!complete && attempt < restarts) continue;
    const isStray = strayMarks(request.query, plan);
    const stemsIn = onceForEach((language) => stemIndex(like.terms(language)));
    return {
      plan, widening, page, texts, assets: found.assets, withheldAsWeak: found.withheldAsWeak, results: found.hits.length, emptyLibrary: found.statistics.passages === 0,
      marking: {
        marksOf: (candidate, passage, words) => {
          const stems = stemsIn(passage.analysedAs);
          return markWords(words, widening === null ? stems : markedStems(widening, stems, candidate)).filter((mark) => !isStray(mark, passage));
        },
        weights: weighQuery(found.statistics, plan.occurrences).weights, wordsOf: tools.wordsOf,
      },
    };
  }
}

/** The hits that are shown, as clients see them. */
export function presentPage(tools: Pick<SearchTools, 'relevance'>, { page, texts, assets, marking }: Pick<Findings, 'page' | 'texts' | 'assets' | 'marking'>): SearchItem[] {
  return page.hits.flatMap((hit, place) => {
    const moment = (found: Hit) => {
      const passage = texts.get(keyOf(found.candidate));
      return passage === undefined ? [] : [presentMoment(found, passage, marking, tools.relevance)];
    };
    const [best] = moment(hit);
    const asset = assets.get(hit.candidate.assetId);
    if (best === undefined || asset === undefined) return [];
    const item = presentItem(hit, best, asset);
    const group = page.moments?.[place];
    return [group === undefined ? item : { ...item, momentCount: group.count, moments: group.shown.flatMap(moment) }];
  });
}

/** Runs a search: finds, groups, takes the page, cuts and marks its texts. */
export async function search(tools: SearchTools, scope: OrganizationScope, request: SearchRequest): Promise<SearchOutcome> {
  const found = await find(tools, scope, request, (hits) => choosePage(hits, request));
  return {
    response: { items: presentPage(tools, found), withheldAsWeak: found.withheldAsWeak, hasMore: found.page.hasMore, terms: matchedTerms(found) },
    emptyLibrary: found.emptyLibrary,
    results: found.results,
  };
}
