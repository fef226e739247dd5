import { counterOf, ordinalOf, revisionNumberOf, textOf, type Connection } from './connection.ts';
import { instancesOf } from './statements.ts';

/** Bytes of one posting, about. */
const postingBytes = 8;
/** A passage that holds a stem more often is left to the SQL statement. */
const mostOccurrences = 2 ** 16 - 1;
/**
 * Occurrences that are read for each retrievable passage with a stem, and in any case: more of them are left to the
 * statement. A long file that is being laid down has them too, long before it is found.
 */
const [mostForPassage, mostInAnyCase] = [4, 5000];

/** The passages that hold one stem, in the order of their ids, in columns. */
export interface Postings {
  /** Number of the revision, and the ordinal in it. */
  numbers: Uint32Array;
  ordinals: Uint16Array | Uint32Array;
  /** How often the passage holds the stem. */
  occurrences: Uint8Array | Uint16Array;
}

/** A stem of the organization, and how many of its retrievable passages hold it. */
export interface CountedStem {
  stem: string;
  passages: number;
}

function bytesOf({ numbers, ordinals, occurrences }: Postings): number {
  return numbers.byteLength + ordinals.byteLength + occurrences.byteLength;
}

/**
 * A reader's bounded memory of postings: where a stem stands and how often. FTS5's own table of a word's occurrences gives
 * them sooner than any query of its ranking does. At the first change of what may be found by anybody, which the file
 * counts, all is forgotten. Changes of who may see what leave it as it is, and so does a file that is being laid down. Where there is no room, stems make it that were not asked for
 * longest: reading postings anew takes a fraction of the time of the statement.
 */
export class HeldPostings {
  readonly #connection: Connection;
  readonly #capacity: number;
  readonly #held = new Map<string, Postings>();
  /** Stems that were found to be the statement's. */
  readonly #left = new Set<string>();
  #bytes = 0;
  #version = -1;
  #published = -1;

  /** @param capacity bytes of postings that are held, at most */
  constructor(connection: Connection, capacity: number) {
    this.#connection = connection;
    this.#capacity = capacity;
  }

  /** The postings of these stems, in their order, at this version of what is retrievable; null where there is no room, or too much to read: then the statement finds what they would. */
  of(organization: number, stems: readonly CountedStem[], version: number): Postings[] | null {
    this.#refresh(version);
    const prefix = `${organization} `;
    if (stems.some(({ stem }) => this.#left.has(prefix + stem))) return null;
    let [own, missing] = [0, 0];
    for (const { stem, passages } of stems) {
      const key = prefix + stem;
      const known = this.#held.get(key);
      if (known === undefined) {
        missing += passages * postingBytes;
        continue;
      }
      own += bytesOf(known);
      // Behind all others: those in front make room.
      this.#held.delete(key);
      this.#held.set(key, known);
    }
    if (own + missing > this.#capacity) return null;
    this.#makeRoom(missing);
    const postings: Postings[] = [];
    for (const { stem, passages } of stems) {
      const each = this.#held.get(prefix + stem) ?? this.#read(organization, stem, passages * mostForPassage + mostInAnyCase);
      if (each === null) return null;
      postings.push(each);
    }
    return postings;
  }

  /** Lets go of the stems that were not asked for longest, until there is room for so many bytes more. */
  #makeRoom(bytes: number): void {
    for (const [key, postings] of this.#held) {
      if (this.#bytes + bytes <= this.#capacity) return;
      this.#held.delete(key);
      this.#bytes -= bytesOf(postings);
    }
  }

  /** Forgets what is no longer so in the present transaction. */
  #refresh(version: number): void {
    if (version === this.#version) return;
    this.#version = version;
    const published = counterOf(this.#connection, 'published');
    if (published !== this.#published) this.#forget();
    this.#published = published;
  }

  #read(organization: number, stem: string, most: number): Postings | null {
    const { sql, values } = instancesOf(organization, stem, most + 1);
    // One id for each occurrence, those of one passage one after the other.
    const ids = JSON.parse(textOf(this.#connection.lists(sql, ...values)[0]?.[0])) as number[];
    if (ids.length > most) {
      this.#left.add(`${organization} ${stem}`);
      return null;
    }
    const [numbers, ordinals, occurrences] = [new Uint32Array(ids.length), new Uint32Array(ids.length), new Uint16Array(ids.length)];
    let [length, last, highest, mostOften] = [0, -1, 0, 0];
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
      if (occurrence > mostOccurrences) return null;
      if (occurrence > mostOften) mostOften = occurrence;
      occurrences[length - 1] = occurrence;
    }
    const postings: Postings = {
      numbers: numbers.slice(0, length),
      occurrences: mostOften < 2 ** 8 ? Uint8Array.from(occurrences.subarray(0, length)) : occurrences.slice(0, length),
      ordinals: highest < 2 ** 16 ? Uint16Array.from(ordinals.subarray(0, length)) : ordinals.slice(0, length),
    };
    this.#held.set(`${organization} ${stem}`, postings);
    this.#bytes += bytesOf(postings);
    return postings;
  }

  #forget(): void {
    this.#held.clear();
    this.#left.clear();
    this.#bytes = 0;
  }
}
