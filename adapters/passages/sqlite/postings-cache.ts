import { counterOf, ordinalOf, revisionNumberOf, textOf, type Connection } from './connection.ts';
import { instancesOf } from './statements.ts';

/** Approximate bytes of one posting. */
const postingBytes = 8;
/** If a passage contains a stem more often, the caller uses the SQL statement. */
const maxOccurrences = 2 ** 16 - 1;
/**
 * Limits of the occurrences that are read for a stem: per retrievable passage, plus a constant. Beyond them the caller
 * uses the SQL statement. A long file that is being written has occurrences too, long before it is retrievable.
 */
const [maxPerPassage, maxBase] = [4, 5000];

/** The passages that contain one stem, in the order of their ids, as columns. */
export interface Postings {
  /** Number of the revision, and the ordinal in it. */
  numbers: Uint32Array;
  ordinals: Uint16Array | Uint32Array;
  /** How often the passage contains the stem. */
  occurrences: Uint8Array | Uint16Array;
}

/** A stem of the organization with the number of retrievable passages that contain it. */
export interface CountedStem {
  stem: string;
  passages: number;
}

function bytesOf({ numbers, ordinals, occurrences }: Postings): number {
  return numbers.byteLength + ordinals.byteLength + occurrences.byteLength;
}

/**
 * A reader's bounded LRU cache of postings: where a stem occurs and how often. FTS5's table of a word's occurrences is
 * faster to read than any of its ranking queries. A change of the retrievable rows increments a counter in the database
 * file, which clears the cache. Changes of permissions do not clear it, nor does a file that is being written. Reading
 * evicted postings again takes a fraction of the time of the statement.
 */
export class PostingsCache {
  readonly #connection: Connection;
  readonly #capacity: number;
  readonly #entries = new Map<string, Postings>();
  /** Stems with too many occurrences: the caller uses the statement for them. */
  readonly #excluded = new Set<string>();
  #bytes = 0;
  #version = -1;
  #published = -1;

  /** @param capacity maximum bytes of cached postings */
  constructor(connection: Connection, capacity: number) {
    this.#connection = connection;
    this.#capacity = capacity;
  }

  /**
   * The postings of these stems, in their order, at this version of the retrievable rows. Null if they exceed the
   * capacity or the read limits: then the caller uses the SQL statement, which finds the same.
   */
  of(organization: number, stems: readonly CountedStem[], version: number): Postings[] | null {
    this.#refresh(version);
    const prefix = `${organization} `;
    if (stems.some(({ stem }) => this.#excluded.has(prefix + stem))) return null;
    let [own, missing] = [0, 0];
    for (const { stem, passages } of stems) {
      const key = prefix + stem;
      const known = this.#entries.get(key);
      if (known === undefined) {
        missing += passages * postingBytes;
        continue;
      }
      own += bytesOf(known);
      // Moved to the end: eviction begins at the front.
      this.#entries.delete(key);
      this.#entries.set(key, known);
    }
    if (own + missing > this.#capacity) return null;
    this.#makeRoom(missing);
    const postings: Postings[] = [];
    for (const { stem, passages } of stems) {
      const each =
        this.#entries.get(prefix + stem) ?? this.#read(organization, stem, passages * maxPerPassage + maxBase);
      if (each === null) return null;
      postings.push(each);
    }
    return postings;
  }

  /** Evicts the least recently used stems until there is room for so many bytes more. */
  #makeRoom(bytes: number): void {
    for (const [key, postings] of this.#entries) {
      if (this.#bytes + bytes <= this.#capacity) return;
      this.#entries.delete(key);
      this.#bytes -= bytesOf(postings);
    }
  }

  /** Clears the cache if the current transaction sees other retrievable rows. */
  #refresh(version: number): void {
    if (version === this.#version) return;
    this.#version = version;
    const published = counterOf(this.#connection, 'published');
    if (published !== this.#published) this.#clear();
    this.#published = published;
  }

  #read(organization: number, stem: string, maxIds: number): Postings | null {
    const { sql, values } = instancesOf(organization, stem, maxIds + 1);
    // One id for each occurrence; the occurrences of one passage are adjacent.
    const ids = JSON.parse(textOf(this.#connection.lists(sql, ...values)[0]?.[0])) as number[];
    if (ids.length > maxIds) {
      this.#excluded.add(`${organization} ${stem}`);
      return null;
    }
    const [numbers, ordinals, occurrences] = [
      new Uint32Array(ids.length),
      new Uint32Array(ids.length),
      new Uint16Array(ids.length),
    ];
    let [length, last, highest, maxOccurrence] = [0, -1, 0, 0];
    for (const id of ids) {
      if (id !== last) {
        const ordinal = ordinalOf(id);
        if (ordinal > highest) highest = ordinal;
        numbers[length] = revisionNumberOf(id);
        ordinals[length] = ordinal;
        length += 1;
        last = id;
      }
      const occurrence = (occurrences[length - 1] ?? 0) + 1;
      if (occurrence > maxOccurrences) return null;
      if (occurrence > maxOccurrence) maxOccurrence = occurrence;
      occurrences[length - 1] = occurrence;
    }
    const postings: Postings = {
      numbers: numbers.slice(0, length),
      occurrences:
        maxOccurrence < 2 ** 8 ? Uint8Array.from(occurrences.subarray(0, length)) : occurrences.slice(0, length),
      ordinals: highest < 2 ** 16 ? Uint16Array.from(ordinals.subarray(0, length)) : ordinals.slice(0, length),
    };
    this.#entries.set(`${organization} ${stem}`, postings);
    this.#bytes += bytesOf(postings);
    return postings;
  }

  #clear(): void {
    this.#entries.clear();
    this.#excluded.clear();
    this.#bytes = 0;
  }
}
