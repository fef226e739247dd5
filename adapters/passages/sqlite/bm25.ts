import { numberOf, type Connection } from './connection.ts';
import { varintAt } from './length-cache.ts';

/**
 * FTS5's saturation of repeated words and its normalisation by length: https://sqlite.org/fts5.html#the_bm25_function
 */
export const [saturation, normalisation] = [1.2, 0.75];
/** What FTS5 takes for the weight of a word that more than half of all passages hold. */
const minWeight = 1e-6;

/**
 * The numbers that FTS5's BM25 is made of, over all passages of the file, as they are at one version of it. They are
 * worked out in the order of its source (fts5_aux.c), so that sums of them are its own to the last digit.
 */
export class Bm25Numbers {
  readonly #connection: Connection;
  readonly #weights = new Map<number, number>();
  #norms = new Float64Array();
  #rows = 0;
  #averageLength = 0;
  #version = -1;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Reads the totals of the current transaction, where the version is another one. Call it first in each. */
  refresh(version: number): void {
    if (version === this.#version) return;
    this.#version = version;
    // FTS5's record of its totals: how many rows, and how many words they have together.
    const record = this.#connection.lists('select block from words_data where id = 1')[0]?.[0];
    const totals = ArrayBuffer.isView(record) ? record : new Uint8Array();
    const rows = varintAt(totals, 0);
    const words = varintAt(totals, rows.next).value;
    this.#rows = rows.value;
    this.#averageLength = words / rows.value;
    this.#weights.clear();
    this.#norms = new Float64Array();
  }

  /**
   * The weight (idf) of a word that so many passages hold. SQLite's logarithm is asked: that of JavaScript may differ
   * in the last digit.
   */
  weightOf(passages: number): number {
    const known = this.#weights.get(passages);
    if (known !== undefined) return known;
    const logarithm = numberOf(
      this.#connection.lists('select ln(?)', (this.#rows - passages + 0.5) / (passages + 0.5))[0]?.[0],
    );
    const weight = logarithm <= 0 ? minWeight : logarithm;
    this.#weights.set(passages, weight);
    return weight;
  }

  /** What is added to the occurrences below the fraction, by the passage's length, for all lengths up to this one. */
  normsUpTo(length: number): Float64Array {
    if (this.#norms.length > length) return this.#norms;
    this.#norms = Float64Array.from(
      { length: length + 1 },
      (_, words) => saturation * (1 - normalisation + (normalisation * words) / this.#averageLength),
    );
    return this.#norms;
  }
}
