import { openLocalEmbeddings } from '../adapters/embeddings/local/local-embeddings.ts';
import type { QueryVector } from '../adapters/passages/port.ts';
import { openSqlitePassages } from '../adapters/passages/sqlite/sqlite.ts';
import { analyse, analyseQuery } from '../models/analyser/analyser.ts';
import { systemRuntime } from '../models/runtime.ts';
import { scopeOf } from '../models/scope.ts';
import { modelFolder } from '../scripts/setup/paths.mjs';
import { planQuery } from '../services/searcher/query.ts';
import { candidatesPerLeg } from '../services/searcher/retrieve.ts';
import type { Figure } from './figures.ts';
import { principals } from './search-library.ts';
import { milliseconds, percentile } from './statistics.ts';

/** Queries of each kind that are measured, and those before them that fill the caches. */
const [measured, warmUp] = [30, 5];

/** A library in a data folder that no program uses. */
export interface MeasuredLibrary {
  folder: string;
  organizationId: string;
  queries: readonly string[];
}

interface Query {
  terms: readonly (readonly string[])[];
  vectors: QueryVector[];
}

async function embedded(queries: readonly string[]): Promise<Query[]> {
  const embeddings = await openLocalEmbeddings({
    folder: modelFolder,
    threads: 1,
    log: { warn: () => undefined, info: () => undefined },
  });
  try {
    const vectors = await embeddings.embed(queries, 'query');
    const model = embeddings.model?.id ?? '';
    return queries.map((query, index) => ({
      terms: planQuery(analyseQuery(query, ['en']), [analyse(query, 'en')], true).terms,
      vectors: [{ model, vector: vectors[index] ?? new Float32Array() }],
    }));
  } finally {
    await embeddings.close();
  }
}

/**
 * Times of the index alone, by leg, for principals that see 1, 30 and 100 percent of the files. The legs take turns, so
 * that each meets the caches that the others left.
 */
export async function measureLegs(name: string, library: MeasuredLibrary): Promise<Figure[]> {
  const queries = await embedded(library.queries.slice(0, measured + warmUp));
  const passages = await openSqlitePassages({
    folder: library.folder,
    runtime: systemRuntime,
    readerThreads: 1,
  });
  const scope = scopeOf(library.organizationId);
  const figures: Figure[] = [];
  try {
    for (const [share, principal] of Object.entries(principals)) {
      const times: Record<'words' | 'meaning' | 'both', number[]> = { words: [], meaning: [], both: [] };
      for (const [index, { terms, vectors }] of queries.entries()) {
        for (const leg of ['words', 'meaning', 'both'] as const) {
          const began = performance.now();
          await passages.retrieve(scope, {
            principals: [principal],
            filter: {},
            terms: leg === 'meaning' ? [] : terms,
            vectors: leg === 'words' ? [] : vectors,
            limit: candidatesPerLeg,
          });
          if (index >= warmUp) times[leg].push(performance.now() - began);
        }
      }
      const shown = (leg: 'words' | 'meaning' | 'both'): string =>
        `${leg} ${milliseconds(percentile(times[leg], 0.5))} (p95 ${milliseconds(percentile(times[leg], 0.95))})`;
      figures.push({
        name: `${name}, principals see ${share}: the index alone, by leg, p50`,
        measured: `${shown('words')}, ${shown('meaning')}`,
        against: shown('both'),
        target: '',
        reached: null,
      });
    }
  } finally {
    await passages.close();
  }
  return figures;
}
