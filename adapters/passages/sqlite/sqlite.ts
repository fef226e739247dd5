import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Ambient } from '../../../models/ambient.ts';
import type { IndexedPassage, Passage } from '../../../models/passage.ts';
import type { Candidate, IndexState, NearFile, NearWord, PassageKey, Passages, PendingRetrieval, RetrievalResult } from '../port.ts';
import { openConnection } from './connection.ts';
import { packedWidth } from './messages.ts';
import type { Begin, PackedRetrieval, PackedRows, Read, ReadAnswer, ReaderSetup, Write, WriterSetup } from './messages.ts';
import { fetch } from './questions.ts';
import { portion } from './rows.ts';
import { attempt, startThread } from './thread.ts';
import type { Thread } from './thread.ts';

const writerScript = new URL('./writer.ts', import.meta.url);
const readerScript = new URL('./reader.ts', import.meta.url);

/** Where nothing is said of it: the vectors of about 170,000 passages of the local model, or of half as many where each of two readers holds them. */
const defaultVectorBytes = 256 * 2 ** 20;

/** Passages that are read on the asking thread, at most: some tens of microseconds each ten. */
const mostLookedUp = 20;

/** A reading thread, and the retrievals that it began and was not yet asked for. */
interface Reader {
  thread: Thread<ReadAnswer>;
  begun: number;
}

/**
 * Opens the embedded passage index: the file `passages.db` in `folder`, one writing thread and `readerThreads` reading
 * ones, which together hold `vectorBytes` of vectors in memory, each its own. Statistics go on counting files whose
 * source is missing for the moment; only searches leave them out.
 * @throws StoreUnavailable when the file cannot be opened.
 */
export async function openSqlitePassages(options: { folder: string; ambient: Ambient; readerThreads: number; vectorBytes?: number }): Promise<Passages> {
  await mkdir(options.folder, { recursive: true });
  const path = join(options.folder, 'passages.db');
  const written: WriterSetup = { path, identity: options.ambient.uuid() };
  let writer: Thread<null> = await startThread<null>(writerScript, written);
  const readerThreads = Math.max(1, options.readerThreads);
  const setup: ReaderSetup = { path, vectorBytes: Math.floor((options.vectorBytes ?? defaultVectorBytes) / readerThreads) };
  const readers: Reader[] = await Promise.all(
    Array.from({ length: readerThreads }, async () => ({ thread: await startThread<ReadAnswer>(readerScript, setup), begun: 0 })));

  const lookup = openConnection(path, 'lookup');

  let reopening: Promise<Thread<null>> | null = null;
  /** Starts another writer in the place of one that ended; once, for two would not keep the order of a file's changes. */
  async function reopenWriter(): Promise<void> {
    reopening ??= startThread<null>(writerScript, written).finally(() => {
      reopening = null;
    });
    writer = await reopening;
  }

  async function write(change: Write, transfer: ArrayBuffer[] = []): Promise<void> {
    if (writer.ended()) await reopenWriter();
    await writer.ask((id) => ({ id, write: change }), transfer);
  }

  /** The reader with the fewest questions open. */
  async function freest(): Promise<Reader> {
    const load = ({ thread, begun }: Reader): number => thread.busy() + begun;
    const reader = readers.reduce((least, each) => (load(each) < load(least) ? each : least));
    if (reader.thread.ended()) reader.thread = await startThread<ReadAnswer>(readerScript, setup);
    return reader;
  }

  async function read(question: Read): Promise<ReadAnswer> {
    return (await freest()).thread.ask((id) => ({ id, read: question }));
  }

  let lastBegun = 0;
  /**
   * Lets a reader do ahead what needs no vector, and asks it for the whole when the vector is there. Where all have work no processor
   * is free for it, and telling them twice would only cost more.
   */
  async function readAhead(organizationId: string, { vector: promised, ...rest }: PendingRetrieval): Promise<ReadAnswer> {
    const reader = await freest();
    if (reader.thread.busy() + reader.begun > 0) return read({ kind: 'retrieve', organizationId, retrieval: { ...rest, vector: await promised }, begun: null });
    const begun = ++lastBegun;
    const { thread } = reader;
    reader.begun += 1;
    thread.tell({ begin: begun, organizationId, retrieval: { ...rest, vector: null } } satisfies Begin);
    const vector = await promised;
    reader.begun -= 1;
    const question: Read = { kind: 'retrieve', organizationId, retrieval: { ...rest, vector }, begun };
    return thread.ended() ? read(question) : thread.ask((id) => ({ id, read: question }));
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
      return write({ kind: 'publish', organizationId, assetId: attributes.assetId, revision, count, attributes, last: packed }, packed === undefined ? [] : [packed.vectors.buffer]);
    },
    setAttributes: ({ organizationId }, attributes) => write({ kind: 'setAttributes', organizationId, assetId: attributes.assetId, attributes }),
    discard: ({ organizationId }, assetId, revision) => write({ kind: 'discard', organizationId, assetId, revision }),
    removeFile: ({ organizationId }, assetId) => write({ kind: 'removeFile', organizationId, assetId }),
    removeOrganization: ({ organizationId }) => write({ kind: 'removeOrganization', organizationId, assetId: '' }),
    async retrieve({ organizationId }, retrieval) {
      const { vector } = retrieval;
      const isThere = vector === null || ArrayBuffer.isView(vector);
      return unpack(await (isThere ? read({ kind: 'retrieve', organizationId, retrieval: { ...retrieval, vector }, begun: null }) : readAhead(organizationId, retrieval)), retrieval.terms.length);
    },
    async nearestWords({ organizationId }, questions) {
      return (await read({ kind: 'nearestWords', organizationId, questions })) as NearWord[][];
    },
    async fetch({ organizationId }, keys) {
      // A page's passages are read in less time than a question takes to a thread and back.
      return keys.length <= mostLookedUp ? attempt(() => fetch(lookup, organizationId, keys)) : ((await read({ kind: 'fetch', organizationId, keys })) as (Passage & PassageKey)[]);
    },
    async nearestFiles({ organizationId }, retrieval) {
      return (await read({ kind: 'nearestFiles', organizationId, retrieval })) as NearFile[];
    },
    async vectorsOf({ organizationId }, { assetId, revision }, model, most) {
      return (await read({ kind: 'vectorsOf', organizationId, assetId, revision, model, most })) as Float32Array[];
    },
    async frequenciesOf({ organizationId }, stems) {
      return (await read({ kind: 'frequenciesOf', organizationId, stems })) as number[];
    },
    async languages({ organizationId }) {
      return (await read({ kind: 'languages', organizationId })) as string[];
    },
    async countOf({ organizationId }, assetId, revision) {
      return Number(await read({ kind: 'countOf', organizationId, assetId, revision }));
    },
    async state() {
      return (await read({ kind: 'state' })) as IndexState;
    },
    async ping() {
      await read({ kind: 'ping' });
    },
    async close() {
      if (lookup.database.isOpen) lookup.close();
      await Promise.all(readers.filter(({ thread }) => !thread.ended()).map(({ thread }) => thread.ask((id) => ({ id, read: 'close' }))));
      if (!writer.ended()) await writer.ask((id) => ({ id, write: 'close' }));
    },
  };
}

