import type { TermStatistics } from '../../adapters/passages/port.ts';
import {
  featuresOf,
  gradeOf,
  mappingFor,
  weighQuery,
  type GradedPassage,
  type QueryWeights,
  type RelevanceModel,
} from '../../models/relevance/relevance.ts';
import {
  withoutMissingExpansions,
  widenedFrequencies,
  widenedPositions,
  widenedStatistics,
  type Widening,
} from './tuning/synonyms.ts';
import type { ExpandedCandidate, ExpandedResult } from './substitutes.ts';

/** A passage's grade. */
export interface Grade {
  /** 0 to 1, not rounded. */
  relevance: number;
  /** Decides its rank. Differs from the relevance through synonyms and boosts. */
  score: number;
  /** Log odds, the tie-breaker: everything that meaning alone admits has one relevance. */
  evidence: number;
}

/** The weight shares of the words: a synonym has the whole weight of its term, a substitute its own share. */
function sharesOf(candidate: ExpandedCandidate, widened: readonly number[]): number[] {
  return widened.map((frequency, term) =>
    frequency > (candidate.frequencies[term] ?? 0) ? 1 : (candidate.shares?.[term] ?? 1),
  );
}

/**
 * The query's weights for a candidate. A word that no passage contains is unknown to all passages, except to those with
 * a substitute for it: a corrected typing error raises no passage without the correct word.
 */
function weighing(
  { statistics, asTyped }: ExpandedResult,
  occurrences: readonly number[],
  narrowed: (statistics: TermStatistics) => TermStatistics = (all) => all,
): (candidate: ExpandedCandidate) => QueryWeights {
  const weights = weighQuery(narrowed(statistics), occurrences);
  if (asTyped === undefined) return () => weights;
  const typed = weighQuery(narrowed(asTyped), occurrences);
  return ({ shares }) => (shares?.some((share) => share < 1) === true ? weights : typed);
}

/** Less than this below the band of `high`, which relevances are rounded down to in answers. */
const belowHigh = 0.0001;

/**
 * The grade of a passage. What stands for a word of the query (a correction, a compound, a derivation) cannot make a
 * grade high: it is high only if it is without them.
 */
function gradeWithShares(
  model: RelevanceModel,
  weights: QueryWeights,
  passage: GradedPassage,
): { relevance: number; evidence: number } {
  const grade = gradeOf(model, featuresOf(weights, passage));
  const { shares } = passage;
  if (shares === undefined || grade.relevance < model.bands.high || shares.every((share) => share === 1)) return grade;
  const without = {
    cosine: passage.cosine,
    frequencies: passage.frequencies.map((frequency, term) => (shares[term] === 1 ? frequency : 0)),
    positions: positionsOf(passage.positions, (term) => shares[term] === 1),
  };
  const { relevance } = gradeOf(model, featuresOf(weights, without));
  if (relevance >= model.bands.high) return grade;
  return { relevance: Math.max(relevance, model.bands.high - belowHigh), evidence: grade.evidence };
}

function positionsOf(positions: ArrayLike<number>, isKept: (term: number) => boolean): number[] {
  const kept: number[] = [];
  for (let at = 0; at < positions.length; at += 2)
    if (isKept(positions[at + 1] ?? 0)) kept.push(positions[at] ?? 0, positions[at + 1] ?? 0);
  return kept;
}

/**
 * Returns a function that grades the candidates of a result, each independently of the others. A passage that the query
 * finds by its own words and meaning keeps its relevance, and synonyms only raise its score. One that it would not find
 * is graded as if the expansions were the words that they stand for.
 */
export function grader(
  model: RelevanceModel,
  result: ExpandedResult,
  occurrences: readonly number[],
  widening: Widening | null = null,
): (candidate: ExpandedCandidate) => Grade {
  const { statistics, candidates } = result;
  if (widening === null) {
    const weightsFor = weighing(result, occurrences);
    return (candidate) => {
      const mapping = mappingFor(model, candidate.model);
      const { relevance, evidence } = gradeWithShares(mapping, weightsFor(candidate), candidate);
      return { relevance, score: relevance, evidence };
    };
  }
  const ownFor = weighing(result, occurrences, (all) => ({
    ...all,
    documentFrequencies: all.documentFrequencies.slice(0, widening.own),
  }));
  const widened = weighQuery(widenedStatistics(widening, statistics), occurrences);
  const met = withoutMissingExpansions(widening, candidates, statistics);
  return (candidate) => {
    const mapping = mappingFor(model, candidate.model);
    const byItself = gradeWithShares(mapping, ownFor(candidate), candidate);
    const frequencies = widenedFrequencies(met, candidate);
    if (frequencies === null)
      return { relevance: byItself.relevance, score: byItself.relevance, evidence: byItself.evidence };
    const passage = {
      cosine: candidate.cosine,
      frequencies,
      positions: widenedPositions(met, candidate),
      shares: sharesOf(candidate, frequencies),
    };
    const widely = gradeWithShares(mapping, widened, passage);
    const score = Math.max(byItself.relevance, widely.relevance);
    return {
      relevance: byItself.relevance >= model.floor ? byItself.relevance : score,
      score,
      evidence: Math.max(byItself.evidence, widely.evidence),
    };
  };
}
