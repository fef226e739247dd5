import { boundOf, type BoundedBlock } from './block-bounds.ts';
import { ordinalOf, revisionNumberOf, rowId } from './connection.ts';

/** Maximum postings of a block: fewer make more rows, more are decoded in vain where few are wanted. */
export const blockPostings = 256;
/** Postings that a list has room for at first: most stems of a merge are rare. */
const firstRoom = 8;
/** Maximum bytes of a posting: four numbers of up to five bytes. */
const maxPostingBytes = 20;

/** Postings as they are stored together, with what is known of them without decoding. */
export interface Block extends BoundedBlock {
  bytes: Uint8Array;
}

/**
 * The passages that contain one stem, as columns that grow. A stored block has for each posting, in the order of ids, as
 * numbers of seven bits a byte, the highest first: the difference of the revision's number to that of the posting before;
 * twice the ordinal (less that of the posting before in the same revision), and one more if the stem occurs more than
 * once; how often, if so; and the words of the passage.
 */
export class PostingList {
  numbers = new Uint32Array(firstRoom);
  ordinals = new Uint32Array(firstRoom);
  /** How often the passage contains the stem. */
  occurrences = new Uint32Array(firstRoom);
  /** Words of the passage. */
  lengths = new Uint32Array(firstRoom);
  size = 0;
  #isSorted = true;

  add(number: number, ordinal: number, occurrences: number, length: number): void {
    const { size } = this;
    if (size === this.numbers.length) this.#grow(size * 2);
    if (size > 0) {
      const before = this.numbers[size - 1] ?? 0;
      if (number < before || (number === before && ordinal <= (this.ordinals[size - 1] ?? 0))) this.#isSorted = false;
    }
    this.numbers[size] = number;
    this.ordinals[size] = ordinal;
    this.occurrences[size] = occurrences;
    this.lengths[size] = length;
    this.size = size + 1;
  }

  clear(): void {
    this.size = 0;
    this.#isSorted = true;
  }

  /** Adds the postings of a stored block. */
  decode(bytes: Uint8Array): void {
    let [at, number, ordinal] = [0, 0, 0];
    const next = (): number => {
      let byte = bytes[at] ?? 0;
      at += 1;
      let value = byte & 0x7f;
      while (byte >= 0x80 && at < bytes.length) {
        byte = bytes[at] ?? 0;
        at += 1;
        value = value * 128 + (byte & 0x7f);
      }
      return value;
    };
    while (at < bytes.length) {
      const further = next();
      const flagged = next();
      number += further;
      ordinal = (further === 0 ? ordinal : 0) + Math.floor(flagged / 2);
      const occurrences = flagged % 2 === 0 ? 1 : next();
      this.add(number, ordinal, occurrences, next());
    }
  }

  /** The postings without those of some passages. */
  without(isDropped: (number: number, ordinal: number) => boolean): PostingList {
    const kept = new PostingList();
    for (let at = 0; at < this.size; at += 1) {
      const [number, ordinal] = [this.numbers[at] ?? 0, this.ordinals[at] ?? 0];
      if (!isDropped(number, ordinal)) kept.add(number, ordinal, this.occurrences[at] ?? 0, this.lengths[at] ?? 0);
    }
    return kept;
  }

  /** All postings in blocks, ascending. */
  blocks(): Block[] {
    const list = this.#isSorted ? this : this.#sorted();
    const blocks: Block[] = [];
    const bytes = new Uint8Array(Math.min(list.size, blockPostings) * maxPostingBytes);
    for (let from = 0; from < list.size; from += blockPostings) {
      const end = Math.min(from + blockPostings, list.size);
      blocks.push({
        first: list.#idAt(from),
        last: list.#idAt(end - 1),
        bound: boundOf(list, from, end),
        bytes: bytes.slice(0, list.#encode(from, end, bytes)),
      });
    }
    return blocks;
  }

  #idAt(at: number): number {
    return rowId(this.numbers[at] ?? 0, this.ordinals[at] ?? 0);
  }

  /** Returns the number of bytes. */
  #encode(from: number, end: number, bytes: Uint8Array): number {
    let [used, number, ordinal] = [0, 0, 0];
    const put = (value: number): void => {
      let bits = 1;
      while (value >= 128 ** bits) bits += 1;
      for (let left = bits - 1; left >= 0; left -= 1) {
        bytes[used] = (Math.floor(value / 128 ** left) % 128) + (left === 0 ? 0 : 0x80);
        used += 1;
      }
    };
    for (let at = from; at < end; at += 1) {
      const [ownNumber, ownOrdinal, occurrences] = [
        this.numbers[at] ?? 0,
        this.ordinals[at] ?? 0,
        this.occurrences[at] ?? 0,
      ];
      put(ownNumber - number);
      put((ownOrdinal - (ownNumber === number ? ordinal : 0)) * 2 + (occurrences > 1 ? 1 : 0));
      if (occurrences > 1) put(occurrences);
      put(this.lengths[at] ?? 0);
      [number, ordinal] = [ownNumber, ownOrdinal];
    }
    return used;
  }

  #sorted(): PostingList {
    const ids = Float64Array.from({ length: this.size }, (_, at) => this.#idAt(at));
    const order = Uint32Array.from(ids, (_, at) => at).sort((one, other) => (ids[one] ?? 0) - (ids[other] ?? 0));
    const sorted = new PostingList();
    for (const at of order) {
      const id = ids[at] ?? 0;
      sorted.add(revisionNumberOf(id), ordinalOf(id), this.occurrences[at] ?? 0, this.lengths[at] ?? 0);
    }
    return sorted;
  }

  #grow(size: number): void {
    const grown = (column: Uint32Array): Uint32Array<ArrayBuffer> => {
      const larger = new Uint32Array(size);
      larger.set(column);
      return larger;
    };
    this.numbers = grown(this.numbers);
    this.ordinals = grown(this.ordinals);
    this.occurrences = grown(this.occurrences);
    this.lengths = grown(this.lengths);
  }
}
