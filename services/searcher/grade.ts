import type { TermStatistics } from '../../adapters/passages/port.ts';
import { gradeOf, noFeatures, setFeatures, weighQuery, type QueryWeights, type RelevanceModel } from '../../models/relevance/relevance.ts';
import { narrowed, widenedFrequencies, widenedPlaces, widenedStatistics, type Widening } from './tuning/synonyms.ts';
import type { LikeResult } from './like-words.ts';

/** A passage's grade. */
export interface Grade {
  /** 0 to 1, not rounded. */
  relevance: number;
  /** What it is ordered by. Above its relevance where synonyms say more of it, or a boost moves it up. */
  score: number;
  /** Log odds that order what has the same score: what meaning alone lets in has one relevance. */
  evidence: number;
}

/** What each word counts: an expansion the whole of what it stands for, a word that is only like the query's its share. */
function sharesOf(candidate: LikeResult['candidates'][number], widened: readonly number[]): number[] {
  return widened.map((frequency, place) => (frequency > (candidate.frequencies[place] ?? 0) ? 1 : (candidate.shares?.[place] ?? 1)));
}

/**
 * How the query weighs for a candidate. A word that no passage holds is unknown to all passages but those in which another
 * stands in for it: a typing error that is put right lifts no passage that does not hold the right word.
 */
function weighing({ statistics, asTyped }: LikeResult, occurrences: readonly number[], narrowed: (statistics: TermStatistics) => TermStatistics = (all) => all): (candidate: LikeResult['candidates'][number]) => QueryWeights {
  const weights = weighQuery(narrowed(statistics), occurrences);
  if (asTyped === undefined) return () => weights;
  const typed = weighQuery(narrowed(asTyped), occurrences);
  return ({ shares }) => (shares?.some((share) => share < 1) === true ? weights : typed);
}

/**
 * Answers what grades the candidates of a result, each by itself: what else was found changes nothing. With synonyms, what
 * the query finds by its own words and meaning keeps its relevance, and synonyms count in the score alone; what it would not
 * find by itself is graded as if its expansions were the words that they stand for.
 */
export function grader(model: RelevanceModel, result: LikeResult, occurrences: readonly number[], widening: Widening | null = null): (candidate: LikeResult['candidates'][number]) => Grade {
  const { statistics, candidates } = result;
  const features = noFeatures();
  if (widening === null) {
    const weightsFor = weighing(result, occurrences);
    return (candidate) => {
      const { relevance, evidence } = gradeOf(model, setFeatures(features, weightsFor(candidate), candidate));
      return { relevance, score: relevance, evidence };
    };
  }
  const ownFor = weighing(result, occurrences, (all) => ({ ...all, documentFrequencies: all.documentFrequencies.slice(0, widening.own) }));
  const widened = weighQuery(widenedStatistics(widening, statistics), occurrences);
  const met = narrowed(widening, candidates, statistics);
  return (candidate) => {
    const byItself = gradeOf(model, setFeatures(features, ownFor(candidate), candidate));
    const frequencies = widenedFrequencies(met, candidate);
    if (frequencies === null) return { relevance: byItself.relevance, score: byItself.relevance, evidence: byItself.evidence };
    const passage = { cosine: candidate.cosine, frequencies, places: widenedPlaces(met, candidate), shares: sharesOf(candidate, frequencies) };
    const widely = gradeOf(model, setFeatures(features, widened, passage));
    const score = Math.max(byItself.relevance, widely.relevance);
    return { relevance: byItself.relevance >= model.floor ? byItself.relevance : score, score, evidence: Math.max(byItself.evidence, widely.evidence) };
  };
}
