import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { NearWord, Passages, Retrieval, WordQuestion } from '../../adapters/passages/port.ts';
import { collisionsOf } from '../../models/analyser/collisions.ts';
import { analyse } from '../../models/analyser/analyser.ts';
import { fold } from '../../models/analyser/folding.ts';
import { misspellingOf } from '../../models/analyser/misspelling.ts';
import { isLetterReplaced } from '../../models/analyser/spelling.ts';
import type { OrganizationScope } from '../../models/scope.ts';
import type { TextWord } from './highlight.ts';
import type { QueryPlan } from './query.ts';
import { foldSubstitutes, type ExpandedResult, type Substitute } from './substitutes.ts';
import { wordEvidence } from './word-evidence.ts';

/** Languages that write compounds as one word. */
const compoundingLanguages: ReadonlySet<string> = new Set(['de', 'nl', 'da', 'sv', 'no']);
/** Letters of a query word from which on it also finds longer words that begin with it. */
const minPrefixLetters = 4;
/** Letters that a longer word has in addition, at least: fewer are an ending. */
const minCompoundedLetters = 3;
/** Letters of an ending that the stem of a query word may lack: without a longer one it is another word. */
const maxInflection = 3;
/** Longer words that substitute one query word. */
const maxCompounds = 20;
/** Query words of one search that are corrected. */
const maxCorrected = 3;
/** Indexed words that are tried for a misspelled one, and those that substitute it. */
const [maxTried, maxCorrections] = [16, 4];
/**
 * In a library of so many passages, what corrects a word of so few letters, two errors or a replaced letter occurs in
 * so many passages, at least.
 */
const [largeLibrary, shortWord, commonPassages] = [500, 5, 3];
/** Candidates of the retrieval that shows which of the tried words may be seen. */
const probeLimit = 200;
/** The weight share of a substitute: a longer word with this prefix, a word one error away, two errors away. */
const shares = { compound: 0.8, oneError: 0.9, twoErrors: 0.8 };

/** Retrieves a query's words and their substitutes. */
export interface QueryExpansion {
  retrieve(retrieval: Retrieval): Promise<ExpandedResult>;
  /** The query's terms, each with all stems that match it in passages of a language. */
  terms(language: string): readonly (readonly string[])[];
  /** Whether a word of a passage counts as a term of the query: one with the same stem may be another word. */
  counts(term: number, word: Pick<TextWord, 'stem' | 'form'> | undefined, language: string): boolean;
}

/** What the expansion asks the index for. */
type Expanded = Pick<Passages, 'retrieve' | 'nearestWords' | 'frequenciesOf'>;

/**
 * Expands a query by indexed words, each at a share of the weight of the word it substitutes:
 * - longer words that begin with a query word, in passages of a language that writes compounds as one word;
 * - stems of the query that are very common words of another language, in passages of the languages they belong to;
 * - for a word that no passage of the organization contains, the nearest words in passages that this search may see.
 *
 * The substitutes are chosen before the first retrieval, so that each retrieval runs once.
 */
export function expandQuery(
  passages: Expanded,
  scope: OrganizationScope,
  plan: QueryPlan,
  languages: readonly string[],
  queryLanguages: ReadonlySet<string> = new Set(languages),
): QueryExpansion {
  const evidenceOf = wordEvidence(plan.typed, queryLanguages);
  let compounds: Substitute[] | null = null;
  let corrections: Substitute[] | null = null;
  const { terms: own, collisions } = withoutCollisions(plan, languages);
  const substitutes = (): Substitute[] => [...collisions, ...(compounds ?? []), ...(corrections ?? [])];

  async function retrieveExpanded(retrieval: Retrieval): Promise<ExpandedResult> {
    const all = substitutes();
    const terms = retrieval.terms.map((stems, term) => own[term] ?? stems);
    const result = await passages.retrieve(scope, {
      ...retrieval,
      terms: [...terms, ...all.map(({ stems }) => stems)],
    });
    return foldSubstitutes(result, retrieval.terms.length, all, evidenceOf);
  }

  return {
    async retrieve(retrieval) {
      compounds ??= languages.some((language) => compoundingLanguages.has(language))
        ? await findCompounds(passages, scope, plan, queryLanguages)
        : [];
      corrections ??= await findCorrections(passages, scope, plan, [...queryLanguages], retrieval, (term) => [
        ...(own[term] ?? []),
        ...substitutes().flatMap((substitute) => (substitute.term === term ? substitute.stems : [])),
      ]);
      return retrieveExpanded(retrieval);
    },
    terms: (language) =>
      own.map((stems, term) => [
        ...stems,
        ...substitutes().flatMap((substitute) =>
          substitute.term === term && substitute.languages.has(language) ? substitute.stems : [],
        ),
      ]),
    counts: (term, word, language) =>
      word !== undefined &&
      (plan.terms[term]?.includes(word.stem) !== true || evidenceOf(term, [word.form], language).share > 0),
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
      substitutes.push({ term, stems: [stem], share: 1, languages: own, isOwn: true });
    return kept;
  });
  return { terms, collisions: substitutes };
}

