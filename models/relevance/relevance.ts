/**
 * How strongly a passage answers a query, as a number from 0 to 1 that can be compared between queries: it depends on
 * the query, the passage and the library's word statistics alone, never on what else was found. docs/search.md explains
 * the formula; the numbers in it are data, fitted for each embedding model.
 */

/** BM25's saturation of repeated words. Robertson and Zaragoza, The Probabilistic Relevance Framework, 2009. */
const saturation = 1.2;
/** BM25's share of the normalisation by passage length. */
const lengthShare = 0.75;
/** Cosines are compared at this step, so that stores that add up floats in another order grade alike. */
const cosineSteps = 10_000;

/** What is known of a passage in the light of a query. */
export interface Features {
  /** Cosine of query and passage vectors, or null where words alone are graded. */
  cosine: number | null;
  /** BM25 over the most that any passage could reach for this query, 0 to 1. */
  bm25: number;
  /** Idf of the matched query words over the idf of all of them, 0 to 1. */
  coverage: number;
  /** Natural logarithm of the number of distinct query words, 0 for none. */
  logWords: number;
  /**
   * How nearly the passage holds the whole of a rare query, 0 to 1: the fourth power of `coverage`, times the mean idf of the query's
   * words over the highest that a word can have in this library. One rare word or code alone is close to 1.
   */
  exactness: number;
}

/** What the features are multiplied by. */
export interface Coefficients {
  intercept: number;
  cosine: number;
  bm25: number;
  coverage: number;
  logWords: number;
  exactness: number;
}

/** A fitted mapping: what a relevance file holds besides its validation. */
export interface RelevanceModel {
  /** Id of the embedding model whose cosines it was fitted on. */
  modelId: string;
  /** For passages with a cosine. */
  hybrid: Coefficients;
  /** For passages that are graded by words alone. Its `cosine` is 0. */
  words: Coefficients;
  /** Least relevance that is returned; confidence `low` starts here. */
  floor: number;
  /** Least relevance of the better confidences. */
  bands: { moderate: number; high: number };
  /** Least cosine that counts as found by meaning when a passage also holds query words. */
  meaningFrom: number;
}

/** The part of a query's weights that its passages share. */
export interface QueryWeights {
  /** Inverse document frequency of each term. */
  idf: readonly number[];
  totalIdf: number;
  /** Highest idf that a word can have in this library: that of a word in none of its passages. */
  highestIdf: number;
  averageLength: number;
}

/**
 * Inverse document frequency in the form that never falls below 0: ln(1 + (N - n + 1/2) / (n + 1/2)).
 * A word that no passage holds gets the highest.
 */
export function inverseDocumentFrequency(passages: number, documentFrequency: number): number {
  const held = Math.min(documentFrequency, passages);
  return Math.log(1 + (passages - held + 0.5) / (held + 0.5));
}

/** Weighs a query's terms by the library's statistics. Unknown words keep their weight, which sinks nonsense. */
export function weighQuery(statistics: { passages: number; averageLength: number; documentFrequencies: readonly number[] }): QueryWeights {
  const idf = statistics.documentFrequencies.map((frequency) => inverseDocumentFrequency(statistics.passages, frequency));
  return {
    idf,
    totalIdf: idf.reduce((sum, value) => sum + value, 0),
    highestIdf: inverseDocumentFrequency(statistics.passages, 0),
    averageLength: Math.max(1, statistics.averageLength),
  };
}

/** The features of a passage: `frequencies` in the order of the weighed terms, `length` in words. */
export function featuresOf(weights: QueryWeights, passage: { frequencies: readonly number[]; length: number; cosine: number | null }): Features {
  const stretch = saturation * (1 - lengthShare + (lengthShare * passage.length) / weights.averageLength);
  let score = 0;
  let matched = 0;
  for (let term = 0; term < weights.idf.length; term += 1) {
    const frequency = passage.frequencies[term] ?? 0;
    const idf = weights.idf[term] ?? 0;
    if (frequency <= 0) continue;
    matched += idf;
    score += (idf * frequency * (saturation + 1)) / (frequency + stretch);
  }
  const { totalIdf, highestIdf, idf } = weights;
  const coverage = totalIdf > 0 ? Math.min(1, matched / totalIdf) : 0;
  const rarity = idf.length > 0 && highestIdf > 0 ? totalIdf / (idf.length * highestIdf) : 0;
  return {
    cosine: passage.cosine === null ? null : Math.round(passage.cosine * cosineSteps) / cosineSteps,
    bm25: totalIdf > 0 ? score / ((saturation + 1) * totalIdf) : 0,
    coverage,
    logWords: Math.log(Math.max(1, idf.length)),
    exactness: coverage ** 4 * rarity,
  };
}

/** The logarithm of the odds that the passage answers the query, by the mapping that fits what is known of it. */
export function logitOf(model: RelevanceModel, features: Features): number {
  const by = features.cosine === null ? model.words : model.hybrid;
  return by.intercept + by.cosine * (features.cosine ?? 0) + by.bm25 * features.bm25 + by.coverage * features.coverage
    + by.logWords * features.logWords + by.exactness * features.exactness;
}

/** The logistic function: log odds to a number from 0 to 1. */
export function logistic(logit: number): number {
  return 1 / (1 + Math.exp(-logit));
}

/** Relevance, 0 to 1. */
export function relevanceOf(model: RelevanceModel, features: Features): number {
  return logistic(logitOf(model, features));
}

/** The confidence of a relevance, or null where it is below the floor. */
export function confidenceOf(model: RelevanceModel, relevance: number): 'high' | 'moderate' | 'low' | null {
  if (relevance < model.floor) return null;
  if (relevance < model.bands.moderate) return 'low';
  return relevance < model.bands.high ? 'moderate' : 'high';
}
