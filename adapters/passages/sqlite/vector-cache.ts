import { counterOf, numberOf, ordinalOf, rowId, type Connection } from './connection.ts';
import type { ComparableVectors, PermittedRevision } from './permitted.ts';
import { openVectorMemory, vectorStep, type VectorMemory } from './dot-products.ts';

/** Maximum vectors of a chunk, which is read and multiplied in one pass. */
export const chunkVectors = 256;
/** Maximum size of a vector; longer ones are compared by the SQL statement. */
const maxDimensions = 4096;

/** Layout of the memory: the query, the products of one chunk, a chunk that is not cached, then the cached ones. */
const productsAt = maxDimensions * 4;
const uncachedAt = productsAt + 2 ** 16;
const cachedAt = uncachedAt + chunkVectors * maxDimensions * 4;
const pageBytes = 2 ** 16;
/** A WebAssembly memory is addressed by 32 bits. */
const maxMemory = 2 ** 32 - pageBytes;
/**
 * Chunks that did not fit, in total and for each cached one, after which the cache is cleared for the libraries that
 * are searched now. While nearly everything fits, the rest of each search must not evict the useful chunks.
 */
const maxMisses = { total: 20_000, forEachCached: 8 };

const rangeSql = 'select id, vector from vectors where id >= ? and id < ?';

/** A revision, and which of its vectors are compared. */
type ScannedRevision = Pick<PermittedRevision, 'number' | 'vectors'>;

/** Vectors that are contiguous in the memory. */
export interface VectorChunk {
  /** Byte offset of the first one. */
  at: number;
  /** Bytes of each vector; 0 if no passage has one. */
  bytes: number;
  /** The factor that makes each vector's length 1; NaN for a passage without a vector. */
  scales: Float64Array;
}

/** Whether vectors of this size can be compared here. */
export function isScorable(dimensions: number): boolean {
  return dimensions > 0 && dimensions <= maxDimensions && (dimensions * 4) % vectorStep === 0;
}

/**
 * A reader's bounded cache of vectors. The vectors of a retrievable revision do not change, with few exceptions that
 * the file counts (`relaid`), which clear the cache. So vectors are read once, even if other rows of the file change.
 */
export class VectorCache {
  readonly #connection: Connection;
  readonly #end: number;
  /** By the id of the first passage: of revisions' own models, and of each further model. */
  readonly #chunks = new Map<number, VectorChunk>();
  readonly #furtherChunks = new Map<string, Map<number, VectorChunk>>();
  #memory: VectorMemory | null = null;
  #next = cachedAt;
  #relaid = -1;
  #misses = 0;
  #era = 0;
  #largest = 0;
  #products = new Float32Array();
  #bytes = new Uint8Array();
  #floats = new Float32Array();

  /** @param capacity bytes of cached vectors, at most 4 GiB */
  constructor(connection: Connection, capacity: number) {
    this.#connection = connection;
    this.#end = Math.min(maxMemory, cachedAt + capacity);
  }

