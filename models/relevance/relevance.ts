import { closenessOf, type ClosenessWeights } from './closeness.ts';

/**
 * How strongly a passage answers a query, as a number from 0 to 1 that can be compared between queries: it depends only
 * on the query, the passage and the library's word statistics, never on other results. docs/search.md explains the
 * formula; the numbers in it are data, fitted for each embedding model.
 */

/**
 * BM25's saturation of repeated words, k1 (Robertson and Zaragoza, The Probabilistic Relevance Framework, 2009). Its
 * normalisation by length is left out: passages are cut to about one length, and grades were better without it.
 */
const saturation = 2;
/** Idf from which on a word is no rarer: in a large library it says how large it is, not how unusual the word is. */
const maxIdf = 5;
/** Divisor for sums of idf, which scales these features to the range of the others. */
const idfUnit = 10;
/** Minimum rarity of a word if a passage contains the whole query. */
const minRarity = 0.3;
/** Cosines are rounded to this step, so that stores that add floats in different orders grade alike. */
const cosineSteps = 10_000;

/** Features of a passage with respect to a query. */
export interface Features {
  /** Cosine of query and passage vectors; null if only words are graded. */
  cosine: number | null;
  /** BM25 (k1 2, b 0) over the maximum possible for this query, 0 to 1. */
  bm25: number;
  /** Weight of the matched query words over the weight of all of them, 0 to 1. */
  coverage: number;
  /** Natural logarithm of the number of distinct query words, 0 for none. */
  logWords: number;
  /**
   * How completely the passage contains a rare query, 0 to 1: the fourth power of `coverage`, times the mean idf of the
   * query's words over the maximum in this library. A single rare word or code is close to 1. The rarity of very common
   * words has a minimum: someone who types a single word wants passages that contain it.
   */
  exactness: number;
  /**
   * Maximum total weight of distinct query words within ten words of the passage, over 10. The weight is idf times the
   * root of the occurrences in the query.
   */
  window: number;
  /** Maximum sum of the idf of two different successive query words at most five words apart, over 10. */
  pair: number;
  /**
   * Mean idf of the query's words, each at most 5, over 10; the same for all passages. Measures how unusual the query is
   * in this library.
   */
  rareness: number;
  /**
   * How much smaller the library is than those used for fitting: the natural logarithm of 1,500 over its passages; 0
   * for a larger one.
   */
  smallness: number;
}

/**
 * Coefficients of the features. Those of a passage's features are at least 0, so that more evidence never lowers a
 * grade. `rareness` depends only on the query, and its coefficient is at most 0: a query of words that are rare in the
 * library is more likely about something else.
 */
export interface Coefficients {
  intercept: number;
  cosine: number;
  bm25: number;
  coverage: number;
  logWords: number;
  exactness: number;
  window: number;
  pair: number;
  rareness: number;
}

/**
 * A fitted mapping: the contents of a relevance file except its validation. A passage with a cosine is graded by
 * `hybrid`, any other one by `words`; both are shifted so that they share one floor and one set of bands. A passage may
 * also be admitted by meaning alone, or because it contains a whole short query. Neither affects its order.
 */
export interface RelevanceModel {
  /** Id of the embedding model whose cosines it was fitted on. */
  modelId: string;
  /** Words and meaning together, for passages with a cosine. */
  hybrid: Coefficients;
  /** Words alone, for passages without a cosine. Its `cosine` is 0. */
  words: Coefficients;
  /**
   * Maximum words of short queries. For these, meaning alone admits passages (a missing word of a short query says
   * little), and so does every word of the query.
   */
  meaningWords: number;
  /**
   * How much the minimum cosine of meaning alone (`meaningFrom`) decreases at a `smallness` of 1. Among few passages,
   * the nearest unrelated one is less near by chance than among many.
   */
  meaningFall: number;
  /**
   * Mean cosine of queries and unrelated passages in most languages. Where the query's mean cosine with passages of the
   * library is higher, as in Chinese, its cosines are graded less the difference. Absent if they are graded as they are.
   */
  unrelatedCosine?: number;
  /** Mappings for the cosines of further models. The floor and bands of this one apply to all passages. */
  further?: readonly RelevanceModel[];
  /** Minimum relevance of a result; confidence `low` begins here. */
  floor: number;
  /** Minimum relevance of the higher confidences. */
  bands: { moderate: number; high: number };
  /**
   * Minimum cosine that counts as found by meaning: for passages with query words, and for a short query without any.
   */
  meaningFrom: number;
}

