import { closenessOf, type ClosenessWeights } from './closeness.ts';

/**
 * How strongly a passage answers a query, as a number from 0 to 1 that can be compared between queries: it depends on
 * the query, the passage and the library's word statistics alone, never on what else was found. docs/search.md explains
 * the formula; the numbers in it are data, fitted for each embedding model.
 */

/**
 * BM25's saturation of repeated words, k1 (Robertson and Zaragoza, The Probabilistic Relevance Framework, 2009). Its
 * normalisation by length is left out: passages are cut to about one length, and grades were better without it.
 */
const saturation = 2;
/** What sums of idf are divided by, so that these features are of the others' size. */
const idfUnit = 10;
/** Rarity that the commonest words are taken to have where a passage holds the whole query. */
const leastRarity = 0.3;
/** Cosines are compared at this step, so that stores that add up floats in another order grade alike. */
const cosineSteps = 10_000;

/** What is known of a passage in the light of a query. */
export interface Features {
  /** Cosine of query and passage vectors, or null where words alone are graded. */
  cosine: number | null;
  /** BM25 (k1 2, b 0) over the most that any passage could reach for this query, 0 to 1. */
  bm25: number;
  /** Weight of the matched query words over the weight of all of them, 0 to 1. */
  coverage: number;
  /** Natural logarithm of the number of distinct query words, 0 for none. */
  logWords: number;
  /**
   * How nearly the passage holds the whole of a rare query, 0 to 1: the fourth power of `coverage`, times the mean idf
   * of the query's words over the highest that a word can have in this library. One rare word or code alone is close
   * to 1. Words that most passages hold count as not quite so common: who types one word alone wants what holds it.
   */
  exactness: number;
  /** The most that distinct query words weigh within ten words of the passage, over 10: idf times the root of the occurrences in the query. */
  window: number;
  /** The most that two unlike query words weigh that follow each other at most five places apart, over 10: the sum of their idf. */
  pair: number;
  /** Mean idf of the query's words, over 10: the same for all passages. It says how unusual the query is in this library. */
  rareness: number;
  /** How much smaller the library is than those that mappings are fitted on: the natural logarithm of 1,500 over its passages, 0 for a larger one. */
  smallness: number;
}

/**
 * What the features are multiplied by. What a passage has to say for itself has slopes at or above 0: more evidence never
 * lowers a grade. `rareness` is the query's alone, and its slope at or below 0: a query of words that the library hardly
 * knows is the likelier one about something else.
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
 * A fitted mapping: what a relevance file holds besides its validation. A passage is as relevant as the stronger of its
 * two ways says; both are shifted so that one floor and one set of bands hold for them. Meaning alone lets a passage in
 * and says nothing of its order.
 */
export interface RelevanceModel {
  /** Id of the embedding model whose cosines it was fitted on. */
  modelId: string;
  /** By words and meaning together: for passages with a cosine. */
  hybrid: Coefficients;
  /** By words alone: for passages without a cosine, and for those that hold every word of the query. Its `cosine` is 0. */
  words: Coefficients;
  /** Longest queries of which meaning alone lets passages in: a word that is missing from such a one says little. */
  meaningWords: number;
  /**
   * By how much the cosine that meaning alone asks for (`meaningFrom`) falls with a `smallness` of 1. Among few passages
   * the nearest one about something else is less near by chance than among many.
   */
  meaningFall: number;
  /** Least relevance that is returned; confidence `low` starts here. */
  floor: number;
  /** Least relevance of the better confidences. */
  bands: { moderate: number; high: number };
  /** Least cosine that counts as found by meaning: beside query words that the passage holds, and of a short query without any. */
  meaningFrom: number;
}

/** The part of a query's weights that its passages share. */
export interface QueryWeights {
  /** Inverse document frequency of each term, times its occurrences in the query. */
  weights: readonly number[];
  totalWeight: number;
  /** Mean idf of the terms over the highest that a word can have in this library, that of a word in no passage. */
  rarity: number;
  /** Mean idf of the terms; 0 for none. */
  meanIdf: number;
  /** As in `Features`. */
  smallness: number;
  /** What the terms weigh where they stand together. */
  together: ClosenessWeights;
}

/**
 * Passages of a library that nobody has seen, which every library is taken to hold besides its own: of few passages alone
 * it cannot be said which words are rare.
 */
const unseenPassages = 30;

/** Passages from which on a library is no small one: the mappings were fitted on libraries of 1,600 and more. */
const grownPassages = 1500;

/**
 * Inverse document frequency in the form that never falls below 0, ln(1 + (N - n + 1/2) / (n + 1/2)), over the library and
 * the unseen passages. Of these a word is taken to stand in one where the library is small, and in none where it is large.
 * So a word that a small library lacks weighs hardly more than one that it holds once, as in a large one. A word that
 * no passage holds gets the highest.
 */
export function inverseDocumentFrequency(passages: number, documentFrequency: number): number {
  const all = passages + unseenPassages;
  const held = Math.min(documentFrequency, passages) + unseenPassages / Math.max(1, all);
  return Math.log(1 + (all - held + 0.5) / (held + 0.5));
}

