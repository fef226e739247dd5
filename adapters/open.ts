import { existsSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import type { Transporters } from 'moleculer';
import type { Logger } from 'pino';
import type { Runtime } from '../models/runtime.ts';
import type { Configuration } from '../models/configuration/configuration.ts';
import type { ForeignInstallation, Installation } from '../models/installation.ts';
import type { Role } from '../models/configuration/table.ts';
import type { Blobs } from './blobs/port.ts';
import type { Chat } from './chat/port.ts';
import type { Counters } from './counters/port.ts';
import type { Embeddings } from './embeddings/port.ts';
import type { Objects } from './objects/port.ts';
import type { Passages } from './passages/port.ts';
import type { StageQueue } from './queue/port.ts';
import type { Records } from './records/port.ts';
import type { Transcriber } from './speech/port.ts';
import type { Stage } from '../models/job.ts';
import { unusedCounters, unusedObjects, unusedPassages, unusedQueue, unusedSpeech } from './unused.ts';

/** The adapters that a process works with. */
export interface Stores {
  records: Records;
  passages: Passages;
  counters: Counters;
  queue: StageQueue;
  blobs: Blobs;
  objects: Objects;
  embeddings: Embeddings;
  speech: Transcriber;
  /** The model that writes answers; null where none is configured, or this process answers nothing. */
  chat: Chat | null;
}

/** What the adapters are made from. */
export interface StoreOptions {
  configuration: Configuration;
  runtime: Runtime;
  log: Logger;
  /** Name of this process, shown where servers list their connections. */
  nodeId: string;
  /** Folders of the local embedding models, preferred first, whether they are there or not. */
  modelFolders: readonly string[];
  /** Folder of the local speech model, whether it is there or not; without it pocketsphinx transcribes. */
  speechModelFolder?: string;
  /** Told of each message of the stage queue that cannot be read. */
  unreadable?(stage: Stage): void;
  /**
   * Looks at the records before any other store is opened, and before anything is made in any of them: what it throws
   * stops the opening. A queue of a cluster needs the installation that it returns.
   */
  expect?(records: Records): Promise<Installation>;
}

/** Which parts use which store. Everybody uses the records. */
const users: { readonly [S in Exclude<keyof Stores, 'records'>]: readonly Role[] } = {
  passages: ['registrar', 'scheduler', 'extractor', 'transcriber', 'embedder', 'searcher'],
  counters: ['gateway', 'accounts', 'storage', 's3', 'blob'],
  queue: ['scheduler', 'extractor', 'transcriber', 'embedder', 'storage', 'encoder', 'webhooks'],
  blobs: ['registrar', 'scheduler', 'extractor', 'transcriber', 'embedder'],
  objects: ['storage', 'delivery', 's3', 'blob', 'extractor', 'encoder'],
  embeddings: ['embedder', 'searcher'],
  speech: ['transcriber'],
  chat: ['searcher'],
};

/** Whether a process with these roles uses a store: it is neither opened nor waited for where it is not. */
export function usesStore(roles: readonly Role[], store: keyof Stores): boolean {
  return store === 'records' || users[store].some((role) => roles.includes(role));
}

/**
 * The one place that decides which adapter serves a port. Adapters of the cluster are loaded only where they are used,
 * so that the embedded program stays small and starts fast; a store that no part of this process uses is not opened.
 */
export async function openStores(options: StoreOptions): Promise<Stores> {
  const { configuration, runtime } = options;
  const uses = (store: keyof Stores): boolean => usesStore(configuration.PLY_ROLES, store);
  const records = await openRecords(options);
  let installation: Installation | null = null;
  try {
    installation = (await options.expect?.(records)) ?? null;
  } catch (error) {
    await records.close();
    throw error;
  }
  const [passages, counters, queue, blobs, objects, embeddings, speech, chat] = await Promise.all([
    uses('passages') ? openPassages(options, records) : unusedPassages(),
    uses('counters') ? openCounters(options) : unusedCounters(),
    uses('queue') ? openQueue(options, installation) : unusedQueue(),
    (await import('./blobs/open.ts')).openBlobs(
      configuration.PLY_BLOBS_URL,
      join(dataFolder(options), 'blobs'),
      runtime,
      configuration.PLY_MONGO_URL === null ? records : null,
    ),
    uses('objects')
      ? (await import('./objects/open.ts')).openObjects(
          configuration.PLY_OBJECTS_URL,
          join(dataFolder(options), 'objects'),
          runtime,
        )
      : unusedObjects(),
    openEmbeddings(options),
    uses('speech') ? openSpeech(options) : unusedSpeech(),
    uses('chat') ? openChat(options) : null,
  ]);
  return { records, passages, counters, queue, blobs, objects, embeddings, speech, chat };
}

function dataFolder({ configuration }: StoreOptions): string {
  return resolve(configuration.PLY_DATA_DIR);
}

async function openRecords(options: StoreOptions): Promise<Records> {
  const { PLY_MONGO_URL: url, PLY_MONGO_DATABASE: database } = options.configuration;
  const { runtime, log } = options;
  if (url !== null) return (await import('./records/mongo/records.ts')).openMongoRecords({ url, database, runtime });
  return (await import('./records/sqlite/records.ts')).openSqliteRecords({
    folder: dataFolder(options),
    runtime,
    onBroken,
  });

  // Without its records a program can do nothing but refuse; one that starts anew goes on where this one stopped.
  function onBroken(cause: Error): void {
    log.fatal({ err: cause }, 'the records store is lost: the program ends, start it again');
    process.exit(1);
  }
}

async function openPassages(options: StoreOptions, records: Records): Promise<Passages> {
  const {
    PLY_MILVUS_URL: url,
    PLY_MILVUS_COLLECTION: collectionPrefix,
    PLY_READER_THREADS: readerThreads,
    PLY_VECTOR_MEMORY_MB: vectorMebibytes,
  } = options.configuration;
  const { runtime, log } = options;
  if (url !== null)
    return (await import('./passages/milvus/milvus.ts')).openMilvusPassages({
      url,
      collectionPrefix,
      runtime,
      records,
    });
  return (await import('./passages/sqlite/sqlite.ts')).openSqlitePassages({
    folder: dataFolder(options),
    runtime,
    readerThreads,
    vectorBytes: vectorMebibytes * 2 ** 20,
    log,
  });
}

async function openCounters(options: StoreOptions): Promise<Counters> {
  const { PLY_REDIS_URL: url } = options.configuration;
  const { runtime } = options;
  if (url !== null) return (await import('./counters/redis.ts')).openRedisCounters({ url, runtime });
  return (await import('./counters/embedded.ts')).openEmbeddedCounters({ folder: dataFolder(options), runtime });
}

async function openQueue(options: StoreOptions, installation: Installation | null): Promise<StageQueue> {
  const { PLY_NATS_URL: url } = options.configuration;
  const { runtime, nodeId, log } = options;
  if (url !== null) {
    if (installation === null) throw new Error('the queue of a cluster needs the id of its installation');
    return (await import('./queue/jetstream.ts')).openJetStreamQueue({ url, name: nodeId, installation, unreadable });
  }
  return (await import('./queue/embedded.ts')).openEmbeddedQueue({ runtime });

  function unreadable(stage: Stage, bytes: number): void {
    log.warn(
      { stage, bytes },
      'a message of the stage queue cannot be read and is ended: its job is offered anew from the records',
    );
    options.unreadable?.(stage);
  }
}

async function openEmbeddings(options: StoreOptions): Promise<Embeddings> {
  const { configuration, runtime } = options;
  const threads = configuration.PLY_EMBEDDING_THREADS;
  if (configuration.PLY_EMBEDDINGS_URL !== null) {
    const { openOpenAiEmbeddings } = await import('./embeddings/openai/openai.ts');
    return openOpenAiEmbeddings({
      url: configuration.PLY_EMBEDDINGS_URL,
      model: configuration.PLY_EMBEDDINGS_MODEL,
      key: configuration.PLY_EMBEDDINGS_KEY,
      dimensions: configuration.PLY_EMBEDDINGS_DIMENSIONS,
      languages:
        configuration.PLY_EMBEDDINGS_LANGUAGES === '*'
          ? null
          : configuration.PLY_EMBEDDINGS_LANGUAGES.split(',').map((language) => language.trim()),
      runtime,
    });
  }
  if (threads === 0) return (await import('./embeddings/absent.ts')).absentEmbeddings('PLY_EMBEDDING_THREADS is 0');
  return openLocalModels(options, threads);
}

async function openLocalModels(options: StoreOptions, threads: number): Promise<Embeddings> {
  const { configuration, log, modelFolders } = options;
  const isInstalled = (folder: string): boolean => existsSync(join(folder, 'model.json'));
  const missing = modelFolders.filter((folder) => !isInstalled(folder)).map((folder) => basename(folder));
  const absence =
    missing.length === 0
      ? null
      : `the embedding model ${missing.join(' and ')} is not installed; npm start fetches it when Python's pip is there`;
  const isNamedOnly = !usesStore(configuration.PLY_ROLES, 'embeddings');
  const [first, ...further] = await Promise.all(
    modelFolders.filter(isInstalled).map(async (folder, index) =>
      // Others want to know which model it is, and no threads that hold it.
      isNamedOnly
        ? (await import('./embeddings/local/named.ts')).namedEmbeddings(folder)
        : (await import('./embeddings/local/local-embeddings.ts')).openLocalEmbeddings({
            folder,
            threads,
            log,
            // A library in the languages of the first model never needs the others.
            loadsLater: index > 0,
          }),
    ),
  );
  if (first === undefined)
    return (await import('./embeddings/absent.ts')).absentEmbeddings(absence ?? 'no embedding model is configured');
  if (further.length === 0 && absence === null) return first;
  return (await import('./embeddings/by-language.ts')).embeddingsByLanguage(first, further, absence);
}

async function openSpeech(options: StoreOptions): Promise<Transcriber> {
  const { configuration, runtime, log } = options;
  const { PLY_SPEECH_URL: url, PLY_SPEECH_SECONDS: seconds, PLY_SPEECH_LANGUAGES: languages } = configuration;
  if (configuration.PLY_TRANSCRIBER_WORKERS === 0)
    return (await import('./speech/absent.ts')).absentTranscriber('PLY_TRANSCRIBER_WORKERS is 0');
  if (url !== null) {
    const { openOpenAiTranscriber } = await import('./speech/openai/openai.ts');
    return openOpenAiTranscriber({
      url,
      model: configuration.PLY_SPEECH_MODEL,
      key: configuration.PLY_SPEECH_KEY,
      languages: languages === '*' ? null : languages.split(',').map((language) => language.trim()),
      seconds,
      runtime,
    });
  }
  const folder = options.speechModelFolder;
  if (folder === undefined || configuration.PLY_LOCAL_TRANSCRIBER === 'pocketsphinx') return openPocketsphinx(options);
  return (await import('./speech/local.ts')).LocalTranscriber.open({
    folder,
    openModel: async () =>
      (await import('./speech/whisper/whisper.ts')).openWhisper({
        folder,
        processes: configuration.PLY_TRANSCRIBER_WORKERS,
        memoryMegabytes: configuration.PLY_SPEECH_MEMORY_MB,
        seconds,
      }),
    openSubstitute: () => openPocketsphinx(options),
    log,
  });
}

async function openPocketsphinx(options: StoreOptions): Promise<Transcriber> {
  const { configuration, runtime, nodeId } = options;
  const program = await (
    await import('./speech/pocketsphinx/find-program.ts')
  ).findProgram('pocketsphinx_continuous', process.env['PATH']);
  if (program === null)
    return (await import('./speech/absent.ts')).absentTranscriber(
      'pocketsphinx is not installed (on Debian: apt-get install pocketsphinx pocketsphinx-en-us), and PLY_SPEECH_URL names no speech server',
    );
  return (await import('./speech/pocketsphinx/pocketsphinx.ts')).openPocketsphinx({
    program,
    folder: join(dataFolder(options), 'work', `speech-${nodeId}`),
    seconds: configuration.PLY_SPEECH_SECONDS,
    runtime,
  });
}

async function openChat({ configuration, runtime }: StoreOptions): Promise<Chat | null> {
  const {
    PLY_ANSWERS_URL: url,
    PLY_ANSWERS_MODEL: model,
    PLY_ANSWERS_KEY: key,
    PLY_ANSWERS_SECONDS: seconds,
  } = configuration;
  if (url === null) return null;
  return (await import('./chat/openai/openai.ts')).openOpenAiChat({ url, model, key, seconds, runtime });
}

/**
 * What carries calls and events between processes; null where there is one process alone.
 * @param foreign called for each packet of another installation, which is dropped
 */
export async function openTransporter(
  url: string | null,
  nodeId: string,
  installation: Installation,
  foreign: (error: ForeignInstallation) => void,
): Promise<Transporters.Base | null> {
  if (url === null) return null;
  return (await import('./transport/nats.ts')).openNatsTransporter(url, nodeId, { installation, foreign });
}

/** Closes all stores, also when one of them fails to; answers the failures. */
export async function closeStores(stores: Stores): Promise<unknown[]> {
  const { speech, chat, embeddings, queue, counters, passages, blobs, objects, records } = stores;
  const results = await Promise.allSettled(
    [speech, ...(chat === null ? [] : [chat]), embeddings, queue, counters, passages, blobs, objects, records].map(
      (store) => store.close(),
    ),
  );
  return results.flatMap((result): unknown[] => (result.status === 'rejected' ? [result.reason] : []));
}
