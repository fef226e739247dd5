import type { QueryVector } from '../port.ts';
import { CodeLibraries } from './code-libraries.ts';
import { CodeSearch } from './code-search.ts';
import { numberOf, type Connection } from './connection.ts';
import type { Nearest } from './messages.ts';
import type { Permitted, PermittedRevision } from './permitted.ts';
import { runsOf, withChanged } from './slot-runs.ts';
import { comparable, distanceSql } from './statements.ts';
import { TopK } from './top-k.ts';
import { encode, usualSizes, type CodesSizes, type VectorCodes } from './vector-codes.ts';

/** Codes that are compared exactly, for each wanted passage: rounding changes ranks a little. */
const comparedPerWanted = 1.5;
/** Unread passages up to which the SQL statement finds the nearest ones; of more it would take a second. */
const maxStatement = 100_000;

/** How much of a set of permitted revisions has codes. */
interface Coverage {
  codes: VectorCodes;
  /** The model of the codes. */
  model: string;
  /** Those still to be read, the last one first. */
  unread: PermittedRevision[];
  /** Permitted slots as pairs of the first one and their number, ascending; null until they are known. */
  runs: Uint32Array | null;
  /** Revisions whose slots in `runs` may be wrong since they changed. */
  changed: Set<number>;
  /** The changes of the permitted revisions that are known, and how often codes had moved when `runs` was made. */
  seen: number;
  moves: number;
}

interface Parameters {
  organization: number;
  query: QueryVector;
  limit: number;
}

/** Options of a scan. */
export interface VectorScanOptions {
  /** Bytes of codes in memory. */
  capacity: number;
  /** Folder of the files of codes; it is created with the first one. */
  folder: string;
  /** Milliseconds in which one search reads vectors: others wait meanwhile. */
  maxReadMs?: number;
  sizes?: CodesSizes;
}

/**
 * Search by meaning: the permitted passages' vectors are compared as codes of one byte a dimension by usearch, and the
 * nearest of them again as they are in the file. Codes that do not fit into memory are read from their file for each
 * search; least recently used libraries leave memory. Passages that may not be seen are left out before anything is
 * ranked.
 */
export class VectorScan {
  readonly #connection: Connection;
  readonly #maxReadMs: number;
  readonly #libraries: CodeLibraries;
  readonly #search = new CodeSearch();
  #coverages = new WeakMap<Permitted, Coverage>();
  #unfinished: Coverage | null = null;

  constructor(connection: Connection, { capacity, folder, maxReadMs = 300, sizes = usualSizes }: VectorScanOptions) {
    this.#connection = connection;
    this.#maxReadMs = maxReadMs;
    const dropped = (): void => this.#forgetCoverages();
    this.#libraries = new CodeLibraries(connection, { capacity, folder, sizes, dropped });
  }