async function findCompounds(
  passages: Pick<Passages, 'nearestWords'>,
  scope: OrganizationScope,
  plan: QueryPlan,
  queryLanguages: ReadonlySet<string>,
): Promise<Substitute[]> {
  const compounding = new Set([...compoundingLanguages].filter((language) => queryLanguages.has(language)));
  const questions = plan.terms.map((stems, term): WordQuestion => {
    const own = new Set(
      (plan.typed[term] ?? []).flatMap((typed) =>
        [...compounding].flatMap((language) => analyse(typed, language).map(({ stem }) => stem)),
      ),
    );
    const longest = Math.max(0, ...(plan.typed[term] ?? []).map((typed) => typed.length));
    const prefixes = stems.filter(
      (stem) =>
        own.has(stem) && stem.length >= Math.max(minPrefixLetters, longest - maxInflection) && /^\p{L}+$/u.test(stem),
    );
    return { stems, edits: 0, forms: [], prefixes };
  });
  if (questions.every(({ prefixes }) => prefixes.length === 0)) return [];
  const found = await passages.nearestWords(scope, questions);
  return found.flatMap((words, term) => {
    const prefixes = questions[term]?.prefixes ?? [];
    const stems = words
      .map(({ stem }) => stem)
      .filter((stem) =>
        prefixes.some((prefix) => stem.startsWith(prefix) && stem.length - prefix.length >= minCompoundedLetters),
      )
      .slice(0, maxCompounds);
    if (stems.length === 0) return [];
    return [{ term, stems, share: shares.compound, languages: compounding }];
  });
}

async function findCorrections(
  passages: Expanded,
  scope: OrganizationScope,
  plan: QueryPlan,
  languages: readonly string[],
  retrieval: Retrieval,
  stemsOf: (term: number) => readonly string[],
): Promise<Substitute[]> {
  const all = plan.terms.map((_, term) => stemsOf(term));
  const counts = await passages.frequenciesOf(scope, all.flat());
  let at = 0;
  const unknown = all.flatMap((stems, term) => {
    const own = counts.slice(at, (at += stems.length));
    return own.some((passagesWith) => passagesWith > 0) ? [] : [{ stems: plan.terms[term] ?? [], term }];
  });
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
  if (near.every((words) => words.length === 0)) return [];
  const { statistics } = await passages.retrieve(scope, { ...retrieval, terms: [], vectors: [], limit: 1 });
  const tried = near.map((words, index) => {
    const { term = 0, stems = [] } = questions[index] ?? {};
    const typed = plan.typed[term]?.[0] ?? '';
    return words.filter((word) => corrects(word, typed, stems, statistics.passages)).slice(0, maxTried);
  });
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
      plan.typed[term]?.[0] ?? '',
      (tried[index] ?? []).filter(({ stem }) => visible.has(stem)),
      new Set(languages),
    ),
  );
}

/**
 * Whether an indexed word is known well enough to correct a typed one: in a large library, most neighbours of a short
 * word, most words two errors away, and most with another letter in place of one (`portal`, `postal`) are other words.
 */
function corrects(
  { stem, edits, passages }: NearWord,
  typed: string,
  stems: readonly string[],
  libraryPassages: number,
): boolean {
  if (libraryPassages < largeLibrary || passages >= commonPassages) return true;
  return edits === 1 && typed.length > shortWord && !stems.some((own) => isLetterReplaced(own, stem));
}

/** The nearest of the words, which are sorted by their distance. */
function correctionsOf(
  term: number,
  typed: string,
  words: readonly NearWord[],
  languages: ReadonlySet<string>,
): Substitute[] {
  const [first] = words;
  if (first === undefined) return [];
  const stems = words
    .filter(({ edits }) => edits === first.edits)
    .slice(0, maxCorrections)
    .map(({ stem }) => stem);
  const share = first.edits === 1 ? shares.oneError : shares.twoErrors;
  return [{ term, stems, share, languages, corrects: { typed: fold(typed), edits: first.edits } }];
}
