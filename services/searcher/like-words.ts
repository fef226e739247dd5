import { setImmediate as turn } from 'node:timers/promises';
import type { Candidate, NearWord, Passages, PendingRetrieval, RetrievalResult, TermStatistics, WordQuestion } from '../../adapters/passages/port.ts';
import { collisionsOf } from '../../models/analyser/collisions.ts';
import { misspellingOf } from '../../models/analyser/misspelling.ts';
import type { OrganizationScope } from '../../models/scope.ts';
import type { QueryPlan } from './query.ts';

/** Languages that write compounds as one word. */
const compounding: ReadonlySet<string> = new Set(['de', 'nl', 'da', 'sv', 'no']);
/** Letters of a query word from which on it is also found at the beginning of longer words. */
const shortestBeginning = 4;
/** Longer words that stand in for one query word, at most. */
const mostCompounds = 20;
/** Query words of one search that are taken for misspelled, at most. */
const mostMisspelled = 3;
/** Indexed words that are tried for a misspelled one, and those that stand in for it, at most. */
const [mostTried, mostStandIns] = [16, 4];
/** Passages by which the index shows which of the tried words may be seen. */
const probed = 200;
/** What a stand-in counts of the word that was typed: a longer word that begins so, a word one error away, two errors away. */
const shares = { compound: 0.8, oneError: 0.9, twoErrors: 0.8 };

/** Words of the index that stand in for one of the query's. */
interface StandIn {
  term: number;
  stems: readonly string[];
  /** Share of the query word's weight that they count. */
  share: number;
  /** Languages in whose passages they do; all where left out. */
  languages?: ReadonlySet<string>;
}

/**
 * What was retrieved, with what each term of a candidate counts where a stand-in was found in its place. The statistics
 * take a word that no passage holds for those that stand in for it; `asTyped` has the query's words as they are, for passages
 * in which nothing stands in for any. It is left out where the two are the same.
 */
export type LikeResult = RetrievalResult & { candidates: (Candidate & { shares?: readonly number[] })[]; asTyped?: TermStatistics };

/** Retrieval of a query's words and of those that are like them. */
export interface LikeWords {
  retrieve(retrieval: PendingRetrieval): Promise<LikeResult>;
  /** The query's terms, each with all stems that stand for it in passages of a language. */
  terms(language: string): readonly (readonly string[])[];
}

/**
 * Lets words of the index stand in for query words: longer words that begin so, in passages of a language that writes
 * compounds as one word; stems that the query's word has in some languages and that are very common words in others, in
 * passages of the former alone; and for a word that no passage of the organization holds, the nearest words that passages hold
 * which this very search may see, each at a share of the word's weight. Words are decided on at the first retrieval.
 */
export function likeWords(passages: Pick<Passages, 'retrieve' | 'nearestWords'>, scope: OrganizationScope, plan: QueryPlan, languages: readonly string[]): LikeWords {
  let compounds: StandIn[] | null = null;
  let corrections: StandIn[] | null = null;
  const { terms: own, apart } = withoutCollisions(plan, languages);
  const standIns = (): StandIn[] => [...apart, ...(compounds ?? []), ...(corrections ?? [])];

  async function ask(retrieval: PendingRetrieval): Promise<LikeResult> {
    const standing = standIns();
    if (standing.length === 0) return passages.retrieve(scope, retrieval);
    const terms = retrieval.terms.map((stems, term) => own[term] ?? stems);
    const result = await passages.retrieve(scope, { ...retrieval, terms: [...terms, ...standing.map(({ stems }) => stems)] });
    return folded(result, retrieval.terms.length, standing);
  }

  return {
    async retrieve(retrieval) {
      compounds ??= languages.some((language) => compounding.has(language)) ? await compoundsOf(passages, scope, plan) : [];
      const result = await ask(retrieval);
      if (corrections !== null) return result;
      corrections = result.statistics.passages === 0 ? [] : await correctionsOf(passages, scope, plan, languages, retrieval, result);
      return corrections.length === 0 ? result : ask(retrieval);
    },
    terms: (language) => own.map((stems, term) => [...stems, ...standIns().flatMap((standIn) => (standIn.term === term && standIn.languages?.has(language) !== false ? standIn.stems : []))]),
  };
}

/** The query's terms without the stems that are very common words of other languages, and these as stand-ins of their own languages. */
function withoutCollisions(plan: QueryPlan, languages: readonly string[]): { terms: readonly (readonly string[])[]; apart: readonly StandIn[] } {
  const apart: StandIn[] = [];
  const terms = plan.terms.map((stems, term) => {
    const collisions = collisionsOf(plan.typed[term] ?? [], stems, languages);
    const kept = stems.filter((stem) => collisions.every((collision) => collision.stem !== stem));
    if (kept.length === 0) return stems;
    apart.push(...collisions.map((collision) => ({ term, stems: [collision.stem], share: 1, languages: collision.languages })));
    return kept;
  });
  return { terms, apart };
}