/** The mapping for cosines of a model; null for none. */
export function mappingFor(relevance: RelevanceModel, modelId: string | null): RelevanceModel {
  return relevance.further?.find((mapping) => mapping.modelId === modelId) ?? relevance;
}

/** The weights of a query, which are the same for all passages. */
export interface QueryWeights {
  /** Inverse document frequency of each term, times its occurrences in the query. */
  weights: readonly number[];
  totalWeight: number;
  /** Mean idf of the terms over the maximum in this library, that of a word in no passage. */
  rarity: number;
  /** Mean idf of the terms, each at most 5; 0 for none. */
  meanIdf: number;
  /** As in `Features`. */
  smallness: number;
  /** The weights of terms that are close together. */
  together: ClosenessWeights;
}

/**
 * Number of assumed unseen passages, added to those of every library: a few passages alone do not show which words are
 * rare.
 */
const unseenPassages = 30;

/** Minimum passages of a library that is not small: the mappings were fitted on libraries of 1,600 and more. */
const grownPassages = 1500;

/**
 * Inverse document frequency in the form that never falls below 0, ln(1 + (N - n + 1/2) / (n + 1/2)), over the library
 * and the unseen passages. Of these, one is assumed to contain the word if the library is small, and none if it is
 * large. So, as in a large library, a word that is missing from a small library weighs hardly more than a word that
 * occurs once. A word in no passage gets the maximum.
 */
export function inverseDocumentFrequency(passages: number, documentFrequency: number): number {
  const all = passages + unseenPassages;
  const containing = Math.min(documentFrequency, passages) + unseenPassages / Math.max(1, all);
  return Math.log(1 + (all - containing + 0.5) / (containing + 0.5));
}

/**
 * Weighs a query's terms by the library's statistics and their occurrences in the query. Unknown words keep their
 * weight, so that nonsense queries get low grades.
 */
