import { randomUUID } from 'node:crypto';
import { openLocalEmbeddings } from '../adapters/embeddings/local/local-embeddings.ts';
import type { Passages } from '../adapters/passages/port.ts';
import { openSqlitePassages } from '../adapters/passages/sqlite/sqlite.ts';
import type { Records } from '../adapters/records/port.ts';
import { openSqliteRecords } from '../adapters/records/sqlite/records.ts';
import { collections } from '../app/collections.ts';
import { attributesOf } from '../mixins/indexing/outbox.ts';
import { noFacts, newRun } from '../mixins/indexing/runs.ts';
import { systemRuntime } from '../models/runtime.ts';
import { storedWords } from '../models/passage-words.ts';
import { analyse } from '../models/analyser/analyser.ts';
import { assets as assetsDefinition, openPrincipals, type Asset } from '../models/asset.ts';
import type { IndexedPassage } from '../models/passage.ts';
import { indexRecords } from '../models/passage-index.ts';
import { scopeOf, systemScope } from '../models/scope.ts';
import { modelFolder } from '../scripts/setup/paths.mjs';
import { drawText, englishWords, randomNumbers } from './vocabulary.ts';

/** Passages of each generated file. */
export const passagesPerFile = 10;
/** Words of each generated passage. */
export const wordsPerPassage = 200;
const topicCount = 100;
const organizationCount = 10;

/** Principals by the share of every organization's files that they see. */
export const principals = { '1%': 'few', '30%': 'third', '100%': 'everybody' } as const;

/** A generated library: the organization with half of it, and queries about its topics. */
export interface SearchLibrary {
  organizationId: string;
  queries: readonly string[];
  embeddingModel: string;
}

/** What a program over a generated library is started with: the one model of its vectors, so that none is replaced. */
export const libraryEnvironment = { PLY_LOCAL_MODEL: 'all-MiniLM-L6-v2' };

/** A topic: its words, and the vector that its passages are close to. */
export interface Topic {
  words: readonly string[];
  vector: Float32Array;
}

/**
 * Lets the records know the index that was laid beside them. Otherwise the program compares all files with it after its
 * start, while searches are measured.
 */
export async function rememberIndex(records: Records, passages: Pick<Passages, 'state'>): Promise<void> {
  const { identity, changes } = await passages.state();
  const known = { identity, changes, recovery: null, unrecoverable: 0, retryAt: null };
  await records.collection(indexRecords, systemScope).put({ _id: 'recovery', ...known, version: 1 });
}

/** A ready asset, restricted to the given principals if there are any. */
export function readyAsset(organizationId: string, index: number, granted: readonly string[]): Asset {
  const now = Date.now() - index;
  return {
    _id: randomUUID(),
    organizationId,
    accountId: organizationId,
    externalId: `file-${index}`,
    externalKey: `file-${index}`,
    filename: `file-${index}.txt`,
    kind: 'document',
    sourceUrl: `https://files.example.com/library/file-${index}.txt`,
    sourceVersion: `"version-${index}"`,
    registeredVersions: [randomUUID().replaceAll('-', '')],
    language: 'en',
    audioTrack: null,
    metadata: { department: ['sales', 'research', 'support'][index % 3] ?? '', year: 2000 + (index % 25) },
    collections: [],
    callbackKey: null,
    contentSha256: null,
    extractContentFromVideoFrames: null,
    connectorId: null,
    bucketId: null,
    sealedAccess: null,
    aclMode: granted.length > 0 ? 'restricted' : 'open',
    principals: granted.length > 0 ? [...granted] : [...openPrincipals],
    attributesVersion: 1,
    activeRevision: 1,
    latestRevision: 1,
    facts: { ...noFacts, passages: passagesPerFile },
    embeddedWith: '',
    sourceMissingSince: null,
    createdAt: now,
    updatedAt: now,
    deletedAt: null,
    run: { ...newRun(randomUUID(), 1, now), state: 'ready', stage: 'embedding', phase: 'ended', progress: 100 },
    version: 1,
    outbox: [],
  };
}