async function compoundsOf(passages: Pick<Passages, 'nearestWords'>, scope: OrganizationScope, plan: QueryPlan): Promise<StandIn[]> {
  const questions = plan.terms.map((stems): WordQuestion => ({ stems, edits: 0, forms: [], beginnings: stems.filter((stem) => stem.length >= shortestBeginning && /^\p{L}+$/u.test(stem)) }));
  if (questions.every(({ beginnings }) => beginnings.length === 0)) return [];
  const found = await passages.nearestWords(scope, questions);
  return found.flatMap((words, term) => (words.length === 0 ? [] : [{ term, stems: words.slice(0, mostCompounds).map(({ stem }) => stem), share: shares.compound, languages: compounding }]));
}

async function correctionsOf(
  passages: Pick<Passages, 'retrieve' | 'nearestWords'>, scope: OrganizationScope, plan: QueryPlan, languages: readonly string[], retrieval: PendingRetrieval, result: RetrievalResult,
): Promise<StandIn[]> {
  const unknown = plan.terms.flatMap((stems, term) => ((result.statistics.documentFrequencies[term] ?? 0) === 0 ? [{ stems, term }] : []));
  const questions: (WordQuestion & { term: number })[] = [];
  for (const { stems, term } of unknown) {
    if (questions.length === mostMisspelled) break;
    const misspelling = misspellingOf(plan.typed[term]?.[0] ?? '', stems, languages);
    if (misspelling !== null) questions.push({ ...misspelling, beginnings: [], term });
    // Going through the endings of a word takes milliseconds.
    await turn();
  }
  if (questions.length === 0) return [];
  const near = await passages.nearestWords(scope, questions.map(({ stems, edits, forms, beginnings }) => ({ stems, edits, forms, beginnings })));
  const tried = near.map((words) => words.slice(0, mostTried));
  if (tried.every((words) => words.length === 0)) return [];
  // The words are of all files: only what a search restricted like this one finds may be used, and nothing else decides.
  const stems = [...new Set(tried.flat().map(({ stem }) => stem))];
  const seen = await passages.retrieve(scope, { ...retrieval, terms: stems.map((stem) => [stem]), vector: null, limit: probed });
  const visible = new Set(stems.filter((_, place) => seen.candidates.some(({ frequencies }) => (frequencies[place] ?? 0) > 0)));
  return questions.flatMap(({ term }, place) => standInsOf(term, (tried[place] ?? []).filter(({ stem }) => visible.has(stem))));
}

/** The nearest of the words; they come in this order. */
function standInsOf(term: number, words: readonly NearWord[]): StandIn[] {
  const [first] = words;
  if (first === undefined) return [];
  const stems = words.filter(({ edits }) => edits === first.edits).slice(0, mostStandIns).map(({ stem }) => stem);
  return [{ term, stems, share: first.edits === 1 ? shares.oneError : shares.twoErrors }];
}

/** The answer in terms of the query's own words: a stand-in counts where the passage lacks the word itself. */
function folded({ candidates, statistics }: RetrievalResult, own: number, standing: readonly StandIn[]): LikeResult {
  const documentFrequencies = statistics.documentFrequencies.slice(0, own);
  for (const [place, { term }] of standing.entries()) {
    if ((statistics.documentFrequencies[term] ?? 0) === 0) documentFrequencies[term] = Math.min(statistics.passages, (documentFrequencies[term] ?? 0) + (statistics.documentFrequencies[own + place] ?? 0));
  }
  return {
    statistics: { ...statistics, documentFrequencies },
    asTyped: { ...statistics, documentFrequencies: statistics.documentFrequencies.slice(0, own) },
    candidates: candidates.map((candidate) => {
      const frequencies = candidate.frequencies.slice(0, own);
      const counted = frequencies.map(() => 1);
      const standsFor = new Map<number, number>();
      for (const [place, { term, share, languages }] of standing.entries()) {
        if (languages?.has(candidate.analysedAs) === false) continue;
        const occurrences = candidate.frequencies[own + place] ?? 0;
        if (occurrences === 0 || (frequencies[term] ?? 0) > 0) continue;
        frequencies[term] = occurrences;
        counted[term] = share;
        standsFor.set(own + place, term);
      }
      return { ...candidate, frequencies, places: placesAs(candidate.places, (term) => (term < own ? term : standsFor.get(term))), shares: counted };
    }),
  };
}

/** The places of a candidate's words with other numbers of their terms; those without one are left out. */
function placesAs(places: ArrayLike<number>, termOf: (term: number) => number | undefined): number[] {
  const kept: number[] = [];
  for (let at = 0; at < places.length; at += 2) {
    const term = termOf(places[at + 1] ?? 0);
    if (term !== undefined) kept.push(places[at] ?? 0, term);
  }
  return kept;
}
