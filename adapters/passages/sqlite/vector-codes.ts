import { ordinalSpan, numberOf, revisionNumberOf, type Connection } from './connection.ts';
import { placeNumbers, type CodesFile, type CodesState } from './codes-file.ts';
import type { PermittedRevision } from './permitted.ts';

/** Codes of one segment, at most: segments are searched one by one, and grow without copying all codes. */
const maxSegmentSlots = 2 ** 16;
const smallestSegment = 2 ** 8;
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

  /**
   * Takes the codes from the file.
   * @param isCurrent whether codes of this state are those of the passages file
   * @param overwrites revisions with the last overwrite of their vectors
   */
  load(isCurrent: (state: CodesState) => boolean, overwrites: ReadonlyMap<number, number>): void {
    this.file.load(isCurrent, ({ state, places, ids }) => {
      for (let at = 0; at < places.length; at += placeNumbers) {
        const [number = 0, start = 0, slots = 0, count = 0] = places.subarray(at, at + placeNumbers);
        if ((overwrites.get(number) ?? 0) <= state.overwrites) this.places.set(number, { start, slots, count });
      }
      for (let at = 0; at < ids.length;) {
        const segment = this.#segmentOnDisk();
        const own = ids.subarray(at, at + this.segmentSlots - segment.used);
        segment.ids.set(own, segment.used);
        segment.used += own.length;
        at += own.length;
      }
      this.slots += ids.length;
    });
    for (const [index, segment] of this.segments.entries()) if (!this.#intoMemory(index, segment)) break;
  }

  /** The last segment of those that are only in the file, with room for more. */
  #segmentOnDisk(): Segment {
    const last = this.segments.at(-1);
    if (last !== undefined && last.used < this.segmentSlots) return last;
    const segment = { codes: null, ids: new Float64Array(this.segmentSlots), used: 0 };
    this.segments.push(segment);
    return segment;
  }

  #intoMemory(index: number, segment: Segment): boolean {
    const bytes = this.#bytesOf(segment.ids.length);
    if (!this.#memory.take(this, bytes)) return false;
    this.bytes += bytes;
    segment.codes = new Int8Array(segment.ids.length * this.dimensions);
    this.file.read([{ start: index * this.segmentSlots, slots: segment.used }], segment.codes);
    return true;
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
  read(connection: Connection, unread: PermittedRevision[]): void {
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
    const further = typeof last.vectors === 'string' ? null : last.vectors.model;
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
    const slots = last.codes === null ? last.ids.length : last.ids.length * 2;
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
      const freed = this.#bytesOf(segment.ids.length);
      this.bytes -= freed;
      this.#memory.take(this, -freed);
    }
    this.bytes += bytes;
    return true;
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
