import {
  linear,
  relevanceOf,
  type Coefficients,
  type Features,
  type RelevanceModel,
} from '../../models/relevance/relevance.ts';
import { fitOrder, type Ranking } from './listwise.ts';
import { fitLine, type Line, type Observation } from './logistic.ts';
import { bestPassages, fittedCandidates, type Sample, type SampledPassage } from './samples.ts';

/** Relevance of the floor and of the bands that every shipped mapping is shifted to. */
export const floor = 0.6;
const bands = { moderate: 0.75, high: 0.9 };
/**
 * Share of the queries about something else that may return anything at the floor. A collection that took no part in
 * the fit lets a little more through than those that did: 4 percent here were 5 there.
 */
export const allowedLeak = 0.04;
/** Share of the short queries whose words the collection lacks that may return anything by meaning. */
const allowedMeaningLeak = 0.05;
/** The same for words alone: without a model there is nothing else, and less is known. */
const allowedWordLeak = 0.025;
/** Weight of a short query beside a judged one, where words alone are fitted. */
const shortWeight = 0.3;
/** Maximum words of queries for which meaning alone admits passages. */
const meaningWords = 3;
/** `meaningFall`, measured on libraries of 5 to 400 documents drawn from labelled collections (docs/search.md). */
const meaningFall = 0.02;

const none: Coefficients = {
  intercept: 0,
  cosine: 0,
  bm25: 0,
  coverage: 0,
  logWords: 0,
  exactness: 0,
  window: 0,
  pair: 0,
  rareness: 0,
};

function logit(probability: number): number {
  return Math.log(probability / (1 - probability));
}

/** The value that the given share of the values lies at or below (linear between neighbours). */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  const index = (sorted.length - 1) * share;
  const below = sorted[Math.floor(index)] ?? Number.NaN;
  const above = sorted[Math.ceil(index)] ?? Number.NaN;
  return below === above ? below : below + (above - below) * (index - Math.floor(index));
}

/** The best grade of a sample's passages; -Infinity if there is none. */
export function topOf(
  sample: Sample,
  grade: (features: Features) => number,
  legs: (passage: SampledPassage) => boolean = () => true,
): number {
  return sample.passages.reduce(
    (top, passage) => (legs(passage) ? Math.max(top, grade(passage.features)) : top),
    -Infinity,
  );
}

function observations(
  samples: readonly Sample[],
  inLegs: (passage: SampledPassage) => boolean,
  features: (of: SampledPassage['features']) => number[],
): Observation[] {
  return samples.flatMap((sample) => {
    const chosen = bestPassages(sample.passages.filter(inLegs));
    const weight = (sample.kind === 'short' ? shortWeight : 1) / Math.max(1, chosen.length);
    return chosen.map((passage) => ({ features: features(passage.features), relevant: passage.relevant, weight }));
  });
}

function byWords(passage: SampledPassage): boolean {
  return passage.wordRank !== null && passage.wordRank < fittedCandidates;
}

function byEither(passage: SampledPassage): boolean {
  return byWords(passage) || (passage.meaningRank !== null && passage.meaningRank < fittedCandidates);
}

/** The features of the passage, without those of the query alone. */
const evidence = ['cosine', 'bm25', 'coverage', 'window', 'pair'] as const;

function rankingOf(sample: Sample): Ranking {
  const chosen = bestPassages(sample.passages.filter(byEither));
  return {
    features: chosen.map(({ features }) => evidence.map((name) => features[name])),
    relevant: chosen.map(({ relevant }) => relevant),
    group: sample.collection,
  };
}

/**
 * The order is fitted within queries. A grade is made of it in two steps that leave it as it is: what the query's own
 * properties move the best grade of an answered query away from that of an unanswered one, then a fit of all passages
 * to log odds.
 */
