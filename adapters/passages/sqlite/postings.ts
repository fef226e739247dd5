import { numberOf, ordinalSpan, type Connection } from './connection.ts';
import { postingsOf } from './statements.ts';

/** Bytes of one posting beside its stem's list of grades. */
const postingBytes = 8;
/** Different grades of one stem: with more of them its postings are not held. */
const mostGrades = 2 ** 16;
/** Stems that are remembered as asked for, at most. */
const mostAsked = 100_000;
/** Stems that found no room before all make room, for others may be asked for by now. */
const patience = 200;

/** The passages that hold one stem, in the order of their ids, in columns. */
export interface Postings {
  /** Number of the revision, and the ordinal in it. */
  numbers: Uint32Array;
  ordinals: Uint16Array | Uint32Array;
  /** What the stem counts in the passage is `grades[places[i]]`: the higher the better, always above 0. */
  grades: Float64Array;
  places: Uint16Array;
}

/** A stem of the organization, and how many of its retrievable passages hold it. */
export interface CountedStem {
  stem: string;
  passages: number;
}

/**
 * A reader's bounded memory of postings. FTS5's BM25 of a query is the sum of what it says of each of its phrases alone,
 * so the parts are read once and added up by each search. What a part says depends on all passages of the file: at the
 * first that is added or removed, which the file counts, all is forgotten. Changes of who may see what leave it as it is.
 */
export class HeldPostings {
  readonly #connection: Connection;
  readonly #capacity: number;
  readonly #held = new Map<string, Postings>();
  readonly #asked = new Set<string>();
  #bytes = 0;
  #withoutRoom = 0;
  #version = -1;
  #reworded = -1;

  /** @param capacity bytes of postings that are held, at most */
  constructor(connection: Connection, capacity: number) {
    this.#connection = connection;
    this.#capacity = capacity;
  }

  /**
   * The postings of these stems, in their order, as the file is at this version; null where the statement does it sooner: where most
   * of them were not asked for since the words changed, or there is no room.
   */
  of(organization: number, stems: readonly CountedStem[], version: number): Postings[] | null {
    this.#refresh(version);
    const prefix = `${organization} `;
    let [all, fresh, missing] = [0, 0, 0];
    for (const { stem, passages } of stems) {
      const key = prefix + stem;
      all += passages;
      if (this.#held.has(key)) continue;
      missing += passages;
      if (!this.#asked.has(key)) fresh += passages;
      if (this.#asked.size < mostAsked) this.#asked.add(key);
    }
    if (fresh * 2 > all) return null;
    if (this.#bytes + missing * postingBytes > this.#capacity) {
      if (++this.#withoutRoom > patience) this.#forget();
      return null;
    }
    const postings: Postings[] = [];
    for (const { stem } of stems) {
      const each = this.#held.get(prefix + stem) ?? this.#read(organization, stem, prefix + stem);
      if (each === null) return null;
      postings.push(each);
    }
    return postings;
  }

  /** Forgets what is no longer so in the present transaction. */
  #refresh(version: number): void {
    if (version === this.#version) return;
    this.#version = version;
    const reworded = numberOf(this.#connection.get("select value from counters where name = 'reworded'")?.['value']);
    if (reworded !== this.#reworded) {
      this.#forget();
      this.#asked.clear();
    }
    this.#reworded = reworded;
  }

  #read(organization: number, stem: string, key: string): Postings | null {
    const { sql, values } = postingsOf(organization, stem);
    const rows = this.#connection.lists(sql, ...values);
    const [numbers, ordinals, places] = [new Uint32Array(rows.length), new Uint32Array(rows.length), new Uint16Array(rows.length)];
    const grades = new Map<number, number>();
    let highest = 0;
    for (const [at, row] of rows.entries()) {
      const [id, grade] = [numberOf(row[0]), -numberOf(row[1])];
      const ordinal = id % ordinalSpan;
      highest = Math.max(highest, ordinal);
      numbers[at] = (id - ordinal) / ordinalSpan;
      ordinals[at] = ordinal;
      const place = grades.get(grade) ?? grades.size;
      if (place === grades.size) grades.set(grade, place);
      places[at] = place;
    }
    if (grades.size > mostGrades) return null;
    const postings = { numbers, ordinals: highest < 2 ** 16 ? Uint16Array.from(ordinals) : ordinals, grades: Float64Array.from(grades.keys()), places };
    this.#held.set(key, postings);
    this.#bytes += postings.numbers.byteLength + postings.ordinals.byteLength + postings.places.byteLength + postings.grades.byteLength;
    return postings;
  }

  #forget(): void {
    this.#held.clear();
    this.#bytes = 0;
    this.#withoutRoom = 0;
  }
}
