import type { Best } from './best.ts';
import { counterOf, numberOf, ordinalOf, rowId, type Connection } from './connection.ts';
import { openVectorMemory, vectorStep, type VectorMemory } from './dot-products.ts';

/** Vectors that are read and multiplied at a time: a long file has several portions. */
export const portionVectors = 256;
/** Numbers of a vector that is scored here, at most. */
const mostDimensions = 4096;

/** Vectors that may be compared with those of the index at a time. */
export const mostAims = 8;
/** Where things lie in the memory: the aims, the products of one portion, a portion that is not kept, then those that are. */
const [aimBytes, productsPlace, loosePlace] = [mostDimensions * 4, mostAims * mostDimensions * 4, mostAims * mostDimensions * 4 + 2 ** 16];
const heldPlace = loosePlace + portionVectors * mostDimensions * 4;
const pageBytes = 2 ** 16;
/** A memory of WebAssembly ends here: 32 bits address it. */
const lastPlace = 2 ** 32 - pageBytes;
/**
 * Portions that a search misses found no room; after so many of them, and so many for each one held, all make room, for
 * others may be asked for by now. Where nearly all fit, the rest of each search must not drive out what helps it.
 */
const patience = 20_000;
const patienceForHeld = 8;

/** Vectors that lie together in the memory. */
export interface Portion {
  /** Where the first begins. */
  at: number;
  /** Bytes of each vector; 0 where none of them has one. */
  bytes: number;
  /** For each the factor that makes its length 1; NaN for a passage without a vector. */
  scales: Float64Array;
}

/** What a revision's vectors are compared with. */
export interface Comparison {
  /** Number of the aim that was set. */
  aim: number;
  dimensions: number;
  /** Gets the passages that are near, by their cosines. */
  best: Best;
}

/** Whether vectors of so many numbers can be scored here. */
export function isScorable(dimensions: number): boolean {
  return dimensions > 0 && dimensions <= mostDimensions && (dimensions * 4) % vectorStep === 0;
}

/**
 * A reader's bounded memory of vectors. The vectors of a retrievable revision stay as they are; the few exceptions are
 * counted in the file, and then all are forgotten. So they are read once, however often the file changes otherwise.
 */
export class HeldVectors {
  readonly #connection: Connection;
  readonly #end: number;
  readonly #held = new Map<number, Portion>();
  #memory: VectorMemory | null = null;
  #next = heldPlace;
  #relaid = -1;
  #withoutRoom = 0;
  #era = 0;
  #largest = 0;
  #products = new Float32Array();
  #bytes = new Uint8Array();
  #floats = new Float32Array();

  /** @param capacity bytes of the vectors that are held, at most; 4 GiB are never exceeded */
  constructor(connection: Connection, capacity: number) {
    this.#connection = connection;
    this.#end = Math.min(lastPlace, heldPlace + capacity);
  }

