import { ordinalSpan, numberOf, revisionNumberOf, type Connection } from './connection.ts';
import { placeNumbers, type CodesFile, type CodesState } from './codes-file.ts';
import type { PermittedRevision } from './permitted.ts';
import { comparable } from './statements.ts';

/** Codes of one segment, at most: segments are searched one by one, and grow without copying all codes. */
const maxSegmentSlots = 2 ** 16;
const smallestSegment = 2 ** 8;
/** Bytes of codes that are read from the file at a time. */
const loadedTogether = 2 ** 20;
/** Highest absolute value of a code. */
const largestCode = 127;
/** Passages that one statement reads, unless a single revision has more. */
const maxReadPassages = 2000;
/** Adjacent codes in one buffer: usearch reads a buffer from its beginning. */
export interface Segment {
  /** Null where memory has no room for them: then they are read from the file for each search. */
  codes: Int8Array<ArrayBuffer> | null;
  /** Id of the passage in each slot. */
  ids: Float64Array;
  used: number;
}

type InMemory = Segment & { codes: Int8Array<ArrayBuffer> };

/** Adjacent slots. */
export interface Range {
  start: number;
  slots: number;
}

/** Where the codes of a revision are. */
export interface Place {
  /** Its first slot; the segment is the slot over `segmentSlots`. */
  start: number;
  /** Its codes: passages without a comparable vector have none. */
  slots: number;
  /** Exclusive upper bound of the ordinals that were read. */
  count: number;
}

/** Writes the code of a vector: its numbers as integers, the largest as 127. Its length is lost, its direction stays. */
export function encode(vector: Float32Array, codes: Int8Array, at: number): void {
  let largest = 0;
  for (let index = 0; index < vector.length; index += 1) {
    const size = Math.abs(vector[index] ?? 0);
    if (size > largest) largest = size;
  }
  const factor = largest === 0 ? 0 : largestCode / largest;
  for (let index = 0; index < vector.length; index += 1) codes[at + index] = Math.round((vector[index] ?? 0) * factor);
}

/** Sizes that tests change. */
export interface CodesSizes {
  /** Maximum bytes of the codes of a segment. */
  segmentBytes: number;
  /** Fewer codes are not worth a write: reading their vectors takes tens of milliseconds. */
  leastSaved: number;
  /** So many codes of removed passages are always kept. */
  maxRemoved: number;
}

/** The sizes of a running program. */
export const usualSizes: CodesSizes = { segmentBytes: 2 ** 24, leastSaved: 4096, maxRemoved: 4096 };

/** Memory for codes. */
export interface CodesMemory {
  /** Takes so many bytes more for codes; negative ones are given back. Returns false if there is no room. */
  take(codes: VectorCodes, bytes: number): boolean;
}

/**
 * The vectors of one model in one organization as codes of one byte a dimension: in memory as far as they may be, and
 * in a file, from which the next start reads them.
 */
export class VectorCodes {
  readonly dimensions: number;
  readonly segmentSlots: number;
  readonly segments: Segment[] = [];
  readonly places = new Map<number, Place>();
  /** Whether there was no room for more, neither in memory nor in the file. */
  isFull = false;
  slots = 0;
  /** How often a revision's codes were read once more and got another place. */
  moves = 0;
  /** Bytes in memory. */
  bytes = 0;
  /** The state of the passages file of which all places are. */
  state: CodesState = { opening: 0, changes: 0, overwrites: 0 };
  readonly file: CodesFile;
  readonly #memory: CodesMemory;
  readonly #leastSaved: number;
  #isLoaded = false;
  /** Codes of the file that are only checked. */
  #piece = new Int8Array();
  /** Revisions that were read since the file was written. */
  #unsaved: number[] = [];

  constructor(dimensions: number, file: CodesFile, memory: CodesMemory, sizes: CodesSizes) {
    this.dimensions = dimensions;
    this.segmentSlots = Math.min(
      maxSegmentSlots,
      Math.max(smallestSegment, 2 ** Math.floor(Math.log2(sizes.segmentBytes / dimensions))),
    );
    this.file = file;
    this.#memory = memory;
    this.#leastSaved = sizes.leastSaved;
  }

  /** Whether all codes that the file has were taken. */
  get isLoaded(): boolean {
    return this.#isLoaded;
  }