function passageOf(row: IndexedPassage): Passage {
  const { vector: _vector, ...passage } = row;
  return passage;
}

/** The vectors of all rows in one buffer that can be handed over without a copy. */
function pack(embeddingModel: string | null, rows: readonly IndexedPassage[]): PackedRows & { vectors: Float32Array<ArrayBuffer> } {
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

const nowhere = new Int32Array();

/** How often each term stands at the places of a candidate; `none` are as many zeros. */
function countedIn(places: Int32Array, none: readonly number[]): readonly number[] {
  const frequencies = none.slice();
  for (let place = 1; place < places.length; place += 2) frequencies[places[place] ?? 0] = (frequencies[places[place] ?? 0] ?? 0) + 1;
  return frequencies;
}

function unpack(answer: ReadAnswer, terms: number): RetrievalResult {
  const { numbers, places, assetIds, languages, passages, averageLength, documentFrequencies } = answer as PackedRetrieval;
  const candidates: Candidate[] = [];
  const none: readonly number[] = Array<number>(terms).fill(0);
  let taken = 0;
  for (let at = 0; at < numbers.length; at += packedWidth) {
    const numberAt = (place: number): number => numbers[at + place] ?? 0;
    const cosine = numberAt(4);
    // Half of what is found is found by meaning alone, and holds none of the words.
    const isMet = numberAt(7) > 0;
    const own = isMet ? places.subarray(taken, (taken += numberAt(7))) : nowhere;
    candidates.push({
      assetId: assetIds[numberAt(5)] ?? '',
      revision: numberAt(0),
      ordinal: numberAt(1),
      attributesVersion: numberAt(2),
      frequencies: isMet ? countedIn(own, none) : none,
      places: own,
      length: numberAt(3),
      cosine: Number.isNaN(cosine) ? null : cosine,
      analysedAs: languages[numberAt(6)] ?? '',
    });
  }
  return { candidates, statistics: { passages, averageLength, documentFrequencies } };
}
