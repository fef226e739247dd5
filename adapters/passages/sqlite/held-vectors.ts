import { counterOf, numberOf, ordinalSpan, type Connection } from './connection.ts';
import { openVectorMemory, vectorStep, type VectorMemory } from './dot-products.ts';

/** Vectors that are read and multiplied at a time: a long file has several portions. */
const portionVectors = 256;
/** Numbers of a vector that is scored here, at most. */
const mostDimensions = 4096;

/** Where things lie in the memory: the query, the products of one portion, a portion that is not kept, then those that are. */
const [queryPlace, productsPlace, loosePlace] = [0, 2 ** 15, 2 ** 16];
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
interface Portion {
  /** Where the first begins. */
  at: number;
  /** Bytes of each vector; 0 where none of them has one. */
  bytes: number;
  /** For each the factor that makes its length 1; NaN for a passage without a vector. */
  scales: Float64Array;
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
      if (!this.#isHeld(number, first, asked)) {
        if (this.#withoutRoom > 0) continue;
        read += asked;
        this.#portion(number, first, asked);
      }
      if (this.#isHeld(number, first, asked)) held += asked;
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

  /** Sets the vector that is compared next; it has the length 1. */
  aim(vector: Float32Array): void {
    new Float32Array(this.#upTo(heldPlace).all.buffer, queryPlace, vector.length).set(vector);
  }

  /** Writes the cosines of a revision's first `count` passages to `cosines` from `place` on; NaN where there is no vector of as many numbers. */
  score(number: number, count: number, dimensions: number, cosines: Float64Array, place: number): void {
    for (let first = 0; first < count; first += portionVectors) {
      const asked = Math.min(portionVectors, count - first);
      const { at, bytes, scales } = this.#portion(number, first, asked);
      const from = place + first;
      if (bytes !== dimensions * 4) {
        cosines.fill(Number.NaN, from, from + asked);
        continue;
      }
      const { all, multiply } = this.#upTo(heldPlace);
      multiply(at, at + asked * bytes, queryPlace, bytes, productsPlace);
      const products = new Float32Array(all.buffer, productsPlace, asked);
      for (let each = 0; each < asked; each += 1) cosines[from + each] = (products[each] ?? 0) * (scales[each] ?? Number.NaN);
    }
  }

  /** The vectors of a portion: held, or read, and held from now on where there is room. */
  #portion(number: number, first: number, count: number): Portion {
    const key = number * ordinalSpan + first;
    const held = this.#held.get(key);
    if (held !== undefined && held.scales.length >= count) return held;
    const vectors: (Uint8Array | undefined)[] = [];
    for (const row of this.#connection.lists('select id, vector from vectors where id >= ? and id < ?', key, key + count)) {
      const vector = row[1];
      if (ArrayBuffer.isView(vector) && isScorable(vector.byteLength / 4)) vectors[numberOf(row[0]) - key] = vector;
    }
    const bytes = vectors.find((vector) => vector !== undefined)?.byteLength ?? 0;
    this.#largest = Math.max(this.#largest, bytes);
    const fits = this.#next + bytes * count <= this.#end;
    if (!fits) this.#missed(1);
    const portion = this.#lay(vectors, fits ? this.#next : loosePlace, bytes, count);
    if (!fits) return portion;
    this.#next += bytes * count;
    this.#held.set(key, portion);
    return portion;
  }

  #isHeld(number: number, first: number, count: number): boolean {
    return (this.#held.get(number * ordinalSpan + first)?.scales.length ?? 0) >= count;
  }

  #missed(portions: number): void {
    this.#withoutRoom += portions;
    if (this.#withoutRoom > Math.max(patience, patienceForHeld * this.#held.size)) this.#forget();
  }

  #lay(vectors: readonly (Uint8Array | undefined)[], at: number, bytes: number, count: number): Portion {
    const { buffer } = this.#upTo(at + bytes * count).all;
    const scales = new Float64Array(count).fill(Number.NaN);
    for (let each = 0; each < count; each += 1) {
      const vector = vectors[each];
      if (vector?.byteLength !== bytes) continue;
      new Uint8Array(buffer, at + each * bytes, bytes).set(vector);
      scales[each] = 1 / lengthOf(new Float32Array(buffer, at + each * bytes, bytes / 4));
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

/** Euclidean length of a vector. */
export function lengthOf(vector: Float32Array): number {
  let squares = 0;
  for (const value of vector) squares += value * value;
  return Math.sqrt(squares);
}