  /**
   * Takes the next codes from the file.
   * @param isCurrent whether codes of this state are those of the passages file
   * @param overwrittenSince revisions whose vectors were overwritten after a state
   */
  loadNext(
    isCurrent: (state: CodesState) => boolean,
    overwrittenSince: (state: CodesState) => ReadonlySet<number>,
  ): void {
    const block = this.file.next(isCurrent, (slot, slots) => this.#roomInFile(slot, slots));
    if (block === null) {
      this.#isLoaded = true;
      this.#piece = new Int8Array();
      // A damaged block may have begun further segments.
      for (const { codes, ids } of this.segments.splice(Math.ceil(this.slots / this.segmentSlots)))
        if (codes !== null) this.#giveBack(this.#bytesOf(ids.length));
      return;
    }
    const { state, places, ids } = block;
    const overwritten = overwrittenSince(state);
    for (let at = 0; at < places.length; at += placeNumbers) {
      const [number = 0, start = 0, slots = 0, count = 0] = places.subarray(at, at + placeNumbers);
      if (!overwritten.has(number)) this.places.set(number, { start, slots, count });
    }
    for (let at = 0; at < ids.length;) {
      const segment = this.segments[Math.floor(this.slots / this.segmentSlots)];
      if (segment === undefined) throw new RangeError('a block of codes has no segment');
      const own = ids.subarray(at, at + segment.ids.length - segment.used);
      segment.ids.set(own, segment.used);
      segment.used += own.length;
      this.slots += own.length;
      at += own.length;
    }
  }

  /** Where codes of the file go: into their segment if it is in memory, otherwise into a piece that is only checked. */
  #roomInFile(slot: number, slots: number): Int8Array {
    const index = Math.floor(slot / this.segmentSlots);
    const start = slot % this.segmentSlots;
    const { codes, ids } = this.segments[index] ?? this.#segmentInFile(index);
    const own = Math.min(slots, ids.length - start, Math.ceil(loadedTogether / this.dimensions));
    if (codes !== null) return codes.subarray(start * this.dimensions, (start + own) * this.dimensions);
    if (this.#piece.length < own * this.dimensions) this.#piece = new Int8Array(own * this.dimensions);
    return this.#piece.subarray(0, own * this.dimensions);
  }

  /** The next segment of those in the file: in memory if there is room for it. */
  #segmentInFile(index: number): Segment {
    const left = Math.max(smallestSegment, this.file.maxSlots() - index * this.segmentSlots);
    const slots = Math.min(this.segmentSlots, 2 ** Math.ceil(Math.log2(left)));
    const bytes = this.#bytesOf(slots);
    const isInMemory = this.#memory.take(this, bytes);
    if (isInMemory) this.bytes += bytes;
    const codes = isInMemory ? new Int8Array(slots * this.dimensions) : null;
    const segment = { codes, ids: new Float64Array(slots), used: 0 };
    this.segments.push(segment);
    return segment;
  }

