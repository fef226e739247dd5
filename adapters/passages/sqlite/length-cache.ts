import { counterOf, numberOf, ordinalOf, ordinalSpan, revisionNumberOf, type Connection } from './connection.ts';
import type { Permitted } from './permitted.ts';

/** Maximum number of lengths, two bytes each. */
const maxSlots = 2 ** 21;
/** Minimum slots that a revision is charged for: its other cached data is as large. */
const minSlots = 16;
/** Maximum words of a passage; for longer ones the caller uses the SQL statement. */
const maxWords = 2 ** 16 - 1;
/** Maximum passages whose lengths one statement reads, unless a single revision has more. */
const maxReadPassages = 5000;
/**
 * SQLite's variable-length integers: seven bits per byte, the highest first. https://sqlite.org/fileformat2.html#varint
 */
const bitsPerByte = 7;

/** The lengths of a search's passages: those of the nth permitted revision begin at index `starts[n]` of `all`. */
export interface Lengths {
  all: Uint16Array;
  starts: Uint32Array;
  /** The largest cached length. */
  longest: number;
}

/** Decodes one variable-length integer. Returns it with the offset of the next. */
export function varintAt(bytes: Uint8Array, at: number): { value: number; next: number } {
  let value = 0;
  for (let next = at; next < at + 8; next += 1) {
    const byte = bytes[next] ?? 0;
    value = value * 2 ** bitsPerByte + (byte & 0x7f);
    if (byte < 0x80) return { value, next: next + 1 };
  }
  return { value: value * 2 ** 8 + (bytes[at + 8] ?? 0), next: at + 9 };
}

/**
 * A reader's bounded cache of the number of words that FTS5 counts in each passage. The lengths of a retrievable
 * revision rarely change; each change increments a counter in the database file, which clears the cache.
 */
export class LengthCache {
  readonly #connection: Connection;
  readonly #capacity: number;
  readonly #entries = new Map<number, { start: number; count: number }>();
  /** Results for lists of permitted revisions; valid until the cache is cleared. */
  #results = new WeakMap<Permitted, Uint32Array>();
  #all = new Uint16Array(2 ** 12);
  #next = 0;
  #longest = 0;
  #relaid = -1;
  #version = -1;

  /** @param capacity maximum number of lengths */
  constructor(connection: Connection, capacity = maxSlots) {
    this.#connection = connection;
    this.#capacity = capacity;
  }

  /**
   * The lengths of all passages that a search may read, at this version of the retrievable rows; null if they exceed
   * the capacity.
   */
  of(permitted: Permitted, version: number): Lengths | null {
    this.#refresh(version);
    const known = this.#results.get(permitted);
    if (known !== undefined) return { all: this.#all, starts: known, longest: this.#longest };
    let missing = this.#missing(permitted);
    const needed = (indexes: readonly number[]): number =>
      indexes.reduce((sum, index) => sum + Math.max(minSlots, permitted.counts[index] ?? 0), 0);
    if (this.#next + needed(missing) > this.#capacity) {
      this.#clear();
      missing = this.#missing(permitted);
      if (needed(missing) > this.#capacity) return null;
    }
    if (!this.#read(permitted, missing)) return null;
    const starts = Uint32Array.from(permitted.numbers, (number) => this.#entries.get(number)?.start ?? 0);
    this.#results.set(permitted, starts);
    return { all: this.#all, starts, longest: this.#longest };
  }

  #refresh(version: number): void {
    if (version === this.#version) return;
    this.#version = version;
    const relaid = counterOf(this.#connection, 'relaid');
    if (relaid !== this.#relaid) this.#clear();
    this.#relaid = relaid;
  }

  /** Indexes of the revisions in the list whose lengths are not cached. */
  #missing({ numbers, counts }: Permitted): number[] {
    const missing: number[] = [];
    for (let index = 0; index < numbers.length; index += 1) {
      const entry = this.#entries.get(numbers[index] ?? 0);
      if (entry === undefined || entry.count < (counts[index] ?? 0)) missing.push(index);
    }
    return missing;
  }

  /** Reads revisions; those with consecutive numbers share a statement. Returns false if a passage is too long. */
  #read({ numbers, counts }: Permitted, missing: readonly number[]): boolean {
    let isComplete = true;
    try {
      for (let first = 0, next = 0; isComplete && first < missing.length; first = next) {
        isComplete = false;
        let passages = 0;
        const numberAt = (at: number): number => numbers[missing[at] ?? 0] ?? 0;
        for (
          next = first;
          next < missing.length &&
          (next === first || (passages < maxReadPassages && numberAt(next) === numberAt(next - 1) + 1));
          next += 1
        ) {
          const count = counts[missing[next] ?? 0] ?? 0;
          this.#entries.set(numberAt(next), { start: this.#allocate(Math.max(minSlots, count)), count });
          passages += count;
        }
        isComplete = this.#readRange(numberAt(first), numberAt(next - 1));
      }
      return isComplete;
    } finally {
      // Entries that were not read completely must not be used.
      if (!isComplete) this.#clear();
    }
  }

  #readRange(first: number, last: number): boolean {
    for (const row of this.#connection.lists(
      'select id, sz from words_docsize where id >= ? and id < ?',
      first * ordinalSpan,
      (last + 1) * ordinalSpan,
    )) {
      const id = numberOf(row[0]);
      const entry = this.#entries.get(revisionNumberOf(id));
      const size = row[1];
      const ordinal = ordinalOf(id);
      if (entry === undefined || ordinal >= entry.count || !ArrayBuffer.isView(size)) continue;
      const { value } = varintAt(size, 0);
      if (value > maxWords) return false;
      if (value > this.#longest) this.#longest = value;
      this.#all[entry.start + ordinal] = value;
    }
    return true;
  }

  #allocate(indexes: number): number {
    const start = this.#next;
    this.#next += indexes;
    if (this.#next > this.#all.length) {
      const larger = new Uint16Array(Math.min(this.#capacity, Math.max(this.#next, this.#all.length * 2)));
      larger.set(this.#all);
      this.#all = larger;
    }
    return start;
  }

  #clear(): void {
    this.#entries.clear();
    this.#results = new WeakMap();
    this.#next = 0;
    this.#longest = 0;
  }
}
