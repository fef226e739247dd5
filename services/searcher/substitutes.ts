import type { Candidate, RetrievalResult, TermStatistics } from '../../adapters/passages/port.ts';
import { isCorrection } from '../../models/analyser/misspelling.ts';
import type { EvidenceOf } from './word-evidence.ts';

/** Indexed words that substitute a word of the query. */
export interface Substitute {
  term: number;
  stems: readonly string[];
  /** Share of the query word's weight. */
  share: number;
  /** Languages of the passages to which it applies. */
  languages: ReadonlySet<string>;
  /** For a correction, the typed word and the errors that it may have. */
  corrects?: { typed: string; edits: number };
  /** Whether the stems are the query word's own. */
  isOwn?: true;
}

/** A candidate with what its words count. */
export type ExpandedCandidate = Candidate & {
  /** The weight shares of the terms; absent if the passage contains none. */
  shares?: readonly number[];
  /** For each corrected term that matches, the words of the passage that were found in its place. */
  corrected?: ReadonlyMap<number, readonly string[]>;
};

/**
 * The result of an expanded retrieval. The statistics count a word that no passage contains as its substitutes.
 * `asTyped` has the statistics of the words as typed, for passages without substitutes; it is absent where the two are
 * equal.
 */
export type ExpandedResult = RetrievalResult & {
  candidates: ExpandedCandidate[];
  asTyped?: TermStatistics;
};

/** The share and the counted occurrences of a substitute in a passage, and the words that it was found as. */
function substituted(
  { term, stems, share, isOwn, corrects }: Substitute,
  occurrences: number,
  forms: readonly string[],
  language: string,
  evidenceOf: EvidenceOf,
): { share: number; occurrences: number; found: readonly string[] } {
  if (isOwn === true) {
    const evidence = evidenceOf(term, forms, language);
    return { share: evidence.share, occurrences: occurrences * evidence.occurrences, found: forms };
  }
  if (corrects === undefined) return { share, occurrences, found: forms };
  const found =
    forms.length === 0 ? stems : forms.filter((form) => isCorrection(corrects.typed, form, corrects.edits, language));
  return { share: found.length === 0 ? 0 : share, occurrences, found };
}

/**
 * The result in terms of the query's own words. A word of a passage counts by its nearness to the query's; a substitute
 * counts where a passage lacks the word itself. Terms that are not the query's own, of synonyms, count as they are.
 * @param own number of the retrieval's terms before those of the substitutes
 */
export function foldSubstitutes(
  { candidates, statistics }: RetrievalResult,
  own: number,
  substitutes: readonly Substitute[],
  evidenceOf: EvidenceOf,
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
    candidates: candidates
      .map((candidate) => folded(candidate, own, substitutes, evidenceOf))
      // Passages whose words turned out to be others were not found at all.
      .filter(({ cosine, frequencies }) => cosine !== null || frequencies.some((frequency) => frequency > 0)),
  };
}

function folded(
  candidate: Candidate,
  own: number,
  substitutes: readonly Substitute[],
  evidenceOf: EvidenceOf,
): ExpandedCandidate {
  const { forms, analysedAs } = candidate;
  // Found by meaning alone, as most: nothing of it changes.
  if (candidate.positions.length === 0)
    return candidate.frequencies.length === own
      ? candidate
      : { ...candidate, frequencies: candidate.frequencies.slice(0, own) };
  const frequencies = candidate.frequencies.slice(0, own);
  const shares = frequencies.map(() => 1);
  const termOf = new Map<number, number>();
  const corrected = new Map<number, readonly string[]>();
  frequencies.forEach((frequency, term) => {
    if (frequency === 0) return;
    const evidence = evidenceOf(term, forms?.[term] ?? [], analysedAs);
    frequencies[term] = evidence.share === 0 ? 0 : frequency * evidence.occurrences;
    if (evidence.share === 0) return;
    shares[term] = evidence.share;
    termOf.set(term, term);
  });
  for (const [index, substitute] of substitutes.entries()) {
    const { term, languages } = substitute;
    const occurrences = candidate.frequencies[own + index] ?? 0;
    if (occurrences === 0 || !languages.has(analysedAs) || (frequencies[term] ?? 0) > 0) continue;
    const counted = substituted(substitute, occurrences, forms?.[own + index] ?? [], analysedAs, evidenceOf);
    if (counted.share === 0) continue;
    frequencies[term] = counted.occurrences;
    shares[term] = counted.share;
    termOf.set(own + index, term);
    if (substitute.corrects !== undefined) corrected.set(term, counted.found);
  }
  const positions = renumbered(candidate.positions, (term) => termOf.get(term));
  return { ...candidate, frequencies, shares, positions, ...(corrected.size > 0 ? { corrected } : {}) };
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
