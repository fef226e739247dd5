import { exactSearch, MetricKind } from 'usearch';
import type { Range, VectorCodes } from './vector-codes.ts';

/** Share of a segment from which on all of it is searched and what may not be seen is dropped from the result. */
const wholeFrom = 0.5;
/** Passages taken from such a segment for each one that is needed. */
const takenPerNeeded = 4;

/** Passages with the nearest codes, nearest first. */
interface FoundCodes {
  ids: number[];
  distances: number[];
}

/** The permitted slots of a segment. */
interface SegmentPart {
  index: number;
  /** Ascending, as pairs of the first slot and their number. */
  runs: Uint32Array;
  /** How many slots are permitted. */
  own: number;
}

/** Searches codes. Its buffer holds the codes of one segment. */
export class CodeSearch {
  #buffer = new Int8Array();

  /**
   * Ids of the `count` permitted passages with the nearest codes.
   * @param runs permitted slots as ascending pairs of the first one and their number, none over two segments
   */
  nearest(codes: VectorCodes, runs: Uint32Array, query: Int8Array, count: number): number[] {
    let found: FoundCodes = { ids: [], distances: [] };
    let at = 0;
    for (const index of codes.segments.keys()) {
      const from = at;
      const end = (index + 1) * codes.segmentSlots;
      let own = 0;
      for (; at < runs.length && (runs[at] ?? 0) < end; at += 2) own += runs[at + 1] ?? 0;
      if (own === 0) continue;
      const part = { index, runs: runs.subarray(from, at), own };
      const next = this.#whole(codes, part, query, count) ?? this.#parts(codes, part, query, count);
      found = merged(found, next, count);
    }
    return found.ids;
  }

  /** Searches a segment most of which is permitted; null where too few of the nearest codes are. */
  #whole(codes: VectorCodes, { index, runs, own }: SegmentPart, query: Int8Array, count: number): FoundCodes | null {
    const segment = codes.segments[index];
    if (segment === undefined || own < segment.used * wholeFrom) return null;
    const first = index * codes.segmentSlots;
    const needed = Math.min(count, own);
    const taken = Math.min(segment.used, own === segment.used ? needed : needed * takenPerNeeded);
    const all = segment.codes ?? this.#gathered(codes, index, [{ start: first, slots: segment.used }], segment.used);
    const found = search(all.subarray(0, segment.used * codes.dimensions), query, taken, segment.ids, (slot) =>
      isWithin(runs, first + slot),
    );
    return found.ids.length < needed ? null : found;
  }

  /** Copies the permitted codes of a segment together and searches these. */
  #parts(codes: VectorCodes, { index, runs, own }: SegmentPart, query: Int8Array, count: number): FoundCodes {
    const ids = new Float64Array(own);
    const all = codes.segments[index]?.ids ?? ids;
    const first = index * codes.segmentSlots;
    const ranges: Range[] = [];
    let copied = 0;
    for (let at = 0; at < runs.length; at += 2) {
      const [start, slots] = [runs[at] ?? 0, runs[at + 1] ?? 0];
      ranges.push({ start, slots });
      ids.set(all.subarray(start - first, start - first + slots), copied);
      copied += slots;
    }
    return search(this.#gathered(codes, index, ranges, own), query, Math.min(count, own), ids, () => true);
  }

  #gathered(codes: VectorCodes, index: number, ranges: readonly Range[], slots: number): Int8Array {
    const bytes = codes.segmentSlots * codes.dimensions;
    if (this.#buffer.length < bytes) this.#buffer = new Int8Array(bytes);
    const gathered = this.#buffer.subarray(0, slots * codes.dimensions);
    codes.gather(index, ranges, gathered);
    return gathered;
  }
}

function search(
  codes: Int8Array,
  query: Int8Array,
  count: number,
  ids: Float64Array,
  isPermitted: (slot: number) => boolean,
): FoundCodes {
  const { keys, distances } = exactSearch(codes, query, query.length, count, MetricKind.Cos, 1);
  // Their lower halves: a key is the index of a code.
  const halves = new Uint32Array(keys.buffer, keys.byteOffset, keys.length * 2);
  const found: FoundCodes = { ids: [], distances: [] };
  for (let index = 0; index < distances.length; index += 1) {
    const slot = halves[index * 2] ?? 0;
    if (!isPermitted(slot)) continue;
    found.ids.push(ids[slot] ?? 0);
    found.distances.push(distances[index] ?? 0);
  }
  return found;
}

/** The `count` nearest of both. */
function merged(one: FoundCodes, other: FoundCodes, count: number): FoundCodes {
  if (one.ids.length === 0) return other;
  const both: FoundCodes = { ids: [], distances: [] };
  for (let [left, right] = [0, 0]; both.ids.length < count;) {
    const isLeft = (one.distances[left] ?? Infinity) <= (other.distances[right] ?? Infinity);
    const [from, at] = isLeft ? [one, left] : [other, right];
    const id = from.ids[at];
    if (id === undefined) break;
    both.ids.push(id);
    both.distances.push(from.distances[at] ?? 0);
    if (isLeft) left += 1;
    else right += 1;
  }
  return both;
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
