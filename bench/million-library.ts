import { randomUUID } from 'node:crypto';
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
import {
  makeTopics,
  near,
  passagesPerFile,
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

/** A library of one organization that can grow between measurements. */
export interface GrowingLibrary {
  organizationId: string;
  queries: readonly string[];
  /** Adds files until there are this many passages, while no program uses the folder. Returns the elapsed seconds. */
  growTo(passageCount: number): Promise<number>;
}

/**
 * Generates words and vectors and writes them into the stores of a data folder through their ports, without reading
 * files or using the model for each. A word's stems are computed once, because analysing a million texts takes longer
 * than indexing them.
 */
export async function openGrowingLibrary(folder: string): Promise<GrowingLibrary> {
  const random = randomNumbers(1_000_000);
  const words = englishWords();
  const { topics, model } = await makeTopics(words, random);
  const organizationId = randomUUID();
  const scope = scopeOf(organizationId);
  const analysedWords = new Map(words.map((word) => [word, analyse(word, 'en')]));

  function passage(topic: Topic, ordinal: number): IndexedPassage {
    const text = `${drawText(topic.words, topicWords, random)}. ${drawText(words, wordsPerPassage - topicWords, random)}`;
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
      vector: near(topic.vector, random),
    };
  }
  const topicAt = (): Topic => topics[Math.floor(random() * topics.length)] ?? { words, vector: new Float32Array(384) };
  const queries = Array.from({ length: 200 }, () => drawText(topicAt().words, 3 + Math.floor(random() * 5), random));

  let laid = 0;
  async function growTo(passageCount: number): Promise<number> {
    const began = performance.now();
    const records = await openSqliteRecords({ folder, runtime: systemRuntime });
    const passages = await openSqlitePassages({ folder, runtime: systemRuntime, readerThreads: 1 });
    const layFile = async (index: number): Promise<Asset> => {
      const share = (index * 7919) % 100;
      const asset = {
        ...readyAsset(organizationId, index, [
          'everybody',
          ...(share < 30 ? ['third'] : []),
          ...(share < 1 ? ['few'] : []),
        ]),
        embeddedWith: model,
      };
      const topic = topicAt();
      const rows = Array.from({ length: passagesPerFile }, (_, ordinal) => passage(topic, ordinal));
      await passages.write(scope, { assetId: asset._id, revision: 1, embeddingModel: model }, rows);
      await passages.publish(scope, 1, rows.length, attributesOf(asset));
      return asset;
    };
    try {
      await records.prepare(collections);
      const assets = records.collection(assetsDefinition, systemScope);
      for (const files = Math.ceil(passageCount / passagesPerFile); laid < files;) {
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
    return (performance.now() - began) / 1000;
  }
  return { organizationId, queries, growTo };
}