  /** Clears the cache if vectors were replaced. Call it first in each transaction. */
  refresh(): void {
    const relaid = counterOf(this.#connection, 'relaid');
    if (relaid !== this.#relaid) this.#clear();
    this.#relaid = relaid;
  }

  /** Changes each time the cache is cleared. */
  get era(): number {
    return this.#era;
  }

  /** Caches a revision's vectors, as far as there is room: how many are cached, and how many were read. */
  load(revision: ScannedRevision & { count: number }): { cached: number; read: number } {
    const { count } = revision;
    let [cached, read] = [0, 0];
    for (let first = 0; first < count; first += chunkVectors) {
      const wanted = Math.min(chunkVectors, count - first);
      if (this.#cachedChunk(revision, first, wanted) === undefined) {
        if (this.#misses > 0) continue;
        read += wanted;
        this.chunk(revision, first, wanted);
      }
      if (this.#cachedChunk(revision, first, wanted) !== undefined) cached += wanted;
    }
    return { cached, read };
  }

  /** Whether this many vectors of the largest size seen fit into an empty cache. */
  couldHold(vectors: number): boolean {
    return cachedAt + vectors * this.#largest <= this.#end;
  }

  /** Counts vectors of a search that did not fit. */
  miss(vectors: number): void {
    if (this.#misses > 0) this.#countMisses(Math.ceil(vectors / chunkVectors));
  }

  /** Sets the vector to compare with; its length is 1. */
  setQuery(vector: Float32Array): void {
    new Float32Array(this.#grownTo(cachedAt).all.buffer, 0, vector.length).set(vector);
  }

  /**
   * Cosine of one passage with the query, identical to that of a whole chunk to the last digit; NaN without a
   * comparable vector.
   */
  cosineOf(id: number, dimensions: number, vectors: ComparableVectors): number {
    const within = ordinalOf(id) % chunkVectors;
    const cached = this.#chunksOf(vectors).get(id - within);
    const isCached = cached !== undefined && within < cached.scales.length;
    const chunk = isCached ? cached : this.#readUncached(id, 1, vectors);
    if (chunk.bytes !== dimensions * 4) return Number.NaN;
    const index = isCached ? within : 0;
    return (this.multiply(chunk, index, 1)[0] ?? 0) * (chunk.scales[index] ?? Number.NaN);
  }

  /** Products of the query with some vectors of a chunk; valid until the next call. */
  multiply({ at, bytes }: Pick<VectorChunk, 'at' | 'bytes'>, first: number, count: number): Float32Array {
    const { all, multiply } = this.#grownTo(cachedAt);
    multiply(at + first * bytes, at + (first + count) * bytes, 0, bytes, productsAt);
    if (this.#products.buffer !== all.buffer) this.#products = new Float32Array(all.buffer, productsAt, chunkVectors);
    return this.#products;
  }

  /** The vectors of a revision from `first` on: cached, or read and cached if there is room. */
  chunk(revision: ScannedRevision, first: number, count: number): VectorChunk {
    const key = rowId(revision.number, first);
    const cached = this.#cachedChunk(revision, first, count);
    if (cached !== undefined) return cached;
    const { vectors, bytes } = this.#read(key, count, revision.vectors);
    this.#largest = Math.max(this.#largest, bytes);
    if (this.#next + bytes * count > this.#end) {
      this.#countMisses(1);
      return this.#store(vectors, uncachedAt, bytes, count);
    }
    const chunk = this.#store(vectors, this.#next, bytes, count);
    this.#next += bytes * count;
    this.#chunksOf(revision.vectors).set(key, chunk);
    return chunk;
  }

  #chunksOf(vectors: ComparableVectors): Map<number, VectorChunk> {
    if (typeof vectors === 'string') return this.#chunks;
    const known = this.#furtherChunks.get(vectors.model);
    if (known !== undefined) return known;
    const chunks = new Map<number, VectorChunk>();
    this.#furtherChunks.set(vectors.model, chunks);
    return chunks;
  }

  #cachedChunk({ number, vectors }: ScannedRevision, first: number, count: number): VectorChunk | undefined {
    const cached = this.#chunksOf(vectors).get(rowId(number, first));
    return cached !== undefined && cached.scales.length >= count ? cached : undefined;
  }

  #readUncached(key: number, count: number, of: ComparableVectors): VectorChunk {
    const { vectors, bytes } = this.#read(key, count, of);
    return this.#store(vectors, uncachedAt, bytes, count);
  }

  #read(key: number, count: number, of: ComparableVectors): { vectors: (Uint8Array | undefined)[]; bytes: number } {
    const vectors: (Uint8Array | undefined)[] = [];
    const rows =
      typeof of === 'string'
        ? this.#connection.lists(`${rangeSql} and model is null`, key, key + count)
        : this.#connection.lists(`${rangeSql} and model = ?`, key, key + count, of.model);
    for (const row of rows) {
      const vector = row[1];
      if (ArrayBuffer.isView(vector) && isScorable(vector.byteLength / 4)) vectors[numberOf(row[0]) - key] = vector;
    }
    return { vectors, bytes: vectors.find((vector) => vector !== undefined)?.byteLength ?? 0 };
  }

  #countMisses(chunks: number): void {
    this.#misses += chunks;
    if (this.#misses > Math.max(maxMisses.total, maxMisses.forEachCached * this.#chunks.size)) this.#clear();
  }

  #store(vectors: readonly (Uint8Array | undefined)[], at: number, bytes: number, count: number): VectorChunk {
    const { buffer } = this.#grownTo(at + bytes * count).all;
    // Creating a view costs more than copying a vector.
    if (this.#bytes.buffer !== buffer) [this.#bytes, this.#floats] = [new Uint8Array(buffer), new Float32Array(buffer)];
    const scales = new Float64Array(count).fill(Number.NaN);
    for (let index = 0; index < count; index += 1) {
      const vector = vectors[index];
      if (vector?.byteLength !== bytes) continue;
      const from = at + index * bytes;
      this.#bytes.set(vector, from);
      scales[index] = 1 / lengthOf(this.#floats, from / 4, (from + bytes) / 4);
    }
    return { at, bytes, scales };
  }

  /**
   * The memory, at least `size` bytes large. It is allocated on first use and doubles: each growth makes the engine
   * collect garbage sooner, and pages that were never written take no memory of the machine.
   */
  #grownTo(size: number): VectorMemory {
    this.#memory ??= openVectorMemory(cachedAt / pageBytes);
    const { all } = this.#memory;
    const missing = size - all.buffer.byteLength;
    if (missing > 0)
      all.grow(
        Math.ceil(Math.min(Math.max(missing, all.buffer.byteLength), this.#end - all.buffer.byteLength) / pageBytes),
      );
    return this.#memory;
  }

  #clear(): void {
    this.#chunks.clear();
    this.#furtherChunks.clear();
    this.#next = cachedAt;
    this.#misses = 0;
    this.#era += 1;
  }
}

/** Euclidean length of a vector, which may be a part of an array. */
export function lengthOf(values: Float32Array, from = 0, to = values.length): number {
  // Two sums in parallel: each addition waits for the one before.
  let [even, odd] = [0, 0];
  let at = from;
  for (; at + 1 < to; at += 2) {
    const one = values[at] ?? 0;
    const other = values[at + 1] ?? 0;
    even += one * one;
    odd += other * other;
  }
  const last = at < to ? (values[at] ?? 0) : 0;
  return Math.sqrt(even + odd + last * last);
}
