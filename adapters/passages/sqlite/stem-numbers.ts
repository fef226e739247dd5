/** Stands between stems. */
const space = 32;
/** FNV-1a: http://www.isthe.com/chongo/tech/comp/fnv/ */
const [hashBasis, hashPrime] = [0x811c9dc5, 0x01000193];

/**
 * So many places beyond its own a stem may be put. Among honest words it comes to some dozens; a file whose words were made
 * to have one hash would have each of them compared with all others.
 */
const longestWay = 512;

/**
 * Numbers of stems, given in the order in which they come. A passage's stems are looked up as they stand in its text: a
 * map of strings would have to make each of them first, which takes several times as long.
 */
export class StemNumbers {
  readonly #most: number;
  #size = 0;
  /** A stem's number plus 1, at the first free place from its hash on; 0 where there is none. More than half of it is free. */
  #table = new Uint32Array(2 ** 11);
  #hashes = new Uint32Array(2 ** 10);
  /** The letters of all stems one after the other, and where those of each end. */
  #letters = new Uint16Array(2 ** 13);
  #ends = new Uint32Array(2 ** 10);
  #found = new Uint32Array(2 ** 10);

  /** @param most stems that are given numbers, at most */
  constructor(most: number) {
    this.#most = most;
  }

  /** Stems that have a number: each is below it. */
  get size(): number {
    return this.#size;
  }

  /** The number of a stem that has one. */
  numberOf(stem: string): number | undefined {
    const number = (this.#table[this.#placeOf(stem, 0, stem.length, hashOf(stem, 0, stem.length))] ?? 0) - 1;
    return number < 0 ? undefined : number;
  }

  /** The numbers of space-separated stems; null where there are too many stems, or too many of one hash. */
  numbersOf(stems: string): Uint16Array | Uint32Array | null {
    if (stems === '') return new Uint16Array();
    let [count, highest] = [0, 0];
    for (let from = 0; from <= stems.length;) {
      let to = from;
      while (to < stems.length && stems.charCodeAt(to) !== space) to += 1;
      const number = this.#numberAt(stems, from, to);
      if (number < 0) return null;
      if (number > highest) highest = number;
      if (count === this.#found.length) this.#found = larger(this.#found);
      this.#found[count] = number;
      count += 1;
      from = to + 1;
    }
    const found = this.#found.subarray(0, count);
    return highest < 2 ** 16 ? Uint16Array.from(found) : found.slice();
  }

  /** The number of the stem that stands there, which it is given where it has none; -1 where there are too many, or too many of its hash. */
  #numberAt(stems: string, from: number, to: number): number {
    const hash = hashOf(stems, from, to);
    const place = this.#placeOf(stems, from, to, hash);
    const known = (this.#table[place] ?? 0) - 1;
    if (known >= 0 || this.#size >= this.#most || ((place - hash) & (this.#table.length - 1)) > longestWay) return known;
    const number = this.#size;
    const start = this.#startOf(number);
    const end = start + to - from;
    while (end > this.#letters.length) this.#letters = larger(this.#letters);
    if (number === this.#ends.length) [this.#ends, this.#hashes] = [larger(this.#ends), larger(this.#hashes)];
    for (let at = from; at < to; at += 1) this.#letters[start + at - from] = stems.charCodeAt(at);
    this.#ends[number] = end;
    this.#hashes[number] = hash;
    this.#table[place] = number + 1;
    this.#size += 1;
    if (this.#size * 2 > this.#table.length) this.#widen();
    return number;
  }

  /** Where the table has the stem, or has room for it. */
  #placeOf(stems: string, from: number, to: number, hash: number): number {
    const table = this.#table;
    const last = table.length - 1;
    for (let place = hash & last; ; place = (place + 1) & last) {
      const number = (table[place] ?? 0) - 1;
      if (number < 0 || (this.#hashes[number] === hash && this.#isSame(number, stems, from, to))) return place;
    }
  }

  #isSame(number: number, stems: string, from: number, to: number): boolean {
    const letters = this.#letters;
    const start = this.#startOf(number);
    if ((this.#ends[number] ?? 0) - start !== to - from) return false;
    for (let at = from; at < to; at += 1) if (letters[start + at - from] !== stems.charCodeAt(at)) return false;
    return true;
  }

  #startOf(number: number): number {
    return number === 0 ? 0 : (this.#ends[number - 1] ?? 0);
  }

  #widen(): void {
    const table = new Uint32Array(2 * this.#table.length);
    const last = table.length - 1;
    for (let number = 0; number < this.#size; number += 1) {
      let place = (this.#hashes[number] ?? 0) & last;
      while (table[place] !== 0) place = (place + 1) & last;
      table[place] = number + 1;
    }
    this.#table = table;
  }
}

function hashOf(stems: string, from: number, to: number): number {
  let hash = hashBasis;
  for (let at = from; at < to; at += 1) hash = Math.imul(hash ^ stems.charCodeAt(at), hashPrime);
  // The table looks at the lowest bits, which the last letters alone would decide.
  return (hash ^ (hash >>> 15)) >>> 0;
}

function larger<Numbers extends Uint16Array<ArrayBuffer> | Uint32Array<ArrayBuffer>>(numbers: Numbers): Numbers {
  const made = new (numbers.constructor as new (length: number) => Numbers)(2 * numbers.length);
  made.set(numbers);
  return made;
}
