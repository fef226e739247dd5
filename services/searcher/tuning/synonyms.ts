import type { Candidate, TermStatistics } from '../../../adapters/passages/port.ts';
import type { QueryPlan } from '../query.ts';
import type { CompiledRule, Dictionary, FoundRule } from './dictionary.ts';

/** Maximum words of expansions in one search; further expansions are ignored. */
const maxWords = 300;

/** A dictionary term that occurs in the query, with its expansions. */
export interface Substitution {
  /**
   * Indexes of the query's own terms that it covers; empty if all its words are common words, which are not searched.
   */
  covered: readonly number[];
  /** The query words that it covers, as typed, in lower case. */
  typed: readonly string[];
  /** For each expansion the indexes of its words among the retrieval's terms. */
  expansions: readonly (readonly number[])[];
}

/** A query with its synonyms: the terms to retrieve, and how to interpret the candidates. */
export interface Widening {
  /** The query's own terms, followed by the other words of expansions. */
  terms: readonly (readonly string[])[];
  /** Number of the query's own terms. */
  own: number;
  substitutions: readonly Substitution[];
}

/** Expands a query by synonyms; null if it contains no term of the dictionary. */
export function widen(query: string, plan: QueryPlan, dictionary: Dictionary | null): Widening | null {
  const found = dictionary?.find(query) ?? [];
  if (found.length === 0) return null;
  const terms = [...plan.terms];
  const positions = new Map(terms.map((stems, index) => [stems.join(' '), index]));
  const substitutions: Substitution[] = [];
  for (const [rule, { stems, typed }] of byRule(query, found)) {
    const expansions: number[][] = [];
    for (const words of rule.expansions()) {
      const fresh = words.filter((word) => !positions.has(word.join(' ')));
      if (terms.length - plan.terms.length + fresh.length > maxWords) continue;
      for (const word of fresh) {
        const key = word.join(' ');
        if (!positions.has(key)) positions.set(key, terms.push(word) - 1);
      }
      expansions.push([...new Set(words.map((word) => positions.get(word.join(' ')) ?? 0))]);
    }
    const covered = plan.terms.flatMap((own, index) => (own.some((stem) => stems.has(stem)) ? [index] : []));
    if (expansions.length > 0) substitutions.push({ covered, typed: [...typed], expansions });
  }
  return substitutions.length === 0 ? null : { terms, own: plan.terms.length, substitutions };
}