export function weighQuery(
  statistics: { passages: number; documentFrequencies: readonly number[] },
  occurrences: readonly number[],
): QueryWeights {
  const idf = statistics.documentFrequencies.map((frequency) =>
    inverseDocumentFrequency(statistics.passages, frequency),
  );
  const weights = idf.map((value, term) => value * Math.max(1, occurrences[term] ?? 1));
  const highest = inverseDocumentFrequency(statistics.passages, 0);
  return {
    weights,
    totalWeight: sum(weights),
    meanIdf: idf.length > 0 ? sum(idf.map((value) => Math.min(maxIdf, value))) / idf.length : 0,
    rarity: idf.length > 0 && highest > 0 ? sum(idf) / (idf.length * highest) : 0,
    smallness: Math.log(grownPassages / Math.min(grownPassages, Math.max(1, statistics.passages))),
    together: {
      inWindow: idf.map((value, term) => value * Math.sqrt(Math.max(1, occurrences[term] ?? 1))),
      inPair: idf,
    },
  };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** The inputs of grading a passage. */
export interface GradedPassage {
  /** Occurrences of each of the weighed terms, in their order. */
  frequencies: readonly number[];
  /** Positions of the terms as pairs: the index of a word in the passage and the index of its term. */
  positions: ArrayLike<number>;
  /** Cosine with the query's vector; null if there is none. */
  cosine: number | null;
  /**
   * Share of each term's weight that its occurrences count, above 0 to 1: less than 1 if a substitute matches instead
   * of the typed word.
   */
  shares?: readonly number[];
}

/** The features of a passage. */
export function featuresOf(query: QueryWeights, passage: GradedPassage): Features {
  const { weights, totalWeight, rarity, meanIdf, smallness } = query;
  let score = 0;
  let matched = 0;
  for (let term = 0; term < weights.length; term += 1) {
    const frequency = passage.frequencies[term] ?? 0;
    if (frequency <= 0) continue;
    const weight = (weights[term] ?? 0) * (passage.shares?.[term] ?? 1);
    matched += weight;
    score += (weight * frequency) / (frequency + saturation);
  }
  const { window, pair } = closenessOf(query.together, passage.positions, passage.shares);
  const coverage = totalWeight > 0 ? Math.min(1, matched / totalWeight) : 0;
  return {
    cosine: passage.cosine === null ? null : Math.round(passage.cosine * cosineSteps) / cosineSteps,
    bm25: totalWeight > 0 ? score / totalWeight : 0,
    coverage,
    logWords: Math.log(Math.max(1, weights.length)),
    exactness: coverage ** 4 * Math.max(minRarity, rarity),
    window: window / idfUnit,
    pair: pair / idfUnit,
    rareness: meanIdf / idfUnit,
    smallness,
  };
}

/** A mapping's log odds: the intercept and the features times their coefficients. A missing cosine counts 0. */
export function linear(by: Coefficients, features: Features): number {
  return (
    by.intercept +
    by.cosine * (features.cosine ?? 0) +
    by.bm25 * features.bm25 +
    by.coverage * features.coverage +
    by.logWords * features.logWords +
    by.exactness * features.exactness +
    by.window * features.window +
    by.pair * features.pair +
    by.rareness * features.rareness
  );
}

/**
 * The value that orders passages: the log odds that the passage answers the query. Of the passages without a cosine,
 * one without any word of the query has none: the mapping of words says nothing of it.
 */
export function evidenceOf(model: RelevanceModel, features: Features): number {
  if (features.cosine !== null) return linear(model.hybrid, features);
  return features.coverage > 0 ? linear(model.words, features) : -Infinity;
}

/** Whether a passage is admitted by its meaning alone. */
function isNearEnough(
  { meaningWords, meaningFall, meaningFrom }: RelevanceModel,
  { cosine, logWords, smallness }: Features,
): boolean {
  return cosine !== null && logWords <= Math.log(meaningWords) && cosine + meaningFall * smallness >= meaningFrom;
}

/**
 * Whether a passage is admitted because it contains a whole short query: who types one to three words wants what
 * contains them, also where their vectors are of no use (codes, names).
 */
function containsShortQuery({ meaningWords }: RelevanceModel, { coverage, logWords }: Features): boolean {
  return coverage === 1 && logWords <= Math.log(meaningWords);
}

/** The logistic function: converts log odds to a number from 0 to 1. */
export function logistic(logit: number): number {
  return 1 / (1 + Math.exp(-logit));
}

/**
 * The grade of a passage: its relevance, 0 to 1, and the evidence that orders it. A passage below the floor that is
 * admitted by meaning alone, or by containing a whole short query, has the relevance of the floor.
 */
export function gradeOf(model: RelevanceModel, features: Features): { relevance: number; evidence: number } {
  const evidence = evidenceOf(model, features);
  const relevance = logistic(evidence);
  const isAdmitted = isNearEnough(model, features) || containsShortQuery(model, features);
  return { relevance: isAdmitted ? Math.max(relevance, model.floor) : relevance, evidence };
}

/** Relevance, 0 to 1. */
export function relevanceOf(model: RelevanceModel, features: Features): number {
  return gradeOf(model, features).relevance;
}

/** The confidence of a relevance; null below the floor. */
export function confidenceOf(model: RelevanceModel, relevance: number): 'high' | 'moderate' | 'low' | null {
  if (relevance < model.floor) return null;
  if (relevance < model.bands.moderate) return 'low';
  return relevance < model.bands.high ? 'moderate' : 'high';
}
