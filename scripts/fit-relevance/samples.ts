import { analyse, analyseQuery } from '../../models/analyser/analyser.ts';
import { featuresOf, weighQuery, type Features } from '../../models/relevance/relevance.ts';
import { planQuery } from '../../services/searcher/query.ts';
import type { JudgedQuery, LabelledCollection } from './collection.ts';
import type { CollectionIndex } from './index.ts';

/** A candidate passage of a sample. */
export interface SampledPassage {
  document: number;
  relevant: boolean;
  features: Features & { cosine: number };
  /** Rank in each leg, from 0; null if the leg did not return it. */
  wordRank: number | null;
  meaningRank: number | null;
  bm25: number;
}

/** A query run on a collection. */
export interface Sample {
  /** The collection that was searched, and the one that the query belongs to. */
  collection: string;
  source: string;
  /**
   * `judged`: with judgements, or of another collection and so about something else. `short`: made of a passage's
   * words.
   */
  kind: 'judged' | 'short';
  /** Distinct words. */
  words: number;
  relevantDocuments: number;
  passages: SampledPassage[];
}

/** Candidates of each leg in the product. */
export const evaluatedCandidates = 200;

/** Candidates of each leg that a fit learns from. */
export const fittedCandidates = 50;

/** A collection with its index. */
export interface IndexedCollection {
  collection: LabelledCollection;
  index: CollectionIndex;
}

function sampleOf(
  searched: IndexedCollection,
  query: string,
  vector: Float32Array,
  relevantOf: (document: number, frequencies: readonly number[]) => boolean,
): Omit<Sample, 'collection' | 'source' | 'kind' | 'relevantDocuments'> {
  const plan = planQuery(analyseQuery(query, ['en']), [analyse(query, 'en')], true);
  const found = searched.index.find(plan.terms, plan.occurrences, vector, evaluatedCandidates);
  const weights = weighQuery(found.statistics, plan.occurrences);
  const wordRanks = new Map(found.byWords.map((passage, index) => [passage, index]));
  const meaningRanks = new Map(found.byMeaning.map((passage, index) => [passage, index]));
  const passages = found.passages.map((passage) => ({
    document: passage.document,
    relevant: relevantOf(passage.document, passage.frequencies),
    features: { ...featuresOf(weights, passage), cosine: passage.cosine },
    wordRank: wordRanks.get(passage.passage) ?? null,
    meaningRank: meaningRanks.get(passage.passage) ?? null,
    bm25: found.scores.get(passage.passage) ?? 0,
  }));
  return { words: plan.terms.length, passages };
}

/** Puts a judged query to a collection: its own, or one about something else, in which nothing is relevant. */
export function judgedSample(
  searched: IndexedCollection,
  source: string,
  query: JudgedQuery,
  vector: Float32Array,
): Sample {
  const { documents, name } = searched.collection;
  const own = name === source;
  const sample = sampleOf(
    searched,
    query.text,
    vector,
    (document) => own && query.relevant.has(documents[document]?.id ?? ''),
  );
  return { ...sample, collection: name, source, kind: 'judged', relevantDocuments: own ? query.relevant.size : 0 };
}

/** Puts a short query to a collection: what holds all its words is relevant. */
export function shortSample(searched: IndexedCollection, source: string, query: string, vector: Float32Array): Sample {
  const sample = sampleOf(
    searched,
    query,
    vector,
    (_, frequencies) => frequencies.length > 0 && frequencies.every((frequency) => frequency > 0),
  );
  const relevantDocuments = new Set(
    sample.passages.filter((passage) => passage.relevant).map((passage) => passage.document),
  ).size;
  return { ...sample, collection: searched.collection.name, source, kind: 'short', relevantDocuments };
}

/** For each document its most telling passage, so that a long document is no more observations than a short one. */
export function bestPassages(passages: readonly SampledPassage[]): SampledPassage[] {
  const strength = ({ features }: SampledPassage): number =>
    features.cosine + 0.5 * features.bm25 + 0.2 * features.coverage;
  const best = new Map<number, SampledPassage>();
  for (const passage of passages) {
    const known = best.get(passage.document);
    if (known === undefined || strength(passage) > strength(known)) best.set(passage.document, passage);
  }
  return [...best.values()];
}