function fitHybrid(judged: readonly Sample[]): Coefficients {
  const order = fitOrder(judged.filter((sample) => sample.relevantDocuments > 0).map(rankingOf), evidence.length);
  const sum = (of: SampledPassage['features']): number =>
    evidence.reduce((total, name, index) => total + of[name] * (order[index] ?? 0), 0);
  const tops = judged.flatMap((sample): Observation[] => {
    const chosen = bestPassages(sample.passages.filter(byEither));
    const [first] = chosen;
    if (first === undefined) return [];
    return [
      {
        features: [
          Math.max(...chosen.map(({ features }) => sum(features))),
          first.features.logWords,
          -first.features.rareness,
        ],
        relevant: sample.relevantDocuments > 0,
        weight: 1,
      },
    ];
  });
  const {
    slopes: [ofBest = 0, ofWords = 0, ofCommonness = 0],
  }: Line = fitLine(tops);
  if (ofBest === 0) throw new Error('what was found tells answered queries from others by nothing');
  const [logWords, rareness] = [ofWords / ofBest, -ofCommonness / ofBest];
  const {
    intercept,
    slopes: [steepness = 0],
  }: Line = fitLine(
    observations(judged, byEither, (of) => [sum(of) + logWords * of.logWords + rareness * of.rareness]),
  );
  const scaled = Object.fromEntries(evidence.map((name, index) => [name, steepness * (order[index] ?? 0)]));
  return { ...none, ...scaled, intercept, logWords: steepness * logWords, rareness: steepness * rareness };
}

/** By words alone rareness is left out: a rare code alone is what this way is for. */
function fitWords(samples: readonly Sample[]): Coefficients {
  const {
    intercept,
    slopes: [bm25 = 0, coverage = 0, logWords = 0, exactness = 0],
  }: Line = fitLine(observations(samples, byWords, (of) => [of.bm25, of.coverage, of.logWords, of.exactness]));
  return { ...none, intercept, bm25, coverage, logWords, exactness };
}

function shifted(coefficients: Coefficients, by: number): Coefficients {
  return { ...coefficients, intercept: coefficients.intercept + by };
}

/**
 * The log odds by the hybrid way that are to be those of the floor: of the queries about something else only the
 * allowed share lies above it, those counted that the other ways let through by themselves.
 */
function hybridAtFloor(model: RelevanceModel, foreign: readonly Sample[]): number {
  const others: RelevanceModel = { ...model, hybrid: { ...none, intercept: -Infinity } };
  const rest = foreign.filter((sample) => topOf(sample, (of) => relevanceOf(others, of)) < floor);
  const allowed = Math.max(0, allowedLeak * foreign.length - (foreign.length - rest.length));
  return quantile(
    rest.map((sample) => topOf(sample, (of) => linear(model.hybrid, of))),
    1 - Math.min(1, allowed / Math.max(1, rest.length)),
  );
}

/**
 * Fits a mapping. The hybrid way learns from judged queries; words alone from these and from short ones. Each way is
 * then shifted so that the floor is the lowest at which few queries about something else pass it, the hybrid one last:
 * with what the others let through.
 */
export function fitRelevance(samples: readonly Sample[], modelId: string): RelevanceModel {
  const judged = samples.filter((sample) => sample.kind === 'judged');
  const foreign = judged.filter((sample) => sample.source !== sample.collection);
  const unanswered = samples.filter(
    (sample) => sample.kind === 'short' && sample.source !== sample.collection && sample.relevantDocuments === 0,
  );
  if (foreign.length === 0 || unanswered.length === 0)
    throw new Error('a floor needs at least two collections about different things');
  const hybrid = fitHybrid(judged);
  const words = fitWords(samples);
  const holdsWords = ({ features }: SampledPassage): boolean => features.coverage > 0;
  const wordsAtFloor = quantile(
    foreign.map((sample) => topOf(sample, (of) => linear(words, of), holdsWords)).filter(Number.isFinite),
    1 - allowedWordLeak,
  );
  const meaningFrom = quantile(
    unanswered.map((sample) => topOf(sample, (of) => of.cosine ?? 0)),
    1 - allowedMeaningLeak,
  );
  const raw: RelevanceModel = {
    modelId,
    hybrid,
    words: shifted(words, logit(floor) - wordsAtFloor),
    meaningWords,
    meaningFall,
    floor,
    bands,
    meaningFrom,
  };
  return { ...raw, hybrid: shifted(hybrid, logit(floor) - hybridAtFloor(raw, foreign)) };
}
