import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import type { Runtime } from '../../../models/runtime.ts';
import type { IndexedPassage, Passage } from '../../../models/passage.ts';
import type { IndexState, NearFile, NearWord, PassageKey, Passages, Retrieval } from '../port.ts';
import { openConnection } from './connection.ts';
import type {
  FoundWords,
  Nearest,
  PackedRetrieval,
  PackedRows,
  ReadAnswer,
  ReaderSetup,
  Told,
  Write,
  WriterSetup,
} from './messages.ts';
import { ReaderPool } from './reader-pool.ts';
import { fetch, frequenciesOf } from './reads.ts';
import { portion } from './rows.ts';
import { restrictsPassages } from './statements.ts';
import { attempt, startThread } from './thread.ts';
import type { Thread } from './thread.ts';
import { unpack } from './unpack.ts';

const writerScript = new URL('./writer.ts', import.meta.url);
const readerScript = new URL('./reader.ts', import.meta.url);

/** Default memory for vectors: about 1.3 million passages of the local model. */
const defaultVectorBytes = 512 * 2 ** 20;

/**
 * Searches for the nearest passages of one retrieval, while found ones stop being readable in between. After them one
 * statement of a reader finds all.
 */
const maxAttempts = 3;

/**
 * Passages of an organization from which on its searches run the legs at the same time. In smaller ones, a message to a
 * thread takes about as long as a leg: the thread that compares vectors runs both.
 */
const legsApartFrom = 50_000;
/** Organizations of which the number of passages is remembered. */
const maxKnown = 10_000;

/** Milliseconds between two lines of the log about the word index of an earlier version. */
const progressEach = 10_000;

/** Maximum passages or counts that are read on the calling thread: ten take some tens of microseconds. */
const maxLookedUp = 20;

/**
 * Opens the embedded passage index: the file `passages.db` in `folder`, one writer thread, `readerThreads` reader
 * threads, and one thread that compares vectors, of whose codes it keeps up to `vectorBytes` in memory and the rest in the
 * folder `passages.codes`. Statistics include files whose source is temporarily missing; only searches exclude them.
 * @throws StoreUnavailable if the file cannot be opened
 */
