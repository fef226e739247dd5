import type { Candidate, TermStatistics } from '../../../adapters/passages/port.ts';
import type { QueryPlan } from '../query.ts';
import type { CompiledRule, Dictionary, FoundRule } from './compiled.ts';

/** Words of expansions that one search looks for at most; further expansions are left out. */
const mostWords = 300;

/** A term of the dictionary that stands in the query, and what may stand in a passage in its place. */
export interface Substitution {
  /** Places of the query's own terms that it covers; none where all its words are common ones that nobody looks for. */
  covered: readonly number[];
  /** The query words that it stands for, as typed, in lower case. */
  typed: readonly string[];
  /** For each expansion the places of its words among the retrieval's terms. */
  expansions: readonly (readonly number[])[];
}

/** A query with its synonyms: what the index is asked for, and how the answer is read. */
export interface Widening {
  /** The query's own terms, then the words of expansions that are not among them. */
  terms: readonly (readonly string[])[];
  /** How many of `terms` are the query's own. */
  own: number;
  substitutions: readonly Substitution[];
}

/** What a query finds besides by synonyms; null where no term of the dictionary stands in it. */
export function widen(query: string, plan: QueryPlan, dictionary: Dictionary | null): Widening | null {
  const found = dictionary?.find(query) ?? [];
  if (found.length === 0) return null;
  const terms = [...plan.terms];
  const places = new Map(terms.map((stems, place) => [stems.join(' '), place]));
  const substitutions: Substitution[] = [];
  for (const [rule, { stems, typed }] of byRule(query, found)) {
    const expansions: number[][] = [];
    for (const words of rule.expansions()) {
      const fresh = words.filter((word) => !places.has(word.join(' ')));
      if (terms.length - plan.terms.length + fresh.length > mostWords) continue;
      for (const word of fresh) {
        const key = word.join(' ');
        if (!places.has(key)) places.set(key, terms.push(word) - 1);
      }
      expansions.push([...new Set(words.map((word) => places.get(word.join(' ')) ?? 0))]);
    }
    const covered = plan.terms.flatMap((own, place) => (own.some((stem) => stems.has(stem)) ? [place] : []));
    if (expansions.length > 0) substitutions.push({ covered, typed: [...typed], expansions });
  }
  return substitutions.length === 0 ? null : { terms, own: plan.terms.length, substitutions };
}

/** Each rule once, with all that it stands for, in the order of the query. */
function byRule(query: string, found: readonly FoundRule[]): Map<CompiledRule, { stems: Set<string>; typed: Set<string> }> {
  const rules = new Map<CompiledRule, { stems: Set<string>; typed: Set<string> }>();
  for (const { rule, words } of found) {
    const covers = rules.get(rule) ?? { stems: new Set<string>(), typed: new Set<string>() };
    rules.set(rule, covers);
    for (const { start, end, stems } of words) {
      for (const stem of stems) covers.stems.add(stem);
      covers.typed.add(query.slice(start, end).toLowerCase());
    }
  }
  return rules;
}

/** How often an expansion stands in a passage: as often as the rarest of its words. */
function occurrencesOf(expansion: readonly number[], frequencies: readonly number[]): number {
  let least = Infinity;
  for (const place of expansion) least = Math.min(least, frequencies[place] ?? 0);
  return least;
}

/** How often the expansion stands in a passage that stands there most. */
function mostOf(expansions: readonly (readonly number[])[], frequencies: readonly number[]): number {
  let most = 0;
  for (const expansion of expansions) most = Math.max(most, occurrencesOf(expansion, frequencies));
  return most;
}

/**
 * A widening without the expansions that stand in none of these passages: dictionaries are full of words that a library
 * lacks. Its other substitutions stay, also those of which nothing is left.
 */
