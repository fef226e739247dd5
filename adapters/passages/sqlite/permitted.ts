import type { Retrieval } from '../port.ts';
import { ChangeLog } from './change-log.ts';
import { ordinalOf, revisionNumberOf, textOf, type Connection } from './connection.ts';
import { comparable, permittedAmong, permittedRevisions, type Statement } from './statements.ts';

/** A revision that a search may read. */
export interface PermittedRevision {
  number: number;
  /** Exclusive upper bound of its passages' ordinals. */
  count: number;
  /** One of `comparable`. */
  vectors: number;
}

/** Changes of one list that are remembered. */
const maxJournal = 1000;
/** Share of places of removed passages from which on a list is made anew, if there are so many at least. */
const [wornFrom, leastWorn] = [0.25, 4096];
/** Sizes of the columns' buffers, in revisions, for each one that is needed once a list grows. */
const roomForMore = 1.5;
const columns = ['numbers', 'counts', 'vectors', 'offsets'] as const;

/**
 * The revisions that a search may read, in columns in ascending order of their numbers: a list may have a million. It
 * follows the changes of the index: a revision that may not be read any more keeps its place, with no passages.
 */
export class Permitted {
  numbers = new Uint32Array();
  /** Exclusive upper bounds of their passages' ordinals. A count of 0: nothing of it may be read any more. */
  counts = new Uint32Array();
  /** Each is one of `comparable`. */
  vectors = new Uint32Array();
  /** Index of their first passages in arrays of all permitted passages. */
  offsets = new Uint32Array();
  /** Size of arrays of all permitted passages. */
  passages = 0;
  /** Passages that may be read. */
  #readable = 0;
  /** Revisions that changed, the last ones; how many there were before these. */
  readonly #journal: number[] = [];
  #before = 0;

  /** @param found in any order */
  constructor(found: readonly PermittedRevision[]) {
    const isOrdered = found.every(({ number }, at) => at === 0 || number > (found[at - 1]?.number ?? 0));
    const ordered = isOrdered ? found : found.toSorted((one, other) => one.number - other.number);
    for (const column of columns) this[column] = new Uint32Array(ordered.length);
    for (const [at, revision] of ordered.entries()) {
      this.#put(at, revision, this.passages);
      this.passages += revision.count;
    }
    this.#readable = this.passages;
  }

  /** Whether so many passages were removed that a new list is better. */
  get isWorn(): boolean {
    const removed = this.passages - this.#readable;
    return removed > leastWorn && removed > this.passages * wornFrom;
  }

  /** How many changes there were. */
  get changes(): number {
    return this.#before + this.#journal.length;
  }

  /** Revisions that changed after so many changes; null if that is not known any more. */
  changedSince(changes: number): readonly number[] | null {
    return changes < this.#before ? null : this.#journal.slice(changes - this.#before);
  }

  /** The index of a revision in the columns; -1 for one of which nothing may be read. */
  indexOf(number: number): number {
    const at = firstFrom(this.numbers, number);
    return this.numbers[at] === number && this.counts[at] !== 0 ? at : -1;
  }

  /** Whether a passage may be read. */
  has(id: number): boolean {
    const at = this.indexOf(revisionNumberOf(id));
    return at >= 0 && ordinalOf(id) < (this.counts[at] ?? 0);
  }

  /** The revision at an index of the columns. */
  at(index: number): PermittedRevision {
    return {
      number: this.numbers[index] ?? 0,
      count: this.counts[index] ?? 0,
      vectors: this.vectors[index] ?? comparable.none,
    };
  }

  /** Replaces revisions by what they are now; null for those that may not be read any more. */
  change(changed: ReadonlyMap<number, PermittedRevision | null>): void {
    const added: PermittedRevision[] = [];
    // From this index on, revisions get other places.
    let from = this.numbers.length;
    for (const [number, now] of [...changed].sort(([one], [other]) => one - other)) {
      const at = firstFrom(this.numbers, number);
      const isKnown = this.numbers[at] === number;
      if (!isKnown && now === null) continue;
      this.#journal.push(number);
      this.#readable += (now?.count ?? 0) - (isKnown ? (this.counts[at] ?? 0) : 0);
      if (isKnown) {
        const offset = this.offsets[at] ?? 0;
        this.#put(at, now ?? { number, count: 0, vectors: comparable.none }, offset);
        if ((now?.count ?? 0) > this.#endOf(at) - offset) from = Math.min(from, at);
      } else if (now !== null) {
        added.push(now);
        from = Math.min(from, at);
      }
    }
    this.#before += this.#journal.splice(0, this.#journal.length - maxJournal).length;
    if (added.length > 0 || from < this.numbers.length) this.#place(from, added);
  }

  /** Where the place of a revision ends. */
  #endOf(at: number): number {
    return this.offsets[at + 1] ?? this.passages;
  }