/** Merges the occurrences of each rule, in the order of the query. */
function byRule(
  query: string,
  found: readonly FoundRule[],
): Map<CompiledRule, { stems: Set<string>; typed: Set<string> }> {
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

/** Occurrences of an expansion in a passage: those of its rarest word. */
function occurrencesOf(expansion: readonly number[], frequencies: readonly number[]): number {
  let min = Infinity;
  for (const index of expansion) min = Math.min(min, frequencies[index] ?? 0);
  return min;
}

/** Occurrences of the most frequent expansion in a passage. */
function maxOccurrences(expansions: readonly (readonly number[])[], frequencies: readonly number[]): number {
  let max = 0;
  for (const expansion of expansions) max = Math.max(max, occurrencesOf(expansion, frequencies));
  return max;
}

/**
 * Removes the expansions that occur in none of these candidates: many words of a dictionary do not occur in the
 * library. Substitutions stay, even uncovered expansions, so that the order of terms does not change.
 */
export function withoutMissingExpansions(
  widening: Widening,
  candidates: readonly Pick<Candidate, 'frequencies'>[],
  { documentFrequencies }: Pick<TermStatistics, 'documentFrequencies'>,
): Widening {
  // A word that no passage of the library contains need not be checked in each candidate.
  const occurs = widening.terms.map(
    (_, index) =>
      documentFrequencies[index] !== 0 && candidates.some(({ frequencies }) => (frequencies[index] ?? 0) > 0),
  );
  const substitutions = widening.substitutions.map((each) => ({
    ...each,
    expansions: each.expansions.filter((expansion) => expansion.every((index) => occurs[index] === true)),
  }));
  return { ...widening, substitutions };
}

/** Whether any expansion of a substitution occurs in a passage. */
export function occursIn(substitution: Substitution, candidate: Pick<Candidate, 'frequencies'>): boolean {
  return substitution.expansions.some((expansion) => occurrencesOf(expansion, candidate.frequencies) > 0);
}

/**
 * The library's statistics for a query with synonyms: those of its own terms, followed, for each substitution that
 * covers none of them, by the number of passages that may contain one of its expansions.
 */
export function widenedStatistics({ own, substitutions }: Widening, statistics: TermStatistics): TermStatistics {
  const { documentFrequencies, passages } = statistics;
  const uncovered = substitutions
    .filter(({ covered }) => covered.length === 0)
    .map(({ expansions }) =>
      Math.min(
        passages,
        expansions.reduce(
          (sum, expansion) => sum + Math.min(...expansion.map((index) => documentFrequencies[index] ?? 0)),
          0,
        ),
      ),
    );
  return { ...statistics, documentFrequencies: [...documentFrequencies.slice(0, own), ...uncovered] };
}

/**
 * The occurrences of the query's terms in a passage, in the order of `widenedStatistics`; an expansion counts as the
 * terms that it replaces. Null if the passage contains no expansion, since then nothing changes.
 */
export function widenedFrequencies(
  { own, substitutions }: Widening,
  candidate: Pick<Candidate, 'frequencies'>,
): number[] | null {
  const { frequencies } = candidate;
  if (!substitutions.some(({ expansions }) => maxOccurrences(expansions, frequencies) > 0)) return null;
  const widened = frequencies.slice(0, own);
  for (const { covered, expansions } of substitutions) {
    const max = maxOccurrences(expansions, frequencies);
    if (covered.length === 0) widened.push(max);
    for (const index of covered) widened[index] = Math.max(widened[index] ?? 0, max);
  }
  return widened;
}

/**
 * The positions of the query's terms in a passage. A word of an expansion that the passage contains counts as each term
 * that the expansion replaces.
 */
export function widenedPositions(
  { own, substitutions }: Widening,
  candidate: Pick<Candidate, 'frequencies' | 'positions'>,
): number[] {
  const replacedTerms = new Map<number, Set<number>>();
  let uncovered = own;
  for (const { covered, expansions } of substitutions) {
    const words = covered.length === 0 ? [uncovered++] : covered;
    for (const expansion of expansions) {
      if (occurrencesOf(expansion, candidate.frequencies) === 0) continue;
      for (const index of expansion) {
        const known = replacedTerms.get(index) ?? new Set(index < own ? [index] : []);
        replacedTerms.set(index, known);
        for (const word of words) known.add(word);
      }
    }
  }
  const widened: number[] = [];
  for (let at = 0; at < candidate.positions.length; at += 2) {
    const [position, term] = [candidate.positions[at] ?? 0, candidate.positions[at + 1] ?? 0];
    const words = replacedTerms.get(term);
    if (words === undefined && term < own) widened.push(position, term);
    for (const word of words ?? []) widened.push(position, word);
  }
  return widened;
}

/**
 * The stems to highlight in one passage, each with its term. The stems of an expansion are included only if the passage
 * contains all words of the expansion.
 */
export function markedStems(
  { terms, substitutions }: Widening,
  own: ReadonlyMap<string, number>,
  candidate: Pick<Candidate, 'frequencies'>,
): ReadonlyMap<string, number> {
  const stems = new Map(own);
  for (const { covered, expansions } of substitutions) {
    for (const expansion of expansions) {
      if (occurrencesOf(expansion, candidate.frequencies) === 0) continue;
      for (const index of expansion)
        for (const stem of terms[index] ?? []) if (!stems.has(stem)) stems.set(stem, covered[0] ?? index);
    }
  }
  return stems;
}
