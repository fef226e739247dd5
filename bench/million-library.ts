import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { cp, mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openSqlitePassages } from '../adapters/passages/sqlite/sqlite.ts';
import { openSqliteRecords } from '../adapters/records/sqlite/records.ts';
import { collections } from '../app/collections.ts';
import { attributesOf } from '../mixins/indexing/outbox.ts';
import { systemRuntime } from '../models/runtime.ts';
import { storedWords } from '../models/passage-words.ts';
import { analyse } from '../models/analyser/analyser.ts';
import { assets as assetsDefinition, type Asset } from '../models/asset.ts';
import type { IndexedPassage } from '../models/passage.ts';
import { scopeOf, systemScope } from '../models/scope.ts';
import { standardKey } from './program.ts';
import { withMissingWord } from './real-library.ts';
import {
  makeTopics,
  near,
  passagesPerFile,
  principals,
  readyAsset,
  rememberIndex,
  wordsPerPassage,
  type Topic,
} from './search-library.ts';
import { drawText, englishWords, randomNumbers } from './vocabulary.ts';

/** Number of files in a batch, so that memory does not grow with the library. */
const together = 50;
/** Words of a passage from its topic. */
const topicWords = 40;
/** Queries of a library. */
const queryCount = 200;
const dimensions = 384;
/** Bytes of the code of a passage in the folder of codes: one a dimension, and its id. */
const codeBytes = dimensions + 8;
/** Codes that the index may not have written yet. */
const unwrittenCodes = 4096;
/** Milliseconds between two looks at the codes, and the longest wait for them. */
const [codesEach, maxCodesMs] = [200, 600_000];
/** The name of the file that describes a library in its data folder. */
const descriptionName = 'library.json';

interface Description {
  organizationId: string;
  /** The standard key of programs over it: the first one creates it. */
  key: string;
  /** The embedding model of its vectors. */
  model: string;
  queries: readonly string[];
  /** Some of `queries`, and the same with a word that the library lacks: one of its letters is missing. */
  mistyped: readonly { query: string; missing: string }[];
}

/** A library of one organization in a data folder that no program uses. */
export interface MillionLibrary extends Description {
  folder: string;
  passages: number;
}

/** How a library was laid down. */
export interface Laying {
  /** Passages that it has beyond the library that it was made from. */
  passages: number;
  seconds: number;
  /** Seconds in which the codes of all vectors were made. */
  codesSeconds: number;
}

/**
 * A library of so many passages in a folder of its own below `root`: the one that is there, or a new one, which is made
 * from a smaller one. What is interrupted leaves none.
 */
export async function libraryIn(
  root: string,
  passages: number,
  smaller: MillionLibrary | null,
): Promise<{ library: MillionLibrary; laying: Laying | null }> {
  const folder = join(root, String(passages));
  const description = join(folder, descriptionName);
  if (existsSync(description)) {
    const known = JSON.parse(readFileSync(description, 'utf8')) as Description;
    return { library: { ...known, folder, passages }, laying: null };
  }
  const unfinished = `${folder}.unfinished`;
  await rm(unfinished, { recursive: true, force: true });
  if (smaller === null) await mkdir(unfinished, { recursive: true });
  else await cp(smaller.folder, unfinished, { recursive: true });
  const began = performance.now();
  const own = await layDown(unfinished, smaller, passages);
  const seconds = (performance.now() - began) / 1000;
  const codesSeconds = await makeCodes(unfinished, own, passages);
  writeFileSync(join(unfinished, descriptionName), JSON.stringify(own));
  await rm(folder, { recursive: true, force: true });
  await rename(unfinished, folder);
  return {
    library: { ...own, folder, passages },
    laying: { passages: passages - (smaller?.passages ?? 0), seconds, codesSeconds },
  };
}

/**
 * Generates words and vectors and writes them into the stores of a data folder through their ports, without reading
 * files or using the model for each. A word's stems are computed once, because analysing a million texts takes longer
 * than indexing them. Each file has random numbers of its own, so that a library can be continued later.
 */