export function narrowed(widening: Widening, candidates: readonly Pick<Candidate, 'frequencies'>[], { documentFrequencies }: Pick<TermStatistics, 'documentFrequencies'>): Widening {
  // What no passage of the library holds need not be looked for in each that was found.
  const isMet = widening.terms.map((_, place) => documentFrequencies[place] !== 0 && candidates.some(({ frequencies }) => (frequencies[place] ?? 0) > 0));
  const substitutions = widening.substitutions.map((each) => ({ ...each, expansions: each.expansions.filter((expansion) => expansion.every((place) => isMet[place] === true)) }));
  return { ...widening, substitutions };
}

/** Whether any expansion of a substitution stands in a passage. */
export function isHeld(substitution: Substitution, candidate: Pick<Candidate, 'frequencies'>): boolean {
  return substitution.expansions.some((expansion) => occurrencesOf(expansion, candidate.frequencies) > 0);
}

/**
 * The library's statistics for a query with synonyms: those of its own words, and for each term of common words alone,
 * which has no own words, how many passages may hold one of its expansions.
 */
export function widenedStatistics({ own, substitutions }: Widening, statistics: TermStatistics): TermStatistics {
  const { documentFrequencies, passages } = statistics;
  const without = substitutions.filter(({ covered }) => covered.length === 0).map(({ expansions }) =>
    Math.min(passages, expansions.reduce((sum, expansion) => sum + Math.min(...expansion.map((place) => documentFrequencies[place] ?? 0)), 0)));
  return { ...statistics, documentFrequencies: [...documentFrequencies.slice(0, own), ...without] };
}

/**
 * The occurrences of the query's words in a passage, in the order of `widenedStatistics`, where an expansion counts as
 * the words that it stands for. Null where the passage holds no expansion: then nothing changes.
 */
export function widenedFrequencies({ own, substitutions }: Widening, candidate: Pick<Candidate, 'frequencies'>): number[] | null {
  const { frequencies } = candidate;
  if (!substitutions.some(({ expansions }) => mostOf(expansions, frequencies) > 0)) return null;
  const widened = frequencies.slice(0, own);
  for (const { covered, expansions } of substitutions) {
    const most = mostOf(expansions, frequencies);
    if (covered.length === 0) widened.push(most);
    for (const place of covered) widened[place] = Math.max(widened[place] ?? 0, most);
  }
  return widened;
}

/** Where those words stand, a word of an expansion that the passage holds counting as each word that the expansion stands for. */
export function widenedPlaces({ own, substitutions }: Widening, candidate: Pick<Candidate, 'frequencies' | 'places'>): number[] {
  const standsFor = new Map<number, Set<number>>();
  let without = own;
  for (const { covered, expansions } of substitutions) {
    const words = covered.length === 0 ? [without++] : covered;
    for (const expansion of expansions) {
      if (occurrencesOf(expansion, candidate.frequencies) === 0) continue;
      for (const place of expansion) {
        const known = standsFor.get(place) ?? new Set(place < own ? [place] : []);
        standsFor.set(place, known);
        for (const word of words) known.add(word);
      }
    }
  }
  const widened: number[] = [];
  for (let at = 0; at < candidate.places.length; at += 2) {
    const [place, term] = [candidate.places[at] ?? 0, candidate.places[at + 1] ?? 0];
    const words = standsFor.get(term);
    if (words === undefined && term < own) widened.push(place, term);
    for (const word of words ?? []) widened.push(place, word);
  }
  return widened;
}

/** The stems that are marked in one passage, each with the term that it stands for: expansions count only where the passage holds all their words. */
export function markedStems({ terms, substitutions }: Widening, own: ReadonlyMap<string, number>, candidate: Pick<Candidate, 'frequencies'>): ReadonlyMap<string, number> {
  const stems = new Map(own);
  for (const { covered, expansions } of substitutions) {
    for (const expansion of expansions) {
      if (occurrencesOf(expansion, candidate.frequencies) === 0) continue;
      for (const place of expansion) for (const stem of terms[place] ?? []) if (!stems.has(stem)) stems.set(stem, covered[0] ?? place);
    }
  }
  return stems;
}
