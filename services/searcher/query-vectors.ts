import { modelsOf, type Embeddings } from '../../adapters/embeddings/port.ts';
import type { Passages, QueryVector } from '../../adapters/passages/port.ts';
import { mappingFor, type RelevanceModel } from '../../models/relevance/relevance.ts';
import type { OrganizationScope } from '../../models/scope.ts';
import { OrganizationCache } from './organization-cache.ts';
import { modelReads } from './query.ts';

/** Vectors of a library from which the mean is computed. */
const sampleSize = 256;
/** Milliseconds for which a mean is used. */
const meanTtlMs = 10_000;
/** Passages for which the mean cosine of unrelated texts counts: few passages say little of what is unrelated. */
const assumedPassages = 30;

/** A query's vector, and what its cosines are graded less. */
export interface GradedVector extends QueryVector {
  /**
   * How much the query's mean cosine with passages of the library exceeds that of unrelated texts, at least 0; 0 if cosines
   * are graded as they are.
   */
  excess: number;
}

/** Computes the vectors of queries. */
export interface QueryVectors {
  /**
   * The vectors of a query, one of each model of which the organization's library has vectors and which can read the
   * query. Models that fail are left out, and reported to `onFailure`.
   */
  of(scope: OrganizationScope, query: string, onFailure: (error: unknown) => void): Promise<GradedVector[]>;
  /** To be called when an organization has new files. */
  invalidate(organizationId: string): void;
}

/** The sum of some vectors, and how many there are. */
interface Sample {
  sum: Float64Array;
  count: number;
}

function sampleOf(vectors: readonly Float32Array[], dimensions: number): Sample {
  const sum = new Float64Array(dimensions);
  for (const vector of vectors) {
    const length = Math.hypot(...vector) || 1;
    vector.forEach((value, index) => (sum[index] = (sum[index] ?? 0) + value / length));
  }
  return { sum, count: vectors.length };
}

function meanCosine({ sum, count }: Sample, vector: Float32Array, unrelatedCosine: number): number {
  const total = vector.reduce((all, value, index) => all + value * (sum[index] ?? 0), 0);
  return (total + assumedPassages * unrelatedCosine) / (count + assumedPassages);
}

/** Opens the computation of query vectors for the installed models. */
export function openQueryVectors(
  embeddings: Pick<Embeddings, 'model' | 'embed' | 'further'>,
  passages: Pick<Passages, 'holdsVectors' | 'sampleVectors'>,
  relevance: RelevanceModel,
): QueryVectors {
  const models = modelsOf(embeddings).map(({ model, embed }) => ({
    model,
    embed,
    unrelatedCosine: mappingFor(relevance, model.id).unrelatedCosine,
    samples: new OrganizationCache<Sample>({
      load: async (scope) => sampleOf(await passages.sampleVectors(scope, model, sampleSize), model.dimensions),
      isCacheable: ({ count }) => count > 0,
      ttlMs: meanTtlMs,
    }),
  }));
  const held = new OrganizationCache<readonly boolean[]>({
    load: (scope) =>
      passages.holdsVectors(
        scope,
        models.map(({ model }) => model),
      ),
    isCacheable: (found) => found.includes(true),
  });
  return {
    async of(scope, query, onFailure) {
      const readers = models.map(({ model }) => modelReads(query, model.languages));
      if (!readers.includes(true)) return [];
      // A program with one model asks it at once.
      const isHeld = models.length === 1 ? [true] : await held.get(scope);
      const vectors = await Promise.all(
        models.map(async ({ model, embed, unrelatedCosine, samples }, index): Promise<GradedVector[]> => {
          if (readers[index] !== true || isHeld[index] !== true) return [];
          try {
            const [[vector], sample] = await Promise.all([
              embed([query], 'query', scope.organizationId),
              unrelatedCosine === undefined ? null : samples.get(scope),
            ]);
            if (vector === undefined) return [];
            const excess =
              sample === null || unrelatedCosine === undefined
                ? 0
                : Math.max(0, meanCosine(sample, vector, unrelatedCosine) - unrelatedCosine);
            return [{ model: model.id, vector, excess }];
          } catch (error) {
            onFailure(error);
            return [];
          }
        }),
      );
      return vectors.flat();
    },
    invalidate(organizationId) {
      held.invalidate(organizationId);
    },
  };
}