/** A unit vector of a passage about a topic. */
export function near(center: Float32Array, random: () => number): Float32Array {
  // Its cosine with the topic's vector is about 0.6, like a passage and a good query.
  const vector = center.map((value) => value + (random() - 0.5) * 0.236);
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
}

/** Topics: short texts of a few words, and their vectors by the model. */
export async function makeTopics(
  words: readonly string[],
  random: () => number,
): Promise<{ topics: Topic[]; model: string }> {
  const embeddings = await openLocalEmbeddings({
    folder: modelFolder,
    threads: 1,
    log: { warn: () => undefined, info: () => undefined },
  });
  try {
    const own = Array.from({ length: topicCount }, (_, topic) => words.slice(100 + topic * 30, 130 + topic * 30));
    const vectors = await embeddings.embed(
      own.map((topicWords) => drawText(topicWords, 12, random)),
      'passage',
    );
    return {
      topics: own.map((topicWords, topic) => ({ words: topicWords, vector: vectors[topic] ?? new Float32Array(384) })),
      model: embeddings.model?.id ?? '',
    };
  } finally {
    await embeddings.close();
  }
}

/**
 * Writes a library into the stores of a data folder through their ports, without reading files: ten organizations, one
 * with half of all passages; files of ten passages of 200 words, each about one of a hundred topics.
 */
export async function makeLibrary(folder: string, passageCount: number): Promise<SearchLibrary> {
  const random = randomNumbers(passageCount);
  const words = englishWords();
  const { topics, model } = await makeTopics(words, random);
  const organizations = Array.from({ length: organizationCount }, () => randomUUID());
  const records = await openSqliteRecords({ folder, runtime: systemRuntime });
  const passages = await openSqlitePassages({ folder, runtime: systemRuntime, readerThreads: 1 });
  try {
    await records.prepare(collections);
    const assets = records.collection(assetsDefinition, systemScope);
    const files = passageCount / passagesPerFile;
    const layFile = async (index: number): Promise<Asset> => {
      const organizationId =
        organizations[index % 2 === 0 ? 0 : 1 + (((index - 1) / 2) % (organizationCount - 1))] ?? '';
      const share = (index * 7919) % 100;
      const asset = readyAsset(organizationId, index, [
        'everybody',
        ...(share < 30 ? ['third'] : []),
        ...(share < 1 ? ['few'] : []),
      ]);
      asset.embeddedWith = model;
      const topic = topics[Math.floor(random() * topics.length)] ?? { words, vector: new Float32Array(384) };
      const rows = Array.from({ length: passagesPerFile }, (_, ordinal): IndexedPassage => {
        const text = `${drawText(topic.words, 40, random)}. ${drawText(words, wordsPerPassage - 40, random)}`;
        const analysed = analyse(text, 'en');
        return {
          ordinal,
          text,
          stems: storedWords(analysed),
          length: analysed.length,
          location: { lineStart: ordinal + 1, lineEnd: ordinal + 1 },
          language: null,
          speaker: null,
          analysedAs: 'en',
          vector: near(topic.vector, random),
        };
      });
      const scope = scopeOf(organizationId);
      await passages.write(scope, { assetId: asset._id, revision: 1, embeddingModel: model }, rows);
      await passages.publish(scope, 1, rows.length, attributesOf(asset));
      return asset;
    };
    const batchSize = 50;
    for (let index = 0; index < files; index += batchSize) {
      const written = await Promise.all(
        Array.from({ length: Math.min(batchSize, files - index) }, (_, offset) => layFile(index + offset)),
      );
      await assets.insertNew(written);
    }
    await rememberIndex(records, passages);
    const queries = Array.from({ length: 200 }, () =>
      drawText(topics[Math.floor(random() * topics.length)]?.words ?? words, 3 + Math.floor(random() * 5), random),
    );
    return { organizationId: organizations[0] ?? '', queries, embeddingModel: model };
  } finally {
    await passages.close();
    await records.close();
  }
}