  #bytesOf(slots: number): number {
    return slots * (this.dimensions + Float64Array.BYTES_PER_ELEMENT);
  }

  /** Codes of adjacent slots in one segment, in one buffer after each other. */
  gather(index: number, ranges: readonly Range[], into: Int8Array): void {
    const codes = this.segments[index]?.codes ?? null;
    if (codes === null) {
      this.file.read(ranges, into);
      return;
    }
    const first = index * this.segmentSlots;
    let copied = 0;
    for (const { start, slots } of ranges) {
      const from = (start - first) * this.dimensions;
      into.set(codes.subarray(from, from + slots * this.dimensions), copied);
      copied += slots * this.dimensions;
    }
  }

  /**
   * Reads the vectors of the last revisions of the list, adjacent ones together, and removes them from it once they are
   * read.
   */
  read(connection: Connection, model: string, unread: PermittedRevision[]): void {
    const taken = new Map<number, PermittedRevision>();
    const last = unread.at(-1);
    if (last === undefined) return;
    let passages = 0;
    for (let next: PermittedRevision | undefined = last; next !== undefined; next = unread.at(-1 - taken.size)) {
      const isAdjacent = next.number === last.number + taken.size && next.vectors === last.vectors;
      if (taken.size > 0 && (!isAdjacent || passages + next.count > maxReadPassages)) break;
      taken.set(next.number, next);
      passages += next.count;
    }
    const further = last.vectors === comparable.further ? model : null;
    const rows = connection.lists(
      `select id, vector from vectors where id >= ? and id < ? and ${further === null ? 'model is null' : 'model = ?'}`,
      last.number * ordinalSpan,
      (last.number + taken.size) * ordinalSpan,
      ...(further === null ? [] : [further]),
    );
    for (const { number, count } of taken.values()) {
      if (this.places.has(number)) this.moves += 1;
      this.places.set(number, { start: 0, slots: 0, count });
    }
    for (const row of rows) {
      const id = numberOf(row[0]);
      const number = revisionNumberOf(id);
      const place = this.places.get(number);
      const bytes = row[1];
      if (place === undefined || id - number * ordinalSpan >= place.count) continue;
      if (!ArrayBuffer.isView(bytes) || bytes.byteLength !== this.dimensions * 4) continue;
      const segment = this.#segmentForNext();
      if (segment === null) {
        // Incomplete revisions are not compared.
        for (const each of taken.keys()) this.places.delete(each);
        this.isFull = true;
        return;
      }
      if (place.slots === 0) place.start = this.slots;
      encode(
        new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength)),
        segment.codes,
        segment.used * this.dimensions,
      );
      segment.ids[segment.used] = id;
      segment.used += 1;
      place.slots += 1;
      this.slots += 1;
    }
    unread.length -= taken.size;
    this.#unsaved.push(...taken.keys());
  }

  /** The segment of the next slot, in memory and with room for it; null if there is none. */
  #segmentForNext(): InMemory | null {
    const last = this.segments.at(-1);
    if (last !== undefined && isInMemory(last) && last.used < last.ids.length) return last;
    if (last !== undefined && last.used < this.segmentSlots) return this.#enlarged(last);
    const slots = this.segments.length === 0 ? smallestSegment : this.segmentSlots;
    if (!this.#room(this.#bytesOf(slots))) return null;
    const segment = { codes: new Int8Array(slots * this.dimensions), ids: new Float64Array(slots), used: 0 };
    this.segments.push(segment);
    return segment;
  }

  /** Puts a larger segment with the same codes in the place of the last one. */
  #enlarged(last: Segment): InMemory | null {
    const slots = last.used < last.ids.length ? last.ids.length : last.ids.length * 2;
    const more = this.#bytesOf(slots) - (last.codes === null ? 0 : this.#bytesOf(last.ids.length));
    if (!this.#room(more)) return null;
    const codes = new Int8Array(slots * this.dimensions);
    const index = this.segments.length - 1;
    this.gather(index, [{ start: index * this.segmentSlots, slots: last.used }], codes);
    const ids = new Float64Array(slots);
    ids.set(last.ids.subarray(0, last.used));
    const segment = { codes, ids, used: last.used };
    this.segments[index] = segment;
    return segment;
  }

  /** Makes room in memory, if need be by leaving full segments to the file. */
  #room(bytes: number): boolean {
    while (!this.#memory.take(this, bytes)) {
      const index = this.segments.findIndex(({ codes }) => codes !== null);
      const segment = this.segments[index];
      if (segment === undefined || segment.used < this.segmentSlots) return false;
      if (this.file.slots < (index + 1) * this.segmentSlots && !this.save(1)) return false;
      segment.codes = null;
      this.#giveBack(this.#bytesOf(segment.ids.length));
    }
    this.bytes += bytes;
    return true;
  }

  #giveBack(bytes: number): void {
    this.bytes -= bytes;
    this.#memory.take(this, -bytes);
  }

  /**
   * Writes the codes that the file lacks into it, if there are so many. Returns false if they cannot be written.
   */
  save(least = this.#leastSaved): boolean {
    const from = this.file.slots;
    if (this.slots - from < least) return true;
    const ids = new Float64Array(this.slots - from);
    const codes: Int8Array[] = [];
    for (let slot = from; slot < this.slots;) {
      const segment = this.segments[Math.floor(slot / this.segmentSlots)];
      if (segment === undefined || !isInMemory(segment)) return false;
      const start = slot % this.segmentSlots;
      ids.set(segment.ids.subarray(start, segment.used), slot - from);
      codes.push(segment.codes.subarray(start * this.dimensions, segment.used * this.dimensions));
      slot += segment.used - start;
    }
    const places = this.#unsaved.flatMap((number) => {
      const place = this.places.get(number);
      return place === undefined ? [] : [number, place.start, place.slots, place.count];
    });
    try {
      this.file.append({ state: this.state, places: Float64Array.from(places), ids }, codes);
    } catch {
      // The file only saves time: it is written again with the next codes.
      return false;
    }
    this.#unsaved = [];
    return true;
  }
}

function isInMemory(segment: Segment): segment is InMemory {
  return segment.codes !== null;
}
