import { exactSearch, MetricKind } from 'usearch';
import type { QueryVector } from '../port.ts';
import { counterOf, numberOf, revisionNumberOf, type Connection } from './connection.ts';
import type { Nearest } from './messages.ts';
import type { Permitted, PermittedRevision } from './permitted.ts';
import { distanceSql } from './statements.ts';
import { TopK } from './top-k.ts';
import { encode, segmentSlots, VectorCodes, type Segment } from './vector-codes.ts';

/** Codes that are compared exactly, for each wanted passage: rounding changes ranks a little. */
const comparedPerWanted = 1.5;
/** Share of a segment from which on all of it is searched and what may not be seen is dropped from the result. */
const wholeFrom = 0.5;
/** Passages taken from such a segment for each one that is needed. */
const takenPerNeeded = 4;
/** Slots of removed passages are freed when they are more than all others, and more than so many. */
const maxRemoved = 2 ** 16;

/** How much of a set of permitted revisions has codes. */
interface Coverage {
  codes: VectorCodes;
  /** Those still to be read, the last one first. */
  unread: PermittedRevision[];
  /** Permitted slots as pairs of the first one and their number, ascending; null until everything is read. */
  runs: Uint32Array | null;
  slots: number;
}

/** The nearest passages, with their cosines. */
type Found = Omit<Nearest, 'retrievable'>;

interface Parameters {
  organization: number;
  query: QueryVector;
  limit: number;
}

/**
 * Search by meaning: the permitted passages' vectors are compared as codes of one byte a dimension by usearch, and the
 * nearest of them again as they are in the file. The codes are kept in memory, least recently used libraries are
 * dropped. Passages that may not be seen are left out before anything is ranked.
 */
export class VectorScan {
  readonly #connection: Connection;
  readonly #capacity: number;
  readonly #maxReadMs: number;
  /** By organization, model and dimensions, the least recently used first. */
  readonly #libraries = new Map<string, VectorCodes>();
  #coverages = new WeakMap<Permitted, Coverage>();
  #bytes = 0;
  #relaid = -1;
  #unfinished: Coverage | null = null;
  #gathered = new Int8Array();

  /**
   * @param capacity bytes of codes
   * @param maxReadMs milliseconds in which one search reads vectors: others wait meanwhile
   */
  constructor(connection: Connection, capacity: number, maxReadMs = 300) {
    this.#connection = connection;
    this.#capacity = capacity;
    this.#maxReadMs = maxReadMs;
  }

  /**
   * The permitted passages nearest to a vector, nearest first. Null where the SQL statement must find them: their codes
   * do not fit, or are not read yet; then `readOn` continues.
   */
  nearest(permitted: Permitted, { organization, query, limit }: Parameters): Found | null {
    const { vector } = query;
    if (vector.length === 0 || vector.every((value) => value === 0)) return null;
    this.#refresh();
    const coverage = this.#coverageOf(permitted, organization, query);
    this.#read(coverage, this.#maxReadMs);
    if (coverage.unread.length > 0) {
      if (!coverage.codes.isFull) this.#unfinished = coverage;
      return null;
    }
    coverage.runs ??= runsOf(permitted, coverage);
    const found = this.#nearestCodes(coverage, vector, Math.ceil(limit * comparedPerWanted));
    return this.#compared(permitted, query, found, limit);
  }