  #put(at: number, { number, count, vectors }: PermittedRevision, offset: number): void {
    this.numbers[at] = number;
    this.counts[at] = count;
    this.vectors[at] = vectors;
    this.offsets[at] = offset;
  }

  /**
   * Adds revisions, which ascend, and gives more room to those that have more passages now. All in one pass over the
   * columns from an index on.
   */
  #place(from: number, added: readonly PermittedRevision[]): void {
    const size = this.numbers.length;
    const [numbers, counts, vectors] = [this.numbers.slice(from), this.counts.slice(from), this.vectors.slice(from)];
    const room = numbers.map((_, at) => this.#endOf(from + at) - (this.offsets[from + at] ?? 0));
    let offset = this.offsets[from] ?? this.passages;
    this.#makeRoom(size + added.length);
    for (const column of columns) this[column] = new Uint32Array(this[column].buffer, 0, size + added.length);
    for (let [at, next, to] = [0, 0, from]; to < this.numbers.length; to += 1) {
      const [number, further] = [numbers[at] ?? Infinity, added[next]];
      if (further !== undefined && further.number < number) {
        this.#put(to, further, offset);
        offset += further.count;
        next += 1;
      } else {
        const count = counts[at] ?? 0;
        this.#put(to, { number, count, vectors: vectors[at] ?? comparable.none }, offset);
        offset += Math.max(count, room[at] ?? 0);
        at += 1;
      }
    }
    this.passages = offset;
  }

  /** Sees to it that the buffers of the columns have room for so many revisions. */
  #makeRoom(size: number): void {
    for (const column of columns) {
      const own = this[column];
      if (own.buffer.byteLength >= size * own.BYTES_PER_ELEMENT) continue;
      const larger = new Uint32Array(Math.ceil(size * roomForMore));
      larger.set(own);
      this[column] = larger.subarray(0, own.length);
    }
  }
}

/** The first index of a number not below `wanted`. */
function firstFrom(numbers: Uint32Array, wanted: number): number {
  let [from, to] = [0, numbers.length];
  // Most changes are of the latest revisions.
  if ((numbers[to - 1] ?? 0) < wanted) return to;
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((numbers[middle] ?? 0) < wanted) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** Size of the cache in revisions, of 16 bytes each. */
const maxRevisions = 1_000_000;
/** Characters of a key that count as one revision: a thousand principals make a long key, even without results. */
const charactersPerRevision = 16;
/** Changed revisions that a list follows. Of more, it is made anew. */
const maxFollowed = 1000;

interface Entry {
  permitted: Permitted;
  /** The last change that it knows. */
  change: number;
}

/** A reader's cache of permitted revisions, by principals and filter. Its lists follow the changes of the index. */
export class PermittedCache {
  readonly #connection: Connection;
  readonly #log: ChangeLog;
  readonly #cache = new Map<string, Entry>();
  #size = 0;
  #version = -1;

  constructor(connection: Connection) {
    this.#connection = connection;
    this.#log = new ChangeLog(connection);
  }

  /**
   * The revisions that this search may read and compare by this model, at this version of the retrievable rows. A filter
   * by speaker or language is left out: it restricts their passages.
   */
  get(organization: number, retrieval: Retrieval, model: string | null, version: number): Permitted {
    if (version !== this.#version) this.#log.readOn();
    this.#version = version;
    const { principals, exceptAsset } = retrieval;
    const { speaker: _speaker, language: _language, ...filter } = retrieval.filter;
    const key = JSON.stringify([organization, principals, filter, exceptAsset, model]);
    const cached = this.#cache.get(key);
    if (cached !== undefined && this.#isFollowing(cached, organization, retrieval, model)) return cached.permitted;
    const permitted = new Permitted(this.#found(permittedRevisions(organization, retrieval, model)));
    this.#size -= this.#cache.delete(key) ? sizeOf(key, cached?.permitted) : 0;
    // Checked before the insertion: one entry may be larger than the limit, and all searches of a library may share it.
    if (this.#size > maxRevisions) this.#clear();
    this.#cache.set(key, { permitted, change: this.#log.last });
    this.#size += sizeOf(key, permitted);
    return permitted;
  }

  /** Lets a list follow the changes since it was used; false if it must be made anew. */
  #isFollowing(entry: Entry, organization: number, retrieval: Retrieval, model: string | null): boolean {
    const changed = this.#log.since(organization, entry.change);
    if (changed === null || changed.size > maxFollowed || entry.permitted.isWorn) return false;
    if (changed.size > 0) {
      const before = entry.permitted.numbers.length;
      const now = new Map<number, PermittedRevision | null>([...changed].map((number) => [number, null]));
      for (const each of this.#found(permittedAmong(organization, retrieval, model, [...changed])))
        now.set(each.number, each);
      entry.permitted.change(now);
      this.#size += entry.permitted.numbers.length - before;
    }
    // Only now: where reading fails, the next search must follow the same changes.
    entry.change = this.#log.last;
    return true;
  }

  /** The revisions of a statement, whose columns are one text each: a row for each of many takes longer. */
  #found({ sql, values }: Statement): PermittedRevision[] {
    const [row] = this.#connection.lists(sql, ...values);
    const [numbers = [], counts = [], vectors = []] = [0, 1, 2].map(
      (column) => JSON.parse(textOf(row?.[column])) as number[],
    );
    return numbers.map((number, at) => ({ number, count: counts[at] ?? 0, vectors: vectors[at] ?? comparable.none }));
  }

  #clear(): void {
    this.#cache.clear();
    this.#size = 0;
  }
}

function sizeOf(key: string, permitted: Permitted | undefined): number {
  return (permitted?.numbers.length ?? 0) + Math.ceil(key.length / charactersPerRevision);
}
