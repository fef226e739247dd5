import { ordinalSpan, numberOf, revisionNumberOf, type Connection } from './connection.ts';
import type { PermittedRevision } from './permitted.ts';

/** Codes of one segment, at most: segments are searched one by one, and grow without copying all codes. */
export const segmentSlots = 2 ** 16;
const smallestSegment = 2 ** 10;
/** Highest absolute value of a code. */
const largestCode = 127;
/** Passages that one statement reads, unless a single revision has more. */
const maxReadPassages = 2000;

/** Adjacent codes in one buffer: usearch reads a buffer from its beginning. */
export interface Segment {
  codes: Int8Array<ArrayBuffer>;
  /** Id of the passage in each slot. */
  ids: Float64Array;
  used: number;
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

/** The vectors of one model in one organization as codes of one byte a dimension. */
export class VectorCodes {
  readonly dimensions: number;
  readonly segments: Segment[] = [];
  readonly places = new Map<number, Place>();
  /** Whether there was no room for more. */
  isFull = false;
  slots = 0;
  bytes = 0;

  constructor(dimensions: number) {
    this.dimensions = dimensions;
  }

  /**
   * Reads the vectors of the last revisions of the list, adjacent ones together, and removes them from it.
   * @param makeRoom whether so many bytes more may be used
   */
  read(connection: Connection, unread: PermittedRevision[], makeRoom: (bytes: number) => boolean): void {
    const taken = new Map<number, PermittedRevision>();
    const last = unread.at(-1);
    if (last === undefined) return;
    let passages = 0;
    for (let next = unread.at(-1); next !== undefined; next = unread.at(-1)) {
      const isAdjacent = next.number === last.number + taken.size && next.vectors === last.vectors;
      if (taken.size > 0 && (!isAdjacent || passages + next.count > maxReadPassages)) break;
      taken.set(next.number, next);
      passages += next.count;
      unread.pop();
    }
    const further = typeof last.vectors === 'string' ? null : last.vectors.model;
    const rows = connection.lists(
      `select id, vector from vectors where id >= ? and id < ? and ${further === null ? 'model is null' : 'model = ?'}`,
      last.number * ordinalSpan,
      (last.number + taken.size) * ordinalSpan,
      ...(further === null ? [] : [further]),
    );
    for (const { number, count } of taken.values()) this.places.set(number, { start: 0, slots: 0, count });
    for (const row of rows) {
      const id = numberOf(row[0]);
      const number = revisionNumberOf(id);
      const place = this.places.get(number);
      const bytes = row[1];
      if (place === undefined || id - number * ordinalSpan >= place.count) continue;
      if (!ArrayBuffer.isView(bytes) || bytes.byteLength !== this.dimensions * 4) continue;
      const segment = this.#roomFor(makeRoom);
      if (segment === null) {
        // Incomplete revisions are not compared.
        for (const each of taken.keys()) this.places.delete(each);
        unread.push(...[...taken.values()].reverse());
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
  }

  /** The segment of the next slot, with room for it; null if there is none. */
  #roomFor(makeRoom: (bytes: number) => boolean): Segment | null {
    const last = this.segments.at(-1);
    if (last !== undefined && last.used < last.ids.length) return last;
    const isNew = last === undefined || last.ids.length === segmentSlots;
    const slots = isNew ? (this.segments.length === 0 ? smallestSegment : segmentSlots) : last.ids.length * 2;
    const bytes = slots * (this.dimensions + Float64Array.BYTES_PER_ELEMENT);
    const more = bytes - (isNew ? 0 : last.codes.byteLength + last.ids.byteLength);
    if (!makeRoom(more)) return null;
    this.bytes += more;
    const segment = { codes: new Int8Array(slots * this.dimensions), ids: new Float64Array(slots), used: 0 };
    if (!isNew) {
      segment.codes.set(last.codes);
      segment.ids.set(last.ids);
      segment.used = last.used;
      this.segments.pop();
    }
    this.segments.push(segment);
    return segment;
  }
}