  /**
   * The permitted passages nearest to a vector, nearest first; among those that have been read, while many are not:
   * `readOn` continues. Null where the SQL statement must find them.
   */
  nearest(permitted: Permitted, { organization, query, limit }: Parameters): Nearest | null {
    const { vector } = query;
    if (vector.length === 0 || vector.every((value) => value === 0)) return null;
    if (this.#libraries.refresh()) this.#forgetCoverages();
    const coverage = this.#coverageOf(permitted, organization, query);
    this.#read(coverage, this.#maxReadMs);
    const { codes, unread } = coverage;
    if (unread.length > 0) {
      if (codes.isFull) return null;
      this.#unfinished = coverage;
      if (unread.reduce((sum, { count }) => sum + count, 0) <= maxStatement) return null;
    }
    if (coverage.moves !== codes.moves) coverage.runs = null;
    coverage.moves = codes.moves;
    const runs =
      coverage.runs === null
        ? runsOf(permitted, codes)
        : withChanged(coverage.runs, coverage.changed, permitted, codes);
    // The runs of what was read so far are not kept.
    if (unread.length === 0) {
      coverage.runs = runs;
      coverage.changed.clear();
    }
    const code = new Int8Array(vector.length);
    encode(vector, code, 0);
    const found = this.#search.nearest(codes, runs, code, Math.ceil(limit * comparedPerWanted));
    return this.#compared(permitted, query, found, limit);
  }

  /**
   * Reads more of the library that was searched last, or loads files of codes that no search has needed yet, for some
   * milliseconds, in a transaction of the caller. Returns whether there is more to do.
   */
  readOn(milliseconds: number): boolean {
    if (this.#unfinished === null && !this.#libraries.isAhead) return false;
    if (this.#libraries.refresh()) this.#forgetCoverages();
    if (this.#unfinished === null) return this.#libraries.loadOn(milliseconds);
    this.#read(this.#unfinished, milliseconds);
    if (this.#unfinished.unread.length === 0 || this.#unfinished.codes.isFull) this.#unfinished = null;
    return true;
  }

  /** Forgets the codes of organizations that were removed, in memory and in files. */
  forget(): void {
    this.#libraries.forget();
  }

  /** Writes what the files of codes lack. */
  close(): void {
    this.#libraries.close();
  }

  #forgetCoverages(): void {
    this.#coverages = new WeakMap();
    this.#unfinished = null;
  }

  #coverageOf(permitted: Permitted, organization: number, query: QueryVector): Coverage {
    const codes = this.#libraries.get(organization, query);
    const known = this.#coverages.get(permitted);
    if (known?.codes === codes && isFollowing(known, permitted)) return known;
    const unread: PermittedRevision[] = [];
    for (let at = permitted.numbers.length - 1; at >= 0; at -= 1) {
      const revision = permitted.at(at);
      if (isUnread(codes, revision)) unread.push(revision);
    }
    // Other libraries may have been dropped since.
    codes.isFull = false;
    const coverage = {
      codes,
      model: query.model,
      unread,
      runs: null,
      changed: new Set<number>(),
      seen: permitted.changes,
      moves: codes.moves,
    };
    this.#coverages.set(permitted, coverage);
    return coverage;
  }

  #read({ codes, model, unread }: Coverage, milliseconds: number): void {
    const until = performance.now() + milliseconds;
    while (unread.length > 0 && !codes.isFull && performance.now() < until) {
      const next = unread.at(-1);
      // Another search may have read it.
      if (next !== undefined && (codes.places.get(next.number)?.count ?? -1) >= next.count) unread.pop();
      else codes.read(this.#connection, model, unread);
    }
    codes.save();
  }

  /** Compares the vectors of passages as they are in the file. */
  #compared(permitted: Permitted, { model, vector }: QueryVector, ids: readonly number[], limit: number): Nearest {
    const bytes = new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength);
    const best = new TopK(limit);
    for (const row of this.#connection.lists(distanceSql, bytes, JSON.stringify(ids), bytes.length, model)) {
      const id = numberOf(row[0]);
      if (permitted.has(id)) best.add({ value: 1 - numberOf(row[1]), id });
    }
    const sorted = best.sorted();
    return { ids: sorted.map(({ id }) => id), cosines: sorted.map(({ value }) => value) };
  }
}

/** Whether codes of a permitted revision are still to be read. */
function isUnread({ places }: VectorCodes, { number, count, vectors }: PermittedRevision): boolean {
  return count > 0 && vectors !== comparable.none && (places.get(number)?.count ?? -1) < count;
}

/** Lets a coverage follow the changes of the permitted revisions; false if it must be made anew. */
function isFollowing(coverage: Coverage, permitted: Permitted): boolean {
  if (coverage.seen === permitted.changes) return true;
  const changed = permitted.changedSince(coverage.seen);
  if (changed === null) return false;
  coverage.seen = permitted.changes;
  const numbers = new Set(changed);
  coverage.unread = coverage.unread.filter(({ number }) => !numbers.has(number));
  for (const number of numbers) {
    coverage.changed.add(number);
    const at = permitted.indexOf(number);
    const revision = permitted.at(at);
    if (at < 0 || !isUnread(coverage.codes, revision)) continue;
    coverage.unread.push(revision);
    coverage.codes.isFull = false;
  }
  return true;
}