export async function openSqlitePassages(options: {
  folder: string;
  runtime: Runtime;
  readerThreads: number;
  vectorBytes?: number;
  log?: Pick<Logger, 'info' | 'warn'>;
}): Promise<Passages> {
  await mkdir(options.folder, { recursive: true });
  const path = join(options.folder, 'passages.db');
  const identity = options.runtime.uuid();
  const startWriter = (): Promise<Thread<null>> => {
    const setup: WriterSetup = { path, identity, opening: options.runtime.uuid() };
    return startThread<null>(writerScript, setup, options.log === undefined ? undefined : saidTo(options.log));
  };
  let writer = await startWriter();
  const readerThreads = Math.max(1, options.readerThreads);
  const open = (count: number, vectorBytes: number): Promise<ReaderPool> => {
    const setup: ReaderSetup = { path, vectorBytes, codesFolder: join(options.folder, 'passages.codes') };
    return ReaderPool.open(count, () => startThread<ReadAnswer>(readerScript, setup));
  };
  const [readers, vectors] = await Promise.all([
    open(readerThreads, 0),
    open(1, options.vectorBytes ?? defaultVectorBytes),
  ]);

  const lookup = openConnection(path, 'lookup');

  let reopening: Promise<Thread<null>> | null = null;
  /**
   * Replaces a writer that exited. Only one is started: two would not keep the order of a file's changes.
   */
  async function reopenWriter(): Promise<void> {
    reopening ??= startWriter().finally(() => {
      reopening = null;
    });
    writer = await reopening;
  }

  async function write(change: Write, transfer: ArrayBuffer[] = []): Promise<void> {
    if (writer.ended()) await reopenWriter();
    await writer.ask((id) => ({ id, write: change }), transfer);
  }

  async function nearestTo(organizationId: string, retrieval: Retrieval): Promise<(Nearest | null)[]> {
    const restriction = { ...retrieval, terms: [], vectors: [] };
    const found = await Promise.all(
      retrieval.vectors.map((query) =>
        vectors.ask(organizationId, { kind: 'nearest', organizationId, retrieval: restriction, query }),
      ),
    );
    return found as (Nearest | null)[];
  }

  /** Passages of organizations at their last retrievals. */
  const known = new LRUCache<string, number>({ max: maxKnown });

  const isLarge = (organizationId: string): boolean => (known.get(organizationId) ?? legsApartFrom) >= legsApartFrom;

  /** The word leg, where it runs beside the others; otherwise null. */
  async function wordsOf(organizationId: string, retrieval: Retrieval): Promise<FoundWords | null> {
    if (retrieval.vectors.length === 0 || retrieval.terms.length === 0 || !isLarge(organizationId)) return null;
    const read = { kind: 'words', organizationId, retrieval: { ...retrieval, vectors: [] } } as const;
    return (await readers.ask(organizationId, read)) as FoundWords;
  }

  /**
   * Runs a retrieval; null if one of the nearest passages may not be read any more.
   * @param isLast whether one statement of a reader finds all
   */
  async function retrieveOnce(
    organizationId: string,
    retrieval: Retrieval,
    isLast: boolean,
  ): Promise<PackedRetrieval | null> {
    if (!isLast && retrieval.vectors.length > 0 && !isLarge(organizationId) && !restrictsPassages(retrieval)) {
      const whole = { kind: 'whole', organizationId, retrieval } as const;
      return (await vectors.ask(organizationId, whole)) as PackedRetrieval | null;
    }
    const [near, byWords] = isLast
      ? [retrieval.vectors.map(() => null), null]
      : await Promise.all([nearestTo(organizationId, retrieval), wordsOf(organizationId, retrieval)]);
    const read = { kind: 'retrieve', organizationId, retrieval, near, byWords } as const;
    // With vectors it has waited for its turn, and later reads must not go before it.
    const answer = await (near.length === 0 ? readers.ask(organizationId, read) : readers.askFirst(read));
    return answer as PackedRetrieval | null;
  }

  return {
    async write({ organizationId }, { assetId, revision, embeddingModel }, rows) {
      for (let at = 0; at < rows.length; at += portion) {
        const packed = pack(embeddingModel, rows.slice(at, at + portion));
        await write({ kind: 'write', organizationId, assetId, revision, ...packed }, [packed.vectors.buffer]);
      }
    },
    publish: ({ organizationId }, revision, count, attributes, last) => {
      const packed = last === undefined ? undefined : pack(last.embeddingModel, last.rows);
      return write(
        { kind: 'publish', organizationId, assetId: attributes.assetId, revision, count, attributes, last: packed },
        packed === undefined ? [] : [packed.vectors.buffer],
      );
    },
    setAttributes: ({ organizationId }, attributes) =>
      write({ kind: 'setAttributes', organizationId, assetId: attributes.assetId, attributes }),
    discard: ({ organizationId }, assetId, revision) => write({ kind: 'discard', organizationId, assetId, revision }),
    removeFile: ({ organizationId }, assetId) => write({ kind: 'removeFile', organizationId, assetId }),
    async removeOrganization({ organizationId }) {
      await write({ kind: 'removeOrganization', organizationId, assetId: '' });
      await vectors.askFirst({ kind: 'forget' });
    },
    async retrieve({ organizationId }, retrieval) {
      for (let attempt = 0; ; attempt += 1) {
        const answer = await retrieveOnce(organizationId, retrieval, attempt >= maxAttempts);
        if (answer === null) continue;
        known.set(organizationId, answer.passages);
        return unpack(answer, retrieval);
      }
    },
    async nearestWords({ organizationId }, questions) {
      return (await readers.ask(organizationId, { kind: 'nearestWords', organizationId, questions })) as NearWord[][];
    },
    async fetch({ organizationId }, keys) {
      // Reading the passages of a page takes less time than a message to a thread and back.
      return keys.length <= maxLookedUp
        ? attempt(() => fetch(lookup, organizationId, keys))
        : ((await readers.ask(organizationId, { kind: 'fetch', organizationId, keys })) as (Passage & PassageKey)[]);
    },
    async nearestFiles({ organizationId }, retrieval) {
      return (await readers.ask(organizationId, { kind: 'nearestFiles', organizationId, retrieval })) as NearFile[];
    },
    async vectorsOf({ organizationId }, { assetId, revision }, model, limit) {
      return (await readers.ask(organizationId, {
        kind: 'vectorsOf',
        organizationId,
        assetId,
        revision,
        model,
        limit,
      })) as Float32Array[];
    },
    async holdsVectors({ organizationId }, models) {
      return (await readers.ask(organizationId, { kind: 'holdsVectors', organizationId, models })) as boolean[];
    },
    async sampleVectors({ organizationId }, model, limit) {
      return (await readers.ask(organizationId, {
        kind: 'sampleVectors',
        organizationId,
        model,
        limit,
      })) as Float32Array[];
    },
    async frequenciesOf({ organizationId }, stems) {
      return stems.length <= maxLookedUp
        ? attempt(() => frequenciesOf(lookup, organizationId, stems))
        : ((await readers.ask(organizationId, { kind: 'frequenciesOf', organizationId, stems })) as number[]);
    },
    async languages({ organizationId }) {
      return (await readers.ask(organizationId, { kind: 'languages', organizationId })) as string[];
    },
    async countOf({ organizationId }, assetId, revision) {
      return Number(await readers.ask(organizationId, { kind: 'countOf', organizationId, assetId, revision }));
    },
    async state() {
      return (await readers.askFirst({ kind: 'state' })) as IndexState;
    },
    async ping() {
      await readers.askFirst({ kind: 'ping' });
    },
    async close() {
      if (lookup.database.isOpen) lookup.close();
      await Promise.all([readers.close(), vectors.close()]);
      if (!writer.ended()) await writer.ask((id) => ({ id, write: 'close' }));
    },
  };
}

/**
 * Says that runs of the word index cannot be merged, and how the making of the word index of a file of an earlier version
 * goes: its beginning, and then now and then.
 */
function saidTo(log: Pick<Logger, 'info' | 'warn'>): (told: Told) => void {
  let next = 0;
  return (told) => {
    if ('failedMerge' in told) {
      log.warn(
        { reason: told.failedMerge },
        'runs of the word index cannot be merged; searches find everything, more slowly with time. It is tried again each minute: see that the disk of the passages has room',
      );
      return;
    }
    const { indexed, passages } = told;
    if (performance.now() < next && indexed < passages) return;
    next = performance.now() + progressEach;
    log.info({ indexed, passages }, 'the word index of an earlier version is made anew');
  };
}

function passageOf(row: IndexedPassage): Passage {
  const { vector: _vector, ...passage } = row;
  return passage;
}

/** The vectors of all rows in one transferable buffer. */
function pack(
  embeddingModel: string | null,
  rows: readonly IndexedPassage[],
): PackedRows & { vectors: Float32Array<ArrayBuffer> } {
  const vectorSizes = Uint32Array.from(rows, (row) => row.vector?.length ?? 0);
  const vectors = new Float32Array(vectorSizes.reduce((sum, size) => sum + size, 0));
  let at = 0;
  for (const { vector } of rows) {
    if (vector === null) continue;
    vectors.set(vector, at);
    at += vector.length;
  }
  return { embeddingModel, rows: rows.map(passageOf), vectors, vectorSizes };
}
