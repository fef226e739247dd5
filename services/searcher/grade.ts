import type { Candidate, RetrievalResult } from '../../adapters/passages/port.ts';
import { featuresOf, relevanceOf, weighQuery, type RelevanceModel } from '../../models/relevance/relevance.ts';

/** A retrieved passage with its grade. */
export interface Graded {
  candidate: Candidate;
  /** 0 to 1, not rounded. */
  relevance: number;
}

/** Grades every candidate by itself: what else was found changes nothing. */
export function gradeCandidates(model: RelevanceModel, result: RetrievalResult, occurrences: readonly number[]): Graded[] {
  const weights = weighQuery(result.statistics, occurrences);
  return result.candidates.map((candidate) => ({ candidate, relevance: relevanceOf(model, featuresOf(weights, candidate)) }));
}