  /** Reads more of the library that was searched last, for some milliseconds. Returns whether there is more to read. */
  readOn(milliseconds: number): boolean {
    if (this.#unfinished === null) return false;
    this.#refresh();
    if (this.#unfinished === null) return false;
    this.#read(this.#unfinished, milliseconds);
    if (this.#unfinished.unread.length === 0 || this.#unfinished.codes.isFull) this.#unfinished = null;
    return this.#unfinished !== null;
  }

  /** Drops everything if vectors of retrievable passages were replaced. */
  #refresh(): void {
    const relaid = counterOf(this.#connection, 'relaid');
    if (relaid === this.#relaid) return;
    this.#relaid = relaid;
    for (const key of [...this.#libraries.keys()]) this.#drop(key);
  }

  #drop(key: string): void {
    this.#bytes -= this.#libraries.get(key)?.bytes ?? 0;
    this.#libraries.delete(key);
    this.#coverages = new WeakMap();
    this.#unfinished = null;
  }

  #codesOf(organization: number, { model, vector }: QueryVector): VectorCodes {
    const key = `${organization} ${vector.length} ${model}`;
    let codes = this.#libraries.get(key);
    if (codes !== undefined && codes.slots > maxRemoved && codes.slots > 2 * this.#passagesOf(organization)) {
      this.#drop(key);
      codes = undefined;
    }
    codes ??= new VectorCodes(vector.length);
    this.#libraries.delete(key);
    this.#libraries.set(key, codes);
    return codes;
  }

  #passagesOf(organization: number): number {
    return numberOf(
      this.#connection.get('select passages from organizations where number = ?', organization)?.['passages'],
    );
  }

  #coverageOf(permitted: Permitted, organization: number, query: QueryVector): Coverage {
    const codes = this.#codesOf(organization, query);
    const known = this.#coverages.get(permitted);
    if (known?.codes === codes) return known;
    const unread = [...permitted.revisions.values()]
      .filter(({ number, count, vectors }) => vectors !== 'none' && (codes.places.get(number)?.count ?? -1) < count)
      .reverse();
    // Other libraries may have been dropped since.
    codes.isFull = false;
    const coverage = { codes, unread, runs: null, slots: 0 };
    this.#coverages.set(permitted, coverage);
    return coverage;
  }

  #read(coverage: Coverage, milliseconds: number): void {
    const until = performance.now() + milliseconds;
    const { codes, unread } = coverage;
    const makeRoom = (bytes: number): boolean => this.#makeRoom(codes, bytes);
    while (unread.length > 0 && !codes.isFull && performance.now() < until) {
      const next = unread.at(-1);
      // Another search may have read it.
      if (next !== undefined && (codes.places.get(next.number)?.count ?? -1) >= next.count) unread.pop();
      else codes.read(this.#connection, unread, makeRoom);
    }
  }

  /** Drops libraries that were searched longer ago until there is room for so many bytes more. */
  #makeRoom(codes: VectorCodes, bytes: number): boolean {
    for (const [key, other] of this.#libraries) {
      if (this.#bytes + bytes <= this.#capacity) break;
      if (other === codes) continue;
      this.#bytes -= other.bytes;
      this.#libraries.delete(key);
    }
    if (this.#bytes + bytes > this.#capacity) return false;
    this.#bytes += bytes;
    return true;
  }

  /** Ids of the `count` permitted passages with the nearest codes in each segment. */
  #nearestCodes({ codes, runs, slots }: Coverage, vector: Float32Array, count: number): number[] {
    if (runs === null || slots === 0) return [];
    const query = new Int8Array(vector.length);
    encode(vector, query, 0);
    const found: { id: number; distance: number }[] = [];
    let at = 0;
    for (const [index, segment] of codes.segments.entries()) {
      const from = at;
      const end = (index + 1) * segmentSlots;
      let own = 0;
      for (; at < runs.length && (runs[at] ?? 0) < end; at += 2) own += runs[at + 1] ?? 0;
      if (own === 0) continue;
      const part = { segment, base: index * segmentSlots, runs: runs.subarray(from, at), own };
      found.push(...(searchedWhole(part, query, count) ?? this.#searchedParts(part, query, count)));
    }
    return found
      .sort((one, other) => one.distance - other.distance)
      .slice(0, count)
      .map(({ id }) => id);
  }

  /** Copies the permitted codes of a segment together and searches these. */
  #searchedParts(part: SegmentPart, query: Int8Array, count: number): FoundCode[] {
    const { segment, base, runs, own } = part;
    const dimensions = query.length;
    if (this.#gathered.length < own * dimensions) this.#gathered = new Int8Array(segmentSlots * dimensions);
    const ids = new Float64Array(own);
    let copied = 0;
    for (let at = 0; at < runs.length; at += 2) {
      const [start, length] = [(runs[at] ?? 0) - base, runs[at + 1] ?? 0];
      this.#gathered.set(
        segment.codes.subarray(start * dimensions, (start + length) * dimensions),
        copied * dimensions,
      );
      ids.set(segment.ids.subarray(start, start + length), copied);
      copied += length;
    }
    return search(this.#gathered.subarray(0, own * dimensions), query, Math.min(count, own)).map(
      ({ index, distance }) => ({ id: ids[index] ?? 0, distance }),
    );
  }

  /** Compares the vectors of passages as they are in the file. */
  #compared(permitted: Permitted, { model, vector }: QueryVector, ids: readonly number[], limit: number): Found {
    const bytes = new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength);
    const best = new TopK(limit);
    for (const row of this.#connection.lists(distanceSql, bytes, JSON.stringify(ids), bytes.length, model)) {
      const id = numberOf(row[0]);
      const of = permitted.revisions.get(revisionNumberOf(id));
      if (of !== undefined) best.add({ value: 1 - numberOf(row[1]), of, id });
    }
    const sorted = best.sorted();
    return { ids: sorted.map(({ id }) => id), cosines: sorted.map(({ value }) => value) };
  }
}

interface FoundCode {
  id: number;
  distance: number;
}

/** The permitted slots of a segment. */
interface SegmentPart {
  segment: Segment;
  /** The segment's first slot. */
  base: number;
  runs: Uint32Array;
  /** How many slots are permitted. */
  own: number;
}

function search(codes: Int8Array, query: Int8Array, count: number): { index: number; distance: number }[] {
  const { keys, distances } = exactSearch(codes, query, query.length, count, MetricKind.Cos, 1);
  // Their lower halves: a key is the index of a code.
  const halves = new Uint32Array(keys.buffer, keys.byteOffset, keys.length * 2);
  return Array.from(distances, (distance, index) => ({ index: halves[index * 2] ?? 0, distance }));
}

/** Searches a segment most of which is permitted; null where too few of the nearest codes are. */
function searchedWhole({ segment, base, runs, own }: SegmentPart, query: Int8Array, count: number): FoundCode[] | null {
  if (own < segment.used * wholeFrom) return null;
  const needed = Math.min(count, own);
  const taken = Math.min(segment.used, own === segment.used ? needed : needed * takenPerNeeded);
  const found = search(segment.codes.subarray(0, segment.used * query.length), query, taken).filter(({ index }) =>
    isWithin(runs, base + index),
  );
  return found.length < needed ? null : found.map(({ index, distance }) => ({ id: segment.ids[index] ?? 0, distance }));
}

/** Whether one of the ascending runs contains a slot. */
function isWithin(runs: Uint32Array, slot: number): boolean {
  let [from, to] = [0, runs.length / 2];
  while (to - from > 1) {
    const middle = (from + to) >>> 1;
    if ((runs[middle * 2] ?? 0) <= slot) from = middle;
    else to = middle;
  }
  const start = runs[from * 2] ?? 0;
  return slot >= start && slot < start + (runs[from * 2 + 1] ?? 0);
}

/** The slots of permitted revisions, joined where they are adjacent and in one segment. Counts them in the coverage. */
function runsOf(permitted: Permitted, coverage: Coverage): Uint32Array {
  const runs: { start: number; slots: number }[] = [];
  for (const { number, vectors } of permitted.revisions.values()) {
    const place = vectors === 'none' ? undefined : coverage.codes.places.get(number);
    if (place === undefined || place.slots === 0) continue;
    coverage.slots += place.slots;
    for (let { start, slots } = place; slots > 0;) {
      const own = Math.min(slots, segmentSlots - (start % segmentSlots));
      runs.push({ start, slots: own });
      start += own;
      slots -= own;
    }
  }
  runs.sort((one, other) => one.start - other.start);
  const joined: number[] = [];
  for (const { start, slots } of runs) {
    const end = (joined.at(-2) ?? -1) + (joined.at(-1) ?? 0);
    if (joined.length > 0 && end === start && start % segmentSlots !== 0) joined.push((joined.pop() ?? 0) + slots);
    else joined.push(start, slots);
  }
  return Uint32Array.from(joined);
}
