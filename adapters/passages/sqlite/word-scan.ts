import { Best } from './best.ts';
import { Bm25Numbers, saturation } from './bm25.ts';
import { ordinalSpan, type Connection } from './connection.ts';
import { HeldLengths, type Lengths } from './lengths.ts';
import type { Permitted } from './permitted.ts';
import { HeldPostings, type CountedStem, type Postings } from './postings.ts';
import type { Version } from './versions.ts';

/**
 * The word leg over held postings: the same passages in the same order as the SQL statement (`wordLeg`), tens of times as
 * fast. What finds no room, and searches that restrict passages and not files alone, are left to the statement.
 */
export class WordScan {
  readonly #held: HeldPostings;
  readonly #lengths: HeldLengths;
  readonly #numbers: Bm25Numbers;
  #sums = new Float64Array();
  #scans = 0;

  /** @param capacity bytes of postings that are held, at most */
  constructor(connection: Connection, capacity: number) {
    this.#held = new HeldPostings(connection, capacity);
    this.#lengths = new HeldLengths(connection);
    this.#numbers = new Bm25Numbers(connection);
  }

  /**
   * Ids of the permitted passages that hold any of the stems, best first, `limit` of them; null where the statement must
   * find them. Stems of which each stands once, in the order of the query.
   */
  best(organization: number, permitted: Permitted, stems: readonly CountedStem[], { file, retrievable }: Version, limit: number): number[] | null {
    const all = this.#held.of(organization, stems, retrievable);
    const lengths = all === null ? null : this.#lengths.of(permitted, retrievable);
    if (all === null || lengths === null) return null;
    const { passages, revisions } = permitted;
    if (this.#sums.length < passages) this.#sums = new Float64Array(passages * 2);
    const sums = this.#sums.fill(0, 0, passages);
    this.#scans += 1;
    // Never older than the postings: a word cannot stand in more passages than there are.
    this.#numbers.refresh(file);
    const norms = this.#numbers.normsUpTo(lengths.longest);
    // Added up in the order of FTS5, so that the sums are its own to the last digit.
    for (const postings of all) add(postings, this.#numbers.weightOf(postings.numbers.length), norms, permitted, lengths, sums);
    const best = new Best(limit);
    for (const of of revisions.values()) {
      const { number, count, place } = of;
      for (let ordinal = 0; ordinal < count; ordinal += 1) {
        const value = sums[place + ordinal] ?? 0;
        if (value > 0 && value >= best.least) best.add({ value, of, id: number * ordinalSpan + ordinal });
      }
    }
    return best.sorted().map(({ id }) => id);
  }

  /** The number of the last scan. */
  get scans(): number {
    return this.#scans;
  }

  /** Whether a passage holds none of the stems of a scan, by its number; false where that is not known any more. */
  lacksAll(scan: number, permitted: Permitted, id: number): boolean {
    const revision = scan === this.#scans ? permitted.revisions.get(Math.floor(id / ordinalSpan)) : undefined;
    return revision !== undefined && this.#sums[revision.place + (id % ordinalSpan)] === 0;
  }
}

/** Both lists are in the order of the revisions' numbers: each is walked once. */
function add({ numbers, ordinals, occurrences }: Postings, weight: number, norms: Float64Array, permitted: Permitted, { all, starts }: Lengths, sums: Float64Array): void {
  const { length } = permitted.numbers;
  let at = 0;
  for (let each = 0; each < numbers.length; each += 1) {
    const number = numbers[each] ?? 0;
    while (at < length && (permitted.numbers[at] ?? 0) < number) at += 1;
    if (at === length) return;
    const ordinal = ordinals[each] ?? 0;
    if (permitted.numbers[at] !== number || ordinal >= (permitted.counts[at] ?? 0)) continue;
    const passage = (permitted.places[at] ?? 0) + ordinal;
    const often = occurrences[each] ?? 0;
    const norm = norms[all[(starts[at] ?? 0) + ordinal] ?? 0] ?? 0;
    sums[passage] = (sums[passage] ?? 0) + weight * ((often * (saturation + 1)) / (often + norm));
  }
}
