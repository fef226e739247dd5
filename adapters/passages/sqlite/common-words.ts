import { decodeBlocks, highestShare, type LengthNorm } from './block-bounds.ts';
import { numberOf, type Connection } from './connection.ts';
import type { PassageSums } from './passage-sums.ts';
import { blockSql, boundsSql } from './statements.ts';
import { nthHighest } from './top-k.ts';

/** Share of the windows that may hold one of the best passages, up to which they are visited one by one. */
const maxOpenShare = 0.5;
/** What rounding may take from a bound. */
const slack = 1 + 1e-9;
/** Scores that `Threshold` collects beyond the limit. */
const spare = 300;

/** A block of a common word. */
interface Block {
  run: number;
  first: number;
  /** The first and the last window of its passages. */
  from: number;
  to: number;
  isAdded: boolean;
}

interface CommonWord {
  stem: string;
  weight: number;
  blocks: Block[];
  /** For each window the most that the word adds to a passage. */
  highest: Float64Array;
}

/**
 * Adds the postings of common words as far as they matter. A window of passages has a bound: its highest score so far, and
 * the most that each word adds in it, by the bounds of its blocks. Windows are visited from the highest bound downwards
 * until it is below the scores of the best passages of those before (A. Mackenzie, M. Petri and A. Moffat: Anytime
 * Ranking on Document-Ordered Indexes, 2021). While most windows would be visited, a whole word is added instead.
 */
export class CommonWords {
  readonly #connection: Connection;
  readonly #sums: PassageSums;
  readonly #norm: LengthNorm;
  readonly #add: (bytes: unknown, weight: number) => void;
  readonly #words: CommonWord[] = [];

  /** @param add adds a stored block of a word of this weight to the sums */
  constructor(
    connection: Connection,
    sums: PassageSums,
    norm: LengthNorm,
    add: (bytes: unknown, weight: number) => void,
  ) {
    this.#connection = connection;
    this.#sums = sums;
    this.#norm = norm;
    this.#add = add;
  }

  /** Takes a word whose blocks without bounds have been added. */
  take(organization: number, stem: string, weight: number): void {
    const word: CommonWord = { stem, weight, blocks: [], highest: new Float64Array(this.#sums.highest.length) };
    for (const row of this.#connection.lists(boundsSql, stem, organization)) {
      const [run, stored] = [numberOf(row[0]), row[1]];
      if (!(stored instanceof Uint8Array)) continue;
      decodeBlocks(stored, (first, last, bound) => {
        const windows = this.#sums.windowsOf(first, last);
        if (windows === null) return;
        const [from, to] = windows;
        word.blocks.push({ run, first, from, to, isAdded: false });
        const most = weight * highestShare(bound, this.#norm) * slack;
        for (let window = from; window <= to; window += 1)
          if (most > (word.highest[window] ?? 0)) word.highest[window] = most;
      });
    }
    this.#words.push(word);
  }

  /**
   * Adds the words that were taken, so that the `limit` highest scores are complete. Returns whether all scores are.
   */
  add(limit: number): boolean {
    for (const [index, word] of this.#words.entries()) {
      const left = this.#words.slice(index);
      const bounds = this.#sums.highest.map((sum, window) =>
        left.reduce((bound, { highest }) => bound + (highest[window] ?? 0), sum),
      );
      const least = nthHighest(this.#sums.highest.slice(), bounds.length, limit);
      const open = Uint32Array.from(bounds.keys()).filter((window) => (bounds[window] ?? 0) >= least);
      if (left.length === 1 || open.length <= bounds.length * maxOpenShare)
        return this.#visit(left, bounds, open, new Threshold(limit, least));
      for (const block of word.blocks) this.#addBlock(word, block);
    }
    return true;
  }

  #visit(words: readonly CommonWord[], bounds: Float64Array, open: Uint32Array, threshold: Threshold): boolean {
    const inWindow = Array.from(bounds, (): { word: CommonWord; block: Block }[] => []);
    for (const word of words)
      for (const block of word.blocks)
        for (let window = block.from; window <= block.to; window += 1) inWindow[window]?.push({ word, block });
    for (const window of open.sort((one, other) => (bounds[other] ?? 0) - (bounds[one] ?? 0))) {
      if ((bounds[window] ?? 0) < threshold.value) return false;
      for (const { word, block } of inWindow[window] ?? []) this.#addBlock(word, block);
      this.#sums.inWindow(window, (sum) => threshold.offer(sum));
    }
    return words.every(({ blocks }) => blocks.every(({ isAdded }) => isAdded));
  }

  #addBlock({ stem, weight }: CommonWord, block: Block): void {
    if (block.isAdded) return;
    block.isAdded = true;
    this.#add(this.#connection.lists(blockSql, block.run, stem, block.first)[0]?.[0], weight);
  }
}

/** The `limit`th highest of the offered scores, as far as it is above what is known beforehand. */
class Threshold {
  value: number;
  readonly #limit: number;
  readonly #scores: Float64Array;
  #count = 0;

  constructor(limit: number, least: number) {
    this.#limit = limit;
    this.#scores = new Float64Array(limit + spare);
    this.value = least;
  }

  offer(score: number): void {
    if (score <= this.value) return;
    this.#scores[this.#count] = score;
    this.#count += 1;
    if (this.#count < this.#scores.length) return;
    // Afterwards the highest ones come first.
    this.value = Math.max(this.value, nthHighest(this.#scores, this.#count, this.#limit));
    this.#count = this.#limit;
  }
}
