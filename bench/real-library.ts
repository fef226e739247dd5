import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { openLocalEmbeddings } from '../adapters/embeddings/local/local-embeddings.ts';
import { openSqlitePassages } from '../adapters/passages/sqlite/sqlite.ts';
import { openSqliteRecords } from '../adapters/records/sqlite/records.ts';
import { collections } from '../app/collections.ts';
import { attributesOf } from '../mixins/indexing/outbox.ts';
import { noFacts } from '../mixins/indexing/runs.ts';
import { analyse } from '../models/analyser/analyser.ts';
import { assets as assetsDefinition, type Asset } from '../models/asset.ts';
import { storedWords } from '../models/passage-words.ts';
import { systemRuntime } from '../models/runtime.ts';
import { scopeOf, systemScope } from '../models/scope.ts';
import { readTexts } from '../scripts/fit-relevance/collection.ts';
import { modelFolder } from '../scripts/setup/paths.mjs';
import { readyAsset, rememberIndex } from './search-library.ts';

/** The collection whose texts become files of one passage each, and those whose queries are asked in addition. */
const [textsOf, furtherQueries] = ['nq-boolq', ['wiki-entities', 'medquad', 'cranfield']];
/** Words of a passage, at most, as in the product. */
const maxWords = 200;
/** Files that are embedded and written together. */
const together = 64;
/** Words up to which a query is short, and from which on it is long. */
const [shortWords, longWords] = [3, 10];

/** A library of real texts, and queries by what is special about them. */
export interface RealLibrary {
  organizationId: string;
  files: number;
  /** The text of each file with its vector. */
  texts: readonly { text: string; vector: Float32Array }[];
  /** `missing` has the queries of `plain` in the same order, each with a letter missing in a word that it had. */
  queries: Record<'plain' | 'missing' | 'short' | 'long', readonly string[]>;
}

/** The folder of labelled collections beside the project; null where it is not there. */
export function collectionsFolder(): string | null {
  const root = join(import.meta.dirname, '..');
  return ['..', '../..'].map((above) => join(root, above, 'shared', 'data', 'ir')).find(existsSync) ?? null;
}

/** The query without a letter of its longest word, where the library knows the word and not the result. */
export function withMissingWord(query: string, known: ReadonlySet<string>): string | null {
  const isKnown = (word: string): boolean => analyse(word, 'en').every(({ stem }) => known.has(stem));
  const longest = query.split(/\W+/).toSorted((one, other) => other.length - one.length)[0] ?? '';
  const damaged = longest.slice(0, 3) + longest.slice(4);
  return longest.length >= 6 && isKnown(longest) && !isKnown(damaged) ? query.replace(longest, damaged) : null;
}

/** Writes `count` real texts as files of one passage, open to everybody, into the stores of a data folder. */
export async function makeRealLibrary(folder: string, source: string, count: number): Promise<RealLibrary> {
  const { documents, queries } = readTexts(join(source, textsOf));
  const texts = documents.slice(0, count).map(({ text }) => text.split(/\s+/).slice(0, maxWords).join(' '));
  const organizationId = randomUUID();
  const scope = scopeOf(organizationId);
  const known = new Set<string>();
  const embedded: { text: string; vector: Float32Array }[] = [];
  const embeddings = await openLocalEmbeddings({
    folder: modelFolder,
    threads: availableParallelism(),
    log: { warn: () => undefined, info: () => undefined },
  });
  const records = await openSqliteRecords({ folder, runtime: systemRuntime });
  const passages = await openSqlitePassages({ folder, runtime: systemRuntime, readerThreads: 1 });
  try {
    await records.prepare(collections);
    const model = embeddings.model?.id ?? '';
    for (let first = 0; first < texts.length; first += together) {
      const batch = texts.slice(first, first + together);
      const vectors = await embeddings.embed(batch, 'passage');
      embedded.push(...batch.map((text, index) => ({ text, vector: vectors[index] ?? new Float32Array() })));
      const written = batch.map(async (text, index): Promise<Asset> => {
        const analysed = analyse(text, 'en');
        for (const { stem } of analysed) known.add(stem);
        const laid = readyAsset(organizationId, first + index, []);
        const asset = { ...laid, embeddedWith: model, facts: { ...noFacts, passages: 1 } };
        const row = {
          ordinal: 0,
          text,
          stems: storedWords(analysed),
          length: analysed.length,
          location: { lineStart: 1, lineEnd: 1 },
          language: 'en',
          speaker: null,
          analysedAs: 'en',
          vector: vectors[index] ?? null,
        };
        await passages.publish(scope, 1, 1, attributesOf(asset), { embeddingModel: model, rows: [row] });
        return asset;
      });
      await records.collection(assetsDefinition, systemScope).insertNew(await Promise.all(written));
    }
    await rememberIndex(records, passages);
  } finally {
    await Promise.all([passages.close(), records.close(), embeddings.close()]);
  }
  const own = queries.map(({ text }) => text);
  const all = [
    ...own,
    ...furtherQueries.flatMap((name) => readTexts(join(source, name)).queries.map(({ text }) => text)),
  ];
  const wordsOf = (query: string): number => query.split(/\s+/).length;
  const damaged = own.flatMap((query) => {
    const missing = withMissingWord(query, known);
    return missing === null ? [] : [{ query, missing }];
  });
  return {
    organizationId,
    files: texts.length,
    texts: embedded,
    queries: {
      plain: damaged.map(({ query }) => query),
      missing: damaged.map(({ missing }) => missing),
      short: all.filter((query) => wordsOf(query) <= shortWords),
      long: all.filter((query) => wordsOf(query) >= longWords),
    },
  };
}
