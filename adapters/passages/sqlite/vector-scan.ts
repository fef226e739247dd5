import { ordinalOf, revisionNumberOf, rowId, type Connection } from './connection.ts';
import type { Permitted, PermittedRevision } from './permitted.ts';
import { TopK } from './top-k.ts';
import { chunkVectors, isScorable, lengthOf, VectorCache, type VectorChunk } from './vector-cache.ts';

/** The result of a vector search. */
export interface Nearest {
  /** Ids of the nearest passages. */
  ids: readonly number[];
  /**
   * Cosine of any permitted passage, near or not; NaN where it has no comparable vector. Valid until the next scan.
   */
  cosineOf(id: number): number;
}

/**
 * The SQL statement is faster if more than one in this many vectors is not cached: it compares a vector in the file in
 * a third of the time that this scan needs to read it.
 */
const maxUncachedShare = 1 / 4;

/** Passages of one revision whose vectors are part of a run. */
interface RunPart {
  revision: PermittedRevision;
  /** Id of the first passage. */
  firstId: number;
  count: number;
  scales: Float64Array;
}

/**
 * Vectors of several revisions that are contiguous in memory. Most files have few passages, and one multiplication for
 * each of them would spend as much time on the call as on the work.
 */
interface Run {
  chunk: Pick<VectorChunk, 'at' | 'bytes'>;
  count: number;
  parts: RunPart[];
}

/** How much of a set of permitted revisions is in the cache. */
interface Coverage {
  /** Era of the cache that this describes. */
  era: number;
  /** Revisions with vectors of the query's model, by number. */
  revisions: readonly PermittedRevision[];
  /** Those still to be read, the last one first. */
  unread: PermittedRevision[];
  /** Comparable vectors, and how many of them are not cached. */
  comparable: number;
  uncached: number;
  /** The contiguous runs, once every vector is cached. */
  runs: Run[] | null;
}

/**
 * Vector search over cached vectors: the exact comparison with every permitted passage that the SQL statement
 * (`meaningLeg`) makes, several times as fast.
 */
export class VectorScan {
  readonly #cache: VectorCache;
  readonly #coverages = new WeakMap<Permitted, Coverage>();
  readonly #maxReadAtOnce: number;

  /**
   * @param capacity bytes of cached vectors
   * @param maxReadAtOnce vectors that one search reads into the cache: no search waits until all of a large library
   *   are cached
   */
  constructor(connection: Connection, capacity: number, maxReadAtOnce = 20_000) {
    this.#cache = new VectorCache(connection, capacity);
    this.#maxReadAtOnce = maxReadAtOnce;
  }

  /**
   * The permitted passages nearest to a vector; null where the SQL statement must find them. Reads vectors into the
   * cache first, as far as there is room, and a part of a large library each time.
   */
  nearest(permitted: Permitted, vector: Float32Array, limit: number): Nearest | null {
    this.#cache.refresh();
    const coverage = this.#coverageOf(permitted);
    this.#fill(coverage);
    const length = lengthOf(vector);
    if (!isScorable(vector.length) || !(length > 0)) return null;
    if (coverage.uncached > coverage.comparable * maxUncachedShare) {
      if (this.#couldScan(coverage)) this.#cache.miss(coverage.uncached);
      return null;
    }
    this.#cache.setQuery(vector.map((value) => value / length));
    const best = new TopK(limit);
    for (const run of this.#runsOf(coverage)) this.#compare(run, vector.length, best);
    const cosines = new Map(best.sorted().map(({ id, value }) => [id, value]));
    return {
      ids: [...cosines.keys()],
      cosineOf: (id) => {
        const known = cosines.get(id);
        if (known !== undefined) return known;
        const revision = permitted.revisions.get(revisionNumberOf(id));
        return revision === undefined || revision.vectors === 'none' || ordinalOf(id) >= revision.count
          ? Number.NaN
          : this.#cache.cosineOf(id, vector.length, revision.vectors);
      },
    };
  }

  #fill(coverage: Coverage): void {
    for (let allowed = this.#maxReadAtOnce; allowed > 0 && coverage.uncached > 0;) {
      const revision = coverage.unread.pop();
      if (revision === undefined) return;
      const { cached, read } = this.#cache.load(revision);
      allowed -= read;
      coverage.uncached -= cached;
      // Sets that do not fit into an empty cache are not read: the statement searches them.
      if (cached < revision.count && !this.#couldScan(coverage)) coverage.unread = [];
    }
  }

  /** Whether an otherwise empty cache would hold enough of these vectors. */
  #couldScan({ comparable }: Coverage): boolean {
    return this.#cache.couldHold(Math.floor(comparable * (1 - maxUncachedShare)));
  }

  #coverageOf(permitted: Permitted): Coverage {
    const known = this.#coverages.get(permitted);
    if (known?.era === this.#cache.era) return known;
    const revisions = [...permitted.revisions.values()].filter(({ vectors }) => vectors !== 'none');
    const comparable = revisions.reduce((sum, { count }) => sum + count, 0);
    const coverage: Coverage = {
      era: this.#cache.era,
      revisions,
      unread: revisions.toReversed(),
      comparable,
      uncached: comparable,
      runs: null,
    };
    this.#coverages.set(permitted, coverage);
    return coverage;
  }

  #runsOf(coverage: Coverage): Iterable<Run> {
    if (coverage.uncached > 0) return this.#chunksOf(coverage.revisions);
    return (coverage.runs ??= joined(this.#chunksOf(coverage.revisions)));
  }

  /** The vectors of revisions chunk by chunk. An uncached chunk is valid until the next one is read. */
  *#chunksOf(revisions: readonly PermittedRevision[]): Generator<Run> {
    for (const revision of revisions) {
      for (let first = 0; first < revision.count; first += chunkVectors) {
        const count = Math.min(chunkVectors, revision.count - first);
        const chunk = this.#cache.chunk(revision, first, count);
        const part = { revision, firstId: rowId(revision.number, first), count, scales: chunk.scales };
        yield { chunk, count, parts: [part] };
      }
    }
  }

  #compare({ chunk, count, parts }: Run, dimensions: number, best: TopK): void {
    if (chunk.bytes !== dimensions * 4) return;
    const products = this.#cache.multiply(chunk, 0, count);
    let at = 0;
    for (const part of parts) {
      const { scales } = part;
      for (let each = 0; each < part.count; each += 1) {
        const value = (products[at] ?? 0) * (scales[each] ?? Number.NaN);
        at += 1;
        if (value >= best.threshold) best.add({ value, of: part.revision, id: part.firstId + each });
      }
    }
  }
}

/** Joins chunks that are contiguous in memory, up to the size of one chunk. */
function joined(chunks: Iterable<Run>): Run[] {
  const runs: Run[] = [];
  for (const { chunk, count, parts } of chunks) {
    if (chunk.bytes === 0) continue;
    const last = runs.at(-1);
    if (
      last !== undefined &&
      last.chunk.bytes === chunk.bytes &&
      last.chunk.at + last.count * chunk.bytes === chunk.at &&
      last.count + count <= chunkVectors
    ) {
      last.count += count;
      last.parts.push(...parts);
    } else {
      runs.push({ chunk, count, parts: [...parts] });
    }
  }
  return runs;
}
