import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type {
  Candidate,
  NearWord,
  Passages,
  Retrieval,
  RetrievalResult,
  TermStatistics,
  WordQuestion,
} from '../../adapters/passages/port.ts';
import { collisionsOf } from '../../models/analyser/collisions.ts';
import { misspellingOf } from '../../models/analyser/misspelling.ts';
import type { OrganizationScope } from '../../models/scope.ts';
import type { QueryPlan } from './query.ts';

/** Languages that write compounds as one word. */
const compoundingLanguages: ReadonlySet<string> = new Set(['de', 'nl', 'da', 'sv', 'no']);
/** Letters of a query word from which on it also finds longer words that begin with it. */
const minPrefixLetters = 4;
/** Longer words that substitute one query word. */
const maxCompounds = 20;
/** Query words of one search that are corrected. */
const maxCorrected = 3;
/** Indexed words that are tried for a misspelled one, and those that substitute it. */
const [maxTried, maxCorrections] = [16, 4];
/** Candidates of the retrieval that shows which of the tried words may be seen. */
const probeLimit = 200;
/** The weight share of a substitute: a longer word with this prefix, a word one error away, two errors away. */
const shares = { compound: 0.8, oneError: 0.9, twoErrors: 0.8 };

/** Indexed words that substitute a word of the query. */
interface Substitute {
  term: number;
  stems: readonly string[];
  /** Share of the query word's weight. */
  share: number;
  /** Languages of the passages to which it applies; all where absent. */
  languages?: ReadonlySet<string>;
}

/**
 * The result of an expanded retrieval. `shares` of a candidate are the weight shares of its terms, where a substitute was
 * found. The statistics count a word that no passage contains as its substitutes. `asTyped` has the statistics of the
 * words as typed, for passages without substitutes; it is absent where the two are equal.
 */
export type ExpandedResult = RetrievalResult & {
  candidates: (Candidate & { shares?: readonly number[] })[];
  asTyped?: TermStatistics;
};

/** Retrieves a query's words and their substitutes. */
export interface QueryExpansion {
  retrieve(retrieval: Retrieval): Promise<ExpandedResult>;
  /** The query's terms, each with all stems that match it in passages of a language. */
  terms(language: string): readonly (readonly string[])[];
}

/**
 * Expands a query by indexed words, each at a share of the weight of the word it substitutes:
 * - longer words that begin with a query word, in passages of a language that writes compounds as one word;
 * - stems of the query that are very common words of another language, in passages of the languages they belong to;
 * - for a word that no passage of the organization contains, the nearest words in passages that this search may see.
 *
 * The substitutes are chosen during the first retrieval.
 */
export function expandQuery(
  passages: Pick<Passages, 'retrieve' | 'nearestWords'>,
  scope: OrganizationScope,
  plan: QueryPlan,
  languages: readonly string[],
): QueryExpansion {
  let compounds: Substitute[] | null = null;
  let corrections: Substitute[] | null = null;
  const { terms: own, collisions } = withoutCollisions(plan, languages);
  const substitutes = (): Substitute[] => [...collisions, ...(compounds ?? []), ...(corrections ?? [])];

  async function retrieveExpanded(retrieval: Retrieval): Promise<ExpandedResult> {
    const all = substitutes();
    if (all.length === 0) return passages.retrieve(scope, retrieval);
    const terms = retrieval.terms.map((stems, term) => own[term] ?? stems);
    const result = await passages.retrieve(scope, {
      ...retrieval,
      terms: [...terms, ...all.map(({ stems }) => stems)],
    });
    return foldSubstitutes(result, retrieval.terms.length, all);
  }

  return {
    async retrieve(retrieval) {
      compounds ??= languages.some((language) => compoundingLanguages.has(language))
        ? await findCompounds(passages, scope, plan)
        : [];
      const result = await retrieveExpanded(retrieval);
      if (corrections !== null) return result;
      corrections =
        result.statistics.passages === 0
          ? []
          : await findCorrections(passages, scope, plan, languages, retrieval, result);
      return corrections.length === 0 ? result : retrieveExpanded(retrieval);
    },
    terms: (language) =>
      own.map((stems, term) => [
        ...stems,
        ...substitutes().flatMap((substitute) =>
          substitute.term === term && substitute.languages?.has(language) !== false ? substitute.stems : [],
        ),
      ]),
  };
}

/**
 * The query's terms without the stems that are very common words of other languages, and these stems as substitutes in
 * their own languages.
 */
function withoutCollisions(
  plan: QueryPlan,
  languages: readonly string[],
): { terms: readonly (readonly string[])[]; collisions: readonly Substitute[] } {
  const substitutes: Substitute[] = [];
  const terms = plan.terms.map((stems, term) => {
    const collisions = collisionsOf(plan.typed[term] ?? [], stems, languages);
    const kept = stems.filter((stem) => collisions.every((collision) => collision.stem !== stem));
    if (kept.length === 0) return stems;
    for (const { stem, languages: own } of collisions)
      substitutes.push({ term, stems: [stem], share: 1, languages: own });
    return kept;
  });
  return { terms, collisions: substitutes };
}

