/*
 * What is known of a block of postings without reading it: the highest score that a passage in it may have (S. Ding and
 * T. Suel: Faster Top-k Document Retrieval Using Block-Max Indexes, 2011). The score of BM25 depends on the average length
 * of all passages, which changes. So a bound has pairs of occurrences and words of which no passage of the block is
 * better than all: it is true for every average.
 */

/** Pairs of a bound, at most. */
const maxPairs = 4;
/** Occurrences and words of a pair are below these: four pairs fit into a number of 53 bits. */
const [occurrenceSpan, lengthSpan] = [16, 512];
const pairSpan = occurrenceSpan * lengthSpan;
/** Numbers of a block in `BlockBounds`, and their bytes. */
const blockNumbers = 3;
const numberBytes = 8;

/** The normalisation of BM25 by length: a passage counts `occurrences / (occurrences + fixed + perWord * words)`. */
export interface LengthNorm {
  fixed: number;
  perWord: number;
}

/** A block without its postings. */
export interface BoundedBlock {
  /** Ids of the first and last passage. The first one is the block's key, also after its passage has other words. */
  first: number;
  last: number;
  /** As returned by `boundOf`. */
  bound: number;
}

/** How often passages contain a stem, and how many words they have, as in `PostingList`. */
interface Occurrences {
  occurrences: Uint32Array;
  lengths: Uint32Array;
}

/** The bound of the postings from `from` to `end`, exclusive. */
export function boundOf({ occurrences, lengths }: Occurrences, from: number, end: number): number {
  const shortest = new Array<number>(occurrenceSpan).fill(lengthSpan);
  for (let at = from; at < end; at += 1) {
    const often = Math.min(occurrenceSpan - 1, occurrences[at] ?? 0);
    const length = Math.min(lengthSpan - 1, lengths[at] ?? 0);
    if (length < (shortest[often] ?? 0)) shortest[often] = length;
  }
  // From the most occurrences on, each shorter than those before.
  const pairs: [often: number, length: number][] = [];
  for (let often = occurrenceSpan - 1; often > 0; often -= 1) {
    const length = shortest[often] ?? lengthSpan;
    if (length < (pairs.at(-1)?.[1] ?? lengthSpan)) pairs.push([often, length]);
  }
  const [most = 0] = pairs[0] ?? [];
  const kept = pairs.slice(-maxPairs);
  // The pairs that are left out are within this one.
  if (kept[0] !== undefined) kept[0] = [most, kept[0][1]];
  return kept.reduce((packed, [often, length]) => packed * pairSpan + often * lengthSpan + length, 0);
}

/** The highest share of a stem's weight that a passage with this bound may have. */
export function highestShare(bound: number, { fixed, perWord }: LengthNorm): number {
  let highest = 0;
  for (let left = bound; left > 0; left = Math.floor(left / pairSpan)) {
    const pair = left % pairSpan;
    const often = Math.floor(pair / lengthSpan);
    // The largest number stands for all that are larger.
    if (often === occurrenceSpan - 1) return 1;
    highest = Math.max(highest, often / (often + fixed + perWord * (pair % lengthSpan)));
  }
  return highest;
}

/** Blocks as they are stored: their three numbers one after another, as 64 bits in little-endian order. */
export function encodeBlocks(blocks: readonly BoundedBlock[]): Uint8Array {
  const bytes = new DataView(new ArrayBuffer(blocks.length * blockNumbers * numberBytes));
  for (const [index, { first, last, bound }] of blocks.entries()) {
    for (const [at, value] of [first, last, bound].entries())
      bytes.setFloat64((index * blockNumbers + at) * numberBytes, value, true);
  }
  return new Uint8Array(bytes.buffer);
}

/** Calls `accept` for each stored block. */
export function decodeBlocks(stored: Uint8Array, accept: (first: number, last: number, bound: number) => void): void {
  const bytes = new DataView(stored.buffer, stored.byteOffset, stored.byteLength);
  const blockBytes = blockNumbers * numberBytes;
  for (let at = 0; at + blockBytes <= bytes.byteLength; at += blockBytes)
    accept(
      bytes.getFloat64(at, true),
      bytes.getFloat64(at + numberBytes, true),
      bytes.getFloat64(at + 2 * numberBytes, true),
    );
}