/**
 * Weighs a query's terms by the library's statistics and by how often each stands in the query. Unknown words keep
 * their weight, which sinks nonsense.
 */
export function weighQuery(statistics: { passages: number; documentFrequencies: readonly number[] }, occurrences: readonly number[]): QueryWeights {
  const idf = statistics.documentFrequencies.map((frequency) => inverseDocumentFrequency(statistics.passages, frequency));
  const weights = idf.map((value, term) => value * Math.max(1, occurrences[term] ?? 1));
  const highest = inverseDocumentFrequency(statistics.passages, 0);
  return {
    weights,
    totalWeight: sum(weights),
    meanIdf: idf.length > 0 ? sum(idf) / idf.length : 0,
    rarity: idf.length > 0 && highest > 0 ? sum(idf) / (idf.length * highest) : 0,
    smallness: Math.log(grownPassages / Math.min(grownPassages, Math.max(1, statistics.passages))),
    together: { inWindow: idf.map((value, term) => value * Math.sqrt(Math.max(1, occurrences[term] ?? 1))), inPair: idf },
  };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** What is graded of a passage. */
export interface GradedPassage {
  /** How often it holds each of the weighed terms, in their order. */
  frequencies: readonly number[];
  /** Where they stand: a place of the passage and a term, one after the other. */
  places: ArrayLike<number>;
  /** Cosine with the query's vector; null where there is none. */
  cosine: number | null;
  /** What each term's occurrences count of its weight, above 0 to 1: less than 1 where another word stands in for the one that was typed. */
  shares?: readonly number[];
}

/** The features of a passage. */
export function featuresOf(query: QueryWeights, passage: GradedPassage): Features {
  return setFeatures(noFeatures(), query, passage);
}

/** Features that are still to be set. */
export function noFeatures(): Features {
  return { cosine: null, bm25: 0, coverage: 0, logWords: 0, exactness: 0, window: 0, pair: 0, rareness: 0, smallness: 0 };
}

/** The same in features that are there already: a search looks at hundreds of passages, one after the other. */
export function setFeatures(features: Features, query: QueryWeights, passage: GradedPassage): Features {
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
  const { window, pair } = closenessOf(query.together, passage.places, passage.shares);
  const coverage = totalWeight > 0 ? Math.min(1, matched / totalWeight) : 0;
  features.cosine = passage.cosine === null ? null : Math.round(passage.cosine * cosineSteps) / cosineSteps;
  features.bm25 = totalWeight > 0 ? score / totalWeight : 0;
  features.coverage = coverage;
  features.logWords = Math.log(Math.max(1, weights.length));
  features.exactness = coverage ** 4 * Math.max(leastRarity, rarity);
  features.window = window / idfUnit;
  features.pair = pair / idfUnit;
  features.rareness = meanIdf / idfUnit;
  features.smallness = smallness;
  return features;
}

/** A mapping's log odds: the intercept and the features times their coefficients. A missing cosine counts 0. */
export function linear(by: Coefficients, features: Features): number {
  return by.intercept + by.cosine * (features.cosine ?? 0) + by.bm25 * features.bm25 + by.coverage * features.coverage
    + by.logWords * features.logWords + by.exactness * features.exactness + by.window * features.window + by.pair * features.pair + by.rareness * features.rareness;
}

/** What orders passages: the logarithm of the odds that the passage answers the query, by the stronger of the ways that apply. */
export function evidenceOf(model: RelevanceModel, features: Features): number {
  const { cosine, coverage } = features;
  const byWords = cosine === null || coverage === 1 ? linear(model.words, features) : -Infinity;
  return cosine === null ? byWords : Math.max(byWords, linear(model.hybrid, features));
}

/** Whether a passage is let in by its meaning alone. */
function isNearEnough({ meaningWords, meaningFall, meaningFrom }: RelevanceModel, { cosine, logWords, smallness }: Features): boolean {
  return cosine !== null && logWords <= Math.log(meaningWords) && cosine + meaningFall * smallness >= meaningFrom;
}

/** The logistic function: log odds to a number from 0 to 1. */
export function logistic(logit: number): number {
  return 1 / (1 + Math.exp(-logit));
}

/** What a passage is graded with: its relevance, 0 to 1, and the evidence that orders it. What meaning alone lets in has the least relevance that is returned. */
export function gradeOf(model: RelevanceModel, features: Features): { relevance: number; evidence: number } {
  const evidence = evidenceOf(model, features);
  const relevance = logistic(evidence);
  return { relevance: relevance < model.floor && isNearEnough(model, features) ? model.floor : relevance, evidence };
}

/** Relevance, 0 to 1. */
export function relevanceOf(model: RelevanceModel, features: Features): number {
  return gradeOf(model, features).relevance;
}

/** The confidence of a relevance, or null where it is below the floor. */
export function confidenceOf(model: RelevanceModel, relevance: number): 'high' | 'moderate' | 'low' | null {
  if (relevance < model.floor) return null;
  if (relevance < model.bands.moderate) return 'low';
  return relevance < model.bands.high ? 'moderate' : 'high';
}
