import { analyse } from '../../models/analyser/analyser.ts';
import type { TermStatistics } from '../../adapters/passages/port.ts';
import { matchTerms } from '../../adapters/passages/term-matches.ts';
import { inverseDocumentFrequency } from '../../models/relevance/relevance.ts';
import type { LabelledCollection } from './collection.ts';

interface Posting {
  passage: number;
  frequency: number;
}

/** A passage found by a leg, with the values that grading needs. */
export interface FoundPassage {
  passage: number;
  /** Index of its document in the collection. */
  document: number;
  frequencies: number[];
  /** As in `Candidate.positions`. */
  positions: number[];
  cosine: number;
}

/** Candidates of a query. */
export interface Found {
  /** Union of both legs. */
  passages: FoundPassage[];
  statistics: TermStatistics;
  /** BM25 of each passage that contains a query word. */
  scores: ReadonlyMap<number, number>;
  /** The legs' passages, best first. */
  byWords: number[];
  byMeaning: number[];
}

/** A collection in memory: exact search by words and by vectors, with the product's analyser and statistics. */
export class CollectionIndex {
  readonly documentOf: number[] = [];
  private readonly lengths: number[] = [];
  private readonly words: string[] = [];
  private readonly postings = new Map<string, Posting[]>();
  private readonly vectors: Float32Array;
  private readonly dimensions: number;
  private readonly averageLength: number;

  /** `vectorOf` returns the unit vector of a passage's text. */
  constructor(collection: LabelledCollection, dimensions: number, vectorOf: (text: string) => Float32Array) {
    this.dimensions = dimensions;
    const texts = collection.documents.flatMap((document, index) => document.passages.map((text) => ({ text, index })));
    this.vectors = new Float32Array(texts.length * dimensions);
    let total = 0;
    for (const [passage, { text, index }] of texts.entries()) {
      this.documentOf.push(index);
      this.vectors.set(vectorOf(text), passage * dimensions);
      const words = analyse(text, 'en');
      this.lengths.push(words.length);
      this.words.push(words.map(({ stem }) => stem).join(' '));
      total += words.length;
      const counts = new Map<string, number>();
      for (const { stem } of words) counts.set(stem, (counts.get(stem) ?? 0) + 1);
      for (const [stem, frequency] of counts) {
        const list = this.postings.get(stem);
        if (list === undefined) this.postings.set(stem, [{ passage, frequency }]);
        else list.push({ passage, frequency });
      }
    }
    this.averageLength = total / Math.max(1, texts.length);
  }

  /** Number of passages. */
  get size(): number {
    return this.lengths.length;
  }

  /** Both legs' best `limit` passages. */
  find(
    terms: readonly (readonly string[])[],
    occurrences: readonly number[],
    vector: Float32Array,
    limit: number,
  ): Found {
    const frequencies = terms.map((stems) => {
      const held = new Map<number, number>();
      for (const stem of stems)
        for (const { passage, frequency } of this.postings.get(stem) ?? [])
          held.set(passage, (held.get(passage) ?? 0) + frequency);
      return held;
    });
    const statistics = {
      passages: this.size,
      averageLength: this.averageLength,
      documentFrequencies: frequencies.map((held) => held.size),
    };
    const scores = this.bm25(frequencies, occurrences);
    const cosines = this.cosines(vector);
    const byWords = [...scores]
      .sort((one, other) => other[1] - one[1] || one[0] - other[0])
      .slice(0, limit)
      .map(([passage]) => passage);
    const byMeaning = best(cosines, limit);
    const passages = [...new Set([...byWords, ...byMeaning])].map((passage) => ({
      passage,
      document: this.documentOf[passage] ?? 0,
      ...matchTerms(this.words[passage] ?? '', terms),
      cosine: cosines[passage] ?? 0,
    }));
    return { passages, statistics, scores, byWords, byMeaning };
  }

  private bm25(
    frequencies: readonly ReadonlyMap<number, number>[],
    occurrences: readonly number[],
  ): Map<number, number> {
    const scores = new Map<number, number>();
    for (const [term, held] of frequencies.entries()) {
      const idf = inverseDocumentFrequency(this.size, held.size) * (occurrences[term] ?? 1);
      for (const [passage, frequency] of held) {
        const lengthFactor = 1.2 * (0.25 + (0.75 * (this.lengths[passage] ?? 0)) / this.averageLength);
        scores.set(passage, (scores.get(passage) ?? 0) + (idf * frequency * 2.2) / (frequency + lengthFactor));
      }
    }
    return scores;
  }

  private cosines(vector: Float32Array): Float32Array {
    const { dimensions, vectors } = this;
    const cosines = new Float32Array(this.size);
    for (let passage = 0; passage < cosines.length; passage += 1) {
      let sum = 0;
      const at = passage * dimensions;
      for (let index = 0; index < dimensions; index += 1) sum += (vectors[at + index] ?? 0) * (vector[index] ?? 0);
      cosines[passage] = sum;
    }
    return cosines;
  }
}

/** Indexes of the highest values, best first. */
function best(values: Float32Array, count: number): number[] {
  const positions = Uint32Array.from(values, (_, index) => index);
  return [
    ...positions.sort((one, other) => (values[other] ?? 0) - (values[one] ?? 0) || one - other).subarray(0, count),
  ];
}