async function findCompounds(
  passages: Pick<Passages, 'nearestWords'>,
  scope: OrganizationScope,
  plan: QueryPlan,
): Promise<Substitute[]> {
  const questions = plan.terms.map((stems): WordQuestion => ({
    stems,
    edits: 0,
    forms: [],
    prefixes: stems.filter((stem) => stem.length >= minPrefixLetters && /^\p{L}+$/u.test(stem)),
  }));
  if (questions.every(({ prefixes }) => prefixes.length === 0)) return [];
  const found = await passages.nearestWords(scope, questions);
  return found.flatMap((words, term) => {
    if (words.length === 0) return [];
    const stems = words.slice(0, maxCompounds).map(({ stem }) => stem);
    return [{ term, stems, share: shares.compound, languages: compoundingLanguages }];
  });
}

async function findCorrections(
  passages: Pick<Passages, 'retrieve' | 'nearestWords'>,
  scope: OrganizationScope,
  plan: QueryPlan,
  languages: readonly string[],
  retrieval: Retrieval,
  result: RetrievalResult,
): Promise<Substitute[]> {
  const unknown = plan.terms.flatMap((stems, term) =>
    (result.statistics.documentFrequencies[term] ?? 0) === 0 ? [{ stems, term }] : [],
  );
  const questions: (WordQuestion & { term: number })[] = [];
  for (const { stems, term } of unknown) {
    if (questions.length === maxCorrected) break;
    const misspelling = misspellingOf(plan.typed[term]?.[0] ?? '', stems, languages);
    if (misspelling !== null) questions.push({ ...misspelling, prefixes: [], term });
    // Trying the endings of a word takes milliseconds.
    await yieldToEventLoop();
  }
  if (questions.length === 0) return [];
  const near = await passages.nearestWords(
    scope,
    questions.map(({ stems, edits, forms, prefixes }) => ({ stems, edits, forms, prefixes })),
  );
  const tried = near.map((words) => words.slice(0, maxTried));
  if (tried.every((words) => words.length === 0)) return [];
  // These words come from all files. Only those that a search with the same restriction finds may be used, so that
  // files which the request may not see change nothing.
  const stems = [...new Set(tried.flat().map(({ stem }) => stem))];
  const seen = await passages.retrieve(scope, {
    ...retrieval,
    terms: stems.map((stem) => [stem]),
    vectors: [],
    limit: probeLimit,
  });
  const visible = new Set(
    stems.filter((_, index) => seen.candidates.some(({ frequencies }) => (frequencies[index] ?? 0) > 0)),
  );
  return questions.flatMap(({ term }, index) =>
    correctionsOf(
      term,
      (tried[index] ?? []).filter(({ stem }) => visible.has(stem)),
    ),
  );
}

/** The nearest of the words, which are sorted by their distance. */
function correctionsOf(term: number, words: readonly NearWord[]): Substitute[] {
  const [first] = words;
  if (first === undefined) return [];
  const stems = words
    .filter(({ edits }) => edits === first.edits)
    .slice(0, maxCorrections)
    .map(({ stem }) => stem);
  return [{ term, stems, share: first.edits === 1 ? shares.oneError : shares.twoErrors }];
}

/** The result in terms of the query's own words: a substitute counts where a passage lacks the word itself. */
function foldSubstitutes(
  { candidates, statistics }: RetrievalResult,
  own: number,
  substitutes: readonly Substitute[],
): ExpandedResult {
  const documentFrequencies = statistics.documentFrequencies.slice(0, own);
  for (const [index, { term }] of substitutes.entries()) {
    if ((statistics.documentFrequencies[term] ?? 0) === 0)
      documentFrequencies[term] = Math.min(
        statistics.passages,
        (documentFrequencies[term] ?? 0) + (statistics.documentFrequencies[own + index] ?? 0),
      );
  }
  return {
    statistics: { ...statistics, documentFrequencies },
    asTyped: { ...statistics, documentFrequencies: statistics.documentFrequencies.slice(0, own) },
    candidates: candidates.map((candidate) => {
      const frequencies = candidate.frequencies.slice(0, own);
      const counted = frequencies.map(() => 1);
      const substituted = new Map<number, number>();
      for (const [index, { term, share, languages }] of substitutes.entries()) {
        if (languages?.has(candidate.analysedAs) === false) continue;
        const occurrences = candidate.frequencies[own + index] ?? 0;
        if (occurrences === 0 || (frequencies[term] ?? 0) > 0) continue;
        frequencies[term] = occurrences;
        counted[term] = share;
        substituted.set(own + index, term);
      }
      return {
        ...candidate,
        frequencies,
        positions: renumbered(candidate.positions, (term) => (term < own ? term : substituted.get(term))),
        shares: counted,
      };
    }),
  };
}

/** Positions with other term numbers; those without one are dropped. */
function renumbered(positions: ArrayLike<number>, termOf: (term: number) => number | undefined): number[] {
  const kept: number[] = [];
  for (let at = 0; at < positions.length; at += 2) {
    const term = termOf(positions[at + 1] ?? 0);
    if (term !== undefined) kept.push(positions[at] ?? 0, term);
  }
  return kept;
}
