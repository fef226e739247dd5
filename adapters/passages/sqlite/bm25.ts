import { numberOf, type Connection } from './connection.ts';
import { varintAt } from './length-cache.ts';

/**
 * FTS5's saturation of repeated words and its normalisation by length: https://sqlite.org/fts5.html#the_bm25_function
 */
export const [saturation, normalisation] = [1.2, 0.75];
/** FTS5's weight of a word that more than half of all passages contain. */
const minWeight = 1e-6;

/**
 * The inputs of FTS5's BM25 over all passages of the file, at one version of it. They are computed in the order of its
 * source (fts5_aux.c), so that their sums are identical to FTS5's to the last digit.
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

  /** Reads the totals if the version has changed. Call it first in each transaction. */
  refresh(version: number): void {
    if (version === this.#version) return;
    this.#version = version;
    // FTS5's record of its totals: the number of rows and of their words.
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
   * The weight (idf) of a word that this many passages contain. It uses SQLite's logarithm: that of JavaScript may
   * differ in the last digit.
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

  /** The term that is added to the occurrences in the denominator, for each passage length up to this one. */
  normsUpTo(length: number): Float64Array {
    if (this.#norms.length > length) return this.#norms;
    this.#norms = Float64Array.from(
      { length: length + 1 },
      (_, words) => saturation * (1 - normalisation + (normalisation * words) / this.#averageLength),
    );
    return this.#norms;
  }
}