async function layDown(folder: string, smaller: MillionLibrary | null, passageCount: number): Promise<Description> {
  const words = englishWords();
  const random = randomNumbers(1_000_000_000);
  const { topics, model } = await makeTopics(words, random);
  const organizationId = smaller?.organizationId ?? randomUUID();
  const scope = scopeOf(organizationId);
  const analysedWords = new Map(words.map((word) => [word, analyse(word, 'en')]));
  const topicAt = (own: () => number): Topic =>
    topics[Math.floor(own() * topics.length)] ?? { words, vector: new Float32Array(dimensions) };

  function passage(topic: Topic, ordinal: number, own: () => number): IndexedPassage {
    const text = `${drawText(topic.words, topicWords, own)}. ${drawText(words, wordsPerPassage - topicWords, own)}`;
    const analysed = text
      .replaceAll('.', '')
      .split(' ')
      .flatMap((word) => analysedWords.get(word) ?? []);
    return {
      ordinal,
      text,
      stems: storedWords(analysed),
      length: analysed.length,
      location: { lineStart: ordinal + 1, lineEnd: ordinal + 1 },
      language: null,
      speaker: null,
      analysedAs: 'en',
      vector: near(topic.vector, own),
    };
  }

  const records = await openSqliteRecords({ folder, runtime: systemRuntime });
  const passages = await openSqlitePassages({ folder, runtime: systemRuntime, readerThreads: 1 });
  const layFile = async (index: number): Promise<Asset> => {
    const own = randomNumbers(index);
    const share = (index * 7919) % 100;
    const asset = {
      ...readyAsset(organizationId, index, [
        principals['100%'],
        ...(share < 30 ? [principals['30%']] : []),
        ...(share < 1 ? [principals['1%']] : []),
      ]),
      embeddedWith: model,
    };
    const topic = topicAt(own);
    const rows = Array.from({ length: passagesPerFile }, (_, ordinal) => passage(topic, ordinal, own));
    await passages.write(scope, { assetId: asset._id, revision: 1, embeddingModel: model }, rows);
    await passages.publish(scope, 1, rows.length, attributesOf(asset));
    return asset;
  };
  try {
    await records.prepare(collections);
    const assets = records.collection(assetsDefinition, systemScope);
    const files = Math.ceil(passageCount / passagesPerFile);
    for (let laid = Math.ceil((smaller?.passages ?? 0) / passagesPerFile); laid < files;) {
      const batch = await Promise.all(
        Array.from({ length: Math.min(together, files - laid) }, (_, index) => layFile(laid + index)),
      );
      await assets.insertNew(batch);
      laid += batch.length;
    }
    await rememberIndex(records, passages);
  } finally {
    await passages.close();
    await records.close();
  }
  if (smaller !== null) {
    const { key, queries, mistyped } = smaller;
    return { organizationId, key, model, queries, mistyped };
  }
  const queries = Array.from({ length: queryCount }, () =>
    drawText(topicAt(random).words, 3 + Math.floor(random() * 5), random),
  );
  const known = new Set([...analysedWords.values()].flatMap((analysed) => analysed.map(({ stem }) => stem)));
  const mistyped = queries.flatMap((query) => {
    const missing = withMissingWord(query, known);
    return missing === null ? [] : [{ query, missing }];
  });
  return { organizationId, key: standardKey, model, queries, mistyped };
}

/**
 * Searches by meaning and waits until the index has codes of all vectors, as a program has a while after its files
 * became ready. Returns the seconds.
 */
async function makeCodes(
  folder: string,
  { organizationId, model }: Description,
  passageCount: number,
): Promise<number> {
  const codes = join(folder, 'passages.codes');
  const bytes = (): number =>
    existsSync(codes) ? readdirSync(codes).reduce((sum, name) => sum + statSync(join(codes, name)).size, 0) : 0;
  const passages = await openSqlitePassages({ folder, runtime: systemRuntime, readerThreads: 1 });
  const began = performance.now();
  try {
    await passages.retrieve(scopeOf(organizationId), {
      principals: [principals['100%']],
      filter: {},
      terms: [],
      vectors: [{ model, vector: new Float32Array(dimensions).fill(1) }],
      limit: 1,
    });
    while (bytes() < (passageCount - unwrittenCodes) * codeBytes) {
      if (performance.now() - began > maxCodesMs) throw new Error('the codes of the library are not made');
      await sleep(codesEach);
    }
  } finally {
    await passages.close();
  }
  return (performance.now() - began) / 1000;
}
