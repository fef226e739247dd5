import { counterOf, numberOf, ordinalOf, ordinalSpan, revisionNumberOf, type Connection } from './connection.ts';
import type { Permitted } from './permitted.ts';

/** Places for lengths, two bytes each, at most. */
const mostPlaces = 2 ** 21;
/** Places that a revision takes at least: what is kept beside its lengths is as large. */
const fewestPlaces = 16;
/** Longer passages, in words, are left to the SQL statement. */
const mostWords = 2 ** 16 - 1;
/** Passages whose lengths are read at a time. */
const readTogether = 5000;
/** SQLite's numbers of variable length: seven bits a byte, the highest first. https://sqlite.org/fileformat2.html#varint */
const bitsOfByte = 7;

/** Where the lengths of a search's passages are: those of the nth permitted revision from `starts[n]` on. */
export interface Lengths {
  all: Uint16Array;
  starts: Uint32Array;
  /** The most of any that is held. */
  longest: number;
}

/** One number of variable length, and where the next begins. */
export function varintAt(bytes: Uint8Array, at: number): { value: number; next: number } {
  let value = 0;
  for (let next = at; next < at + 8; next += 1) {
    const byte = bytes[next] ?? 0;
    value = value * 2 ** bitsOfByte + (byte & 0x7f);
    if (byte < 0x80) return { value, next: next + 1 };
  }
  return { value: value * 2 ** 8 + (bytes[at + 8] ?? 0), next: at + 9 };
}

/**
 * A reader's bounded memory of how many words FTS5 counts in each passage. Those of a retrievable revision stay as they
 * are; the few exceptions are counted in the file, and then all are forgotten.
 */
export class HeldLengths {
  readonly #connection: Connection;
  readonly #capacity: number;
  readonly #held = new Map<number, { start: number; count: number }>();
  /** What was found for lists of permitted revisions, as long as nothing was forgotten. */
  #found = new WeakMap<Permitted, Uint32Array>();
  #all = new Uint16Array(2 ** 12);
  #next = 0;
  #longest = 0;
  #relaid = -1;
  #version = -1;

  /** @param capacity places for lengths, at most */
  constructor(connection: Connection, capacity = mostPlaces) {
    this.#connection = connection;
    this.#capacity = capacity;
  }

  /** The lengths of all that a search may look at, at this version of what is retrievable; null where there is no room for them. */
  of(permitted: Permitted, version: number): Lengths | null {
    this.#refresh(version);
    const known = this.#found.get(permitted);
    if (known !== undefined) return { all: this.#all, starts: known, longest: this.#longest };
    let missing = this.#missing(permitted);
    const needed = (places: readonly number[]): number => places.reduce((sum, place) => sum + Math.max(fewestPlaces, permitted.counts[place] ?? 0), 0);
    if (this.#next + needed(missing) > this.#capacity) {
      this.#forget();
      missing = this.#missing(permitted);
      if (needed(missing) > this.#capacity) return null;
    }
    if (!this.#read(permitted, missing)) return null;
    const starts = Uint32Array.from(permitted.numbers, (number) => this.#held.get(number)?.start ?? 0);
    this.#found.set(permitted, starts);
    return { all: this.#all, starts, longest: this.#longest };
  }

  #refresh(version: number): void {
    if (version === this.#version) return;
    this.#version = version;
    const relaid = counterOf(this.#connection, 'relaid');
    if (relaid !== this.#relaid) this.#forget();
    this.#relaid = relaid;
  }

  /** Places of the revisions in the list whose lengths are not held. */
  #missing({ numbers, counts }: Permitted): number[] {
    const missing: number[] = [];
    for (let place = 0; place < numbers.length; place += 1) {
      const held = this.#held.get(numbers[place] ?? 0);
      if (held === undefined || held.count < (counts[place] ?? 0)) missing.push(place);
    }
    return missing;
  }

  /** Reads revisions, those with following numbers together. False where a passage is too long. */
  #read({ numbers, counts }: Permitted, missing: readonly number[]): boolean {
    let isWhole = true;
    try {
      for (let first = 0, next = 0; isWhole && first < missing.length; first = next) {
        isWhole = false;
        let passages = 0;
        const numberAt = (at: number): number => numbers[missing[at] ?? 0] ?? 0;
        for (next = first; next < missing.length && (next === first || (passages < readTogether && numberAt(next) === numberAt(next - 1) + 1)); next += 1) {
          const count = counts[missing[next] ?? 0] ?? 0;
          this.#held.set(numberAt(next), { start: this.#room(Math.max(fewestPlaces, count)), count });
          passages += count;
        }
        isWhole = this.#readRange(numberAt(first), numberAt(next - 1));
      }
      return isWhole;
    } finally {
      // What was not read to the end must not be taken for read.
      if (!isWhole) this.#forget();
    }
  }

  #readRange(first: number, last: number): boolean {
    for (const row of this.#connection.lists('select id, sz from words_docsize where id >= ? and id < ?', first * ordinalSpan, (last + 1) * ordinalSpan)) {
      const id = numberOf(row[0]);
      const held = this.#held.get(revisionNumberOf(id));
      const size = row[1];
      const ordinal = ordinalOf(id);
      if (held === undefined || ordinal >= held.count || !ArrayBuffer.isView(size)) continue;
      const { value } = varintAt(size, 0);
      if (value > mostWords) return false;
      if (value > this.#longest) this.#longest = value;
      this.#all[held.start + ordinal] = value;
    }
    return true;
  }

  #room(places: number): number {
    const start = this.#next;
    this.#next += places;
    if (this.#next > this.#all.length) {
      const larger = new Uint16Array(Math.min(this.#capacity, Math.max(this.#next, this.#all.length * 2)));
      larger.set(this.#all);
      this.#all = larger;
    }
    return start;
  }

  #forget(): void {
    this.#held.clear();
    this.#found = new WeakMap();
    this.#next = 0;
    this.#longest = 0;
  }
}
