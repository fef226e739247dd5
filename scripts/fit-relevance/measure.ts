import { evidenceOf, relevanceOf, type RelevanceModel } from '../../models/relevance/relevance.ts';
import { topOf } from './fit.ts';
import { bestPassages, fittedCandidates, type Sample, type SampledPassage } from './samples.ts';

/** How a mapping does on one collection. Shares and figures are means over queries. */
export interface Measures {
  collection: string;
  queries: number;
  /** nDCG at 10 of each way of ordering the same candidates, by document. */
  ndcg: { bm25: number; dense: number; rankFusion: number; minMax: number; relevance: number };
  /** Area under the curve that tells relevant candidates from others, both weighing the same. */
  auc: number;
  /** Mean difference between grade and share of relevant ones over ten bins, both weighing the same. */
  calibrationError: number;
  /** Share of judged queries with a result at the floor. */
  kept: number;
  /** By words alone, as without a model: share of judged queries with a result, and of those about something else. */
  wordsAlone: { kept: number; leak: number };
  /** Share of short queries whose words some passage holds that find one of these at the floor. */
  shortKept: number;
  /** For each collection whose queries are about something else: the share with a result at the floor. */
  leaks: { source: string; queries: number; share: number }[];
}

function mean(values: readonly number[]): number {
  return values.length === 0 ? Number.NaN : values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** nDCG at 10 with relevance 0 or 1; a document stands where its best passage does. */
function ndcg(sample: Sample, score: (passage: SampledPassage) => number | null): number {
  const scored = sample.passages
    .flatMap((passage) => {
      const value = score(passage);
      return value === null ? [] : [{ passage, value }];
    })
    .sort((one, other) => other.value - one.value);
  const seen = new Set<number>();
  let gain = 0;
  for (const { passage } of scored) {
    if (seen.has(passage.document)) continue;
    seen.add(passage.document);
    if (passage.relevant) gain += 1 / Math.log2(seen.size + 1);
    if (seen.size === 10) break;
  }
  let ideal = 0;
  for (let index = 1; index <= Math.min(10, sample.relevantDocuments); index += 1) ideal += 1 / Math.log2(index + 1);
  return gain / ideal;
}

/** Reciprocal rank fusion with k 60: Cormack, Clarke and Büttcher, SIGIR 2009. */
function rankFusion({ wordRank, meaningRank }: SampledPassage): number {
  return (wordRank === null ? 0 : 1 / (61 + wordRank)) + (meaningRank === null ? 0 : 1 / (61 + meaningRank));
}

/** The mean of both legs' scores, each stretched to 0 to 1 over what the leg gave for this query. */
function minMaxFusion(sample: Sample): (passage: SampledPassage) => number {
  const scaled = (values: readonly number[]) => {
    const least = Math.min(...values);
    const span = Math.max(...values) - least;
    return (value: number) => (span > 0 ? (value - least) / span : 1);
  };
  const words = scaled(sample.passages.flatMap((passage) => (passage.wordRank === null ? [] : [passage.bm25])));
  const meaning = scaled(
    sample.passages.flatMap((passage) => (passage.meaningRank === null ? [] : [passage.features.cosine])),
  );
  return (passage) =>
    (passage.wordRank === null ? 0 : words(passage.bm25)) / 2 +
    (passage.meaningRank === null ? 0 : meaning(passage.features.cosine)) / 2;
}

interface Weighed {
  grade: number;
  relevant: boolean;
  weight: number;
}

/** All graded candidates of the samples, relevant and others weighing the same. */
function weighedGrades(samples: readonly Sample[], model: RelevanceModel): Weighed[] {
  const all = samples.flatMap((sample) => {
    const passages = bestPassages(
      sample.passages.filter(
        ({ wordRank, meaningRank }) =>
          (wordRank ?? fittedCandidates) < fittedCandidates || (meaningRank ?? fittedCandidates) < fittedCandidates,
      ),
    );
    return passages.map((passage) => ({
      grade: relevanceOf(model, passage.features),
      relevant: passage.relevant,
      weight: 1 / passages.length,
    }));
  });
  const sums = [false, true].map((relevant) =>
    all.reduce((sum, one) => (one.relevant === relevant ? sum + one.weight : sum), 0),
  );
  return all.map((one) => ({ ...one, weight: (one.weight * 0.5) / (sums[one.relevant ? 1 : 0] ?? 1) }));
}

function areaUnderCurve(grades: readonly Weighed[]): number {
  let below = 0;
  let area = 0;
  for (const { relevant, weight } of [...grades].sort((one, other) => one.grade - other.grade)) {
    if (relevant) area += weight * below;
    else below += weight;
  }
  return area / 0.25;
}

/** A tenth of the grades: sums of the weights, of grades and of those of relevant ones, both times their weights. */
interface Bin {
  weight: number;
  grades: number;
  relevant: number;
}

function binsOf(grades: readonly Weighed[]): Bin[] {
  const bins = Array.from({ length: 10 }, () => ({ weight: 0, grades: 0, relevant: 0 }));
  for (const { grade, relevant, weight } of grades) {
    const bin = bins[Math.min(9, Math.floor(grade * 10))];
    if (bin === undefined) continue;
    bin.weight += weight;
    bin.grades += weight * grade;
    bin.relevant += relevant ? weight : 0;
  }
  return bins;
}

function calibrationError(grades: readonly Weighed[]): number {
  return binsOf(grades).reduce((sum, bin) => sum + Math.abs(bin.grades - bin.relevant), 0);
}

/** The grades of a collection's own candidates in tenths, relevant and others weighing the same. */
export function calibrationBins(samples: readonly Sample[], collection: string, model: RelevanceModel): Bin[] {
  return binsOf(
    weighedGrades(
      samples.filter(
        (sample) => sample.kind === 'judged' && sample.collection === collection && sample.source === collection,
      ),
      model,
    ),
  );
}

function passes(
  sample: Sample,
  model: RelevanceModel,
  which: (passage: SampledPassage) => boolean = () => true,
): number {
  return topOf(sample, (features) => relevanceOf(model, features), which) >= model.floor ? 1 : 0;
}

function passesByWords(sample: Sample, model: RelevanceModel): number {
  const top = topOf(
    sample,
    (features) => relevanceOf(model, { ...features, cosine: null }),
    (passage) => passage.wordRank !== null,
  );
  return top >= model.floor ? 1 : 0;
}

/** Measures a mapping on one collection. */
export function measure(samples: readonly Sample[], collection: string, model: RelevanceModel): Measures {
  const put = samples.filter((sample) => sample.collection === collection);
  const own = put.filter((sample) => sample.kind === 'judged' && sample.source === collection);
  const short = put.filter(
    (sample) => sample.kind === 'short' && sample.source === collection && sample.relevantDocuments > 0,
  );
  const foreign = Map.groupBy(
    put.filter((sample) => sample.kind === 'judged' && sample.source !== collection),
    (sample) => sample.source,
  );
  const grades = weighedGrades(own, model);
  return {
    collection,
    queries: own.length,
    ndcg: {
      bm25: mean(own.map((sample) => ndcg(sample, (passage) => (passage.wordRank === null ? null : passage.bm25)))),
      dense: mean(
        own.map((sample) => ndcg(sample, (passage) => (passage.meaningRank === null ? null : passage.features.cosine))),
      ),
      rankFusion: mean(own.map((sample) => ndcg(sample, rankFusion))),
      minMax: mean(own.map((sample) => ndcg(sample, minMaxFusion(sample)))),
      relevance: mean(own.map((sample) => ndcg(sample, (passage) => evidenceOf(model, passage.features)))),
    },
    auc: areaUnderCurve(grades),
    calibrationError: calibrationError(grades),
    kept: mean(own.map((sample) => passes(sample, model))),
    wordsAlone: {
      kept: mean(own.map((sample) => passesByWords(sample, model))),
      leak: mean([...foreign.values()].flat().map((sample) => passesByWords(sample, model))),
    },
    shortKept: mean(short.map((sample) => passes(sample, model, (passage) => passage.relevant))),
    leaks: [...foreign].map(([source, queries]) => ({
      source,
      queries: queries.length,
      share: mean(queries.map((sample) => passes(sample, model))),
    })),
  };
}