  /** Forgets what is no longer so in the present transaction. Ask first in each. */
  refresh(): void {
    const relaid = counterOf(this.#connection, 'relaid');
    if (relaid !== this.#relaid) this.#forget();
    this.#relaid = relaid;
  }

  /** Another number each time that all were forgotten. */
  get era(): number {
    return this.#era;
  }

  /** Holds a revision's first `count` vectors before they are needed, as far as there is room. Answers how many are held, and how many were read for it. */
  hold(number: number, count: number): { held: number; read: number } {
    let [held, read] = [0, 0];
    for (let first = 0; first < count; first += portionVectors) {
      const asked = Math.min(portionVectors, count - first);
      if (this.heldPortion(number, first, asked) === undefined) {
        if (this.#withoutRoom > 0) continue;
        read += asked;
        this.portion(number, first, asked);
      }
      if (this.heldPortion(number, first, asked) !== undefined) held += asked;
    }
    return { held, read };
  }

  /** Whether so many vectors of the size that was seen could all be held, were there no others. */
  couldHold(vectors: number): boolean {
    return heldPlace + vectors * this.#largest <= this.#end;
  }

  /** Counts vectors that would have helped a search, where they found no room. */
  miss(vectors: number): void {
    if (this.#withoutRoom > 0) this.#missed(Math.ceil(vectors / portionVectors));
  }

  /** Sets a vector that is compared next, under a number below `mostAims`; it has the length 1. */
  aim(aim: number, vector: Float32Array): void {
    new Float32Array(this.#upTo(heldPlace).all.buffer, aim * aimBytes, vector.length).set(vector);
  }

  /** The cosine of one passage with an aim, the same that comparing its whole revision gives; NaN where it has no vector of as many numbers. */
  cosineOf(id: number, aim: number, dimensions: number): number {
    const ordinal = ordinalOf(id);
    const within = ordinal % portionVectors;
    const held = this.#held.get(id - within);
    const isHeld = held !== undefined && within < held.scales.length;
    const portion = isHeld ? held : this.#loose(id, 1);
    if (portion.bytes !== dimensions * 4) return Number.NaN;
    const place = isHeld ? within : 0;
    return (this.multiply(portion, place, 1, aim)[0] ?? 0) * (portion.scales[place] ?? Number.NaN);
  }

  /** The vectors of a revision from `first` on, where so many are held. They stay where they are until the era ends. */
  heldPortion(number: number, first: number, count: number): Portion | undefined {
    const held = this.#held.get(rowId(number, first));
    return held !== undefined && held.scales.length >= count ? held : undefined;
  }

  /** Products of an aim with some vectors of a portion; they stand until the next ones. */
  multiply({ at, bytes }: Pick<Portion, 'at' | 'bytes'>, first: number, count: number, aim: number): Float32Array {
    const { all, multiply } = this.#upTo(heldPlace);
    multiply(at + first * bytes, at + (first + count) * bytes, aim * aimBytes, bytes, productsPlace);
    if (this.#products.buffer !== all.buffer) this.#products = new Float32Array(all.buffer, productsPlace, portionVectors);
    return this.#products;
  }

  /** The vectors of a portion: held, or read, and held from now on where there is room. Without room they stand until the next ones. */
  portion(number: number, first: number, count: number): Portion {
    const key = rowId(number, first);
    const held = this.heldPortion(number, first, count);
    if (held !== undefined) return held;
    const { vectors, bytes } = this.#read(key, count);
    this.#largest = Math.max(this.#largest, bytes);
    if (this.#next + bytes * count > this.#end) {
      this.#missed(1);
      return this.#lay(vectors, loosePlace, bytes, count);
    }
    const portion = this.#lay(vectors, this.#next, bytes, count);
    this.#next += bytes * count;
    this.#held.set(key, portion);
    return portion;
  }

  /** Vectors that are not kept: they stand until the next ones. */
  #loose(key: number, count: number): Portion {
    const { vectors, bytes } = this.#read(key, count);
    return this.#lay(vectors, loosePlace, bytes, count);
  }

  #read(key: number, count: number): { vectors: (Uint8Array | undefined)[]; bytes: number } {
    const vectors: (Uint8Array | undefined)[] = [];
    for (const row of this.#connection.lists('select id, vector from vectors where id >= ? and id < ?', key, key + count)) {
      const vector = row[1];
      if (ArrayBuffer.isView(vector) && isScorable(vector.byteLength / 4)) vectors[numberOf(row[0]) - key] = vector;
    }
    return { vectors, bytes: vectors.find((vector) => vector !== undefined)?.byteLength ?? 0 };
  }

  #missed(portions: number): void {
    this.#withoutRoom += portions;
    if (this.#withoutRoom > Math.max(patience, patienceForHeld * this.#held.size)) this.#forget();
  }

  #lay(vectors: readonly (Uint8Array | undefined)[], at: number, bytes: number, count: number): Portion {
    const { buffer } = this.#upTo(at + bytes * count).all;
    // Views of a memory take longer to make than a vector to copy.
    if (this.#bytes.buffer !== buffer) [this.#bytes, this.#floats] = [new Uint8Array(buffer), new Float32Array(buffer)];
    const scales = new Float64Array(count).fill(Number.NaN);
    for (let each = 0; each < count; each += 1) {
      const vector = vectors[each];
      if (vector?.byteLength !== bytes) continue;
      const from = at + each * bytes;
      this.#bytes.set(vector, from);
      scales[each] = 1 / lengthOf(this.#floats, from / 4, (from + bytes) / 4);
    }
    return { at, bytes, scales };
  }

  /**
   * The memory, with room up to `place`. It is made when it is first needed, and doubles: each growth makes the engine
   * collect garbage sooner, and what was never written to takes no memory of the machine.
   */
  #upTo(place: number): VectorMemory {
    this.#memory ??= openVectorMemory(heldPlace / pageBytes);
    const { all } = this.#memory;
    const missing = place - all.buffer.byteLength;
    if (missing > 0) all.grow(Math.ceil(Math.min(Math.max(missing, all.buffer.byteLength), this.#end - all.buffer.byteLength) / pageBytes));
    return this.#memory;
  }

  #forget(): void {
    this.#held.clear();
    this.#next = heldPlace;
    this.#withoutRoom = 0;
    this.#era += 1;
  }
}

/** Euclidean length of a vector, which may be a part of an array. */
export function lengthOf(values: Float32Array, from = 0, to = values.length): number {
  // Two sums side by side: each addition waits for the one before.
  let [even, odd] = [0, 0];
  let at = from;
  for (; at + 1 < to; at += 2) {
    const one = values[at] ?? 0;
    const other = values[at + 1] ?? 0;
    even += one * one;
    odd += other * other;
  }
  const last = at < to ? (values[at] ?? 0) : 0;
  return Math.sqrt(even + odd + last * last);
}
