import { numberOf, type Connection } from './connection.ts';

/** Changes that are remembered, of all organizations. */
const maxRemembered = 4096;

/** A change of a revision that searches may read, or of what restricts them. */
interface Change {
  change: number;
  organization: number;
  number: number;
}

/**
 * A reader's view of the table `changed`: which revisions became retrievable, are so no more, or have other permissions
 * or attributes. The file keeps the last changes only, and a reader that missed some knows that it did.
 */
export class ChangeLog {
  readonly #connection: Connection;
  readonly #recent: Change[] = [];
  /** The last change that was read; -1 before the first one. */
  #last = -1;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** The number of the last change that was read. */
  get last(): number {
    return this.#last;
  }

  /** Reads the changes that the current transaction sees. */
  readOn(): void {
    const last = numberOf(this.#connection.lists('select max(change) from changed')[0]?.[0]);
    if (last === this.#last) return;
    const added =
      this.#last < 0
        ? []
        : this.#connection
            .lists('select change, organization, number from changed where change > ? order by change', this.#last)
            .map((row) => ({ change: numberOf(row[0]), organization: numberOf(row[1]), number: numberOf(row[2]) }));
    // Numbers of changes have no gaps: where one is missing, it was removed before it was read.
    if (added.length !== last - this.#last) this.#recent.length = 0;
    else this.#recent.push(...added);
    this.#recent.splice(0, this.#recent.length - maxRemembered);
    this.#last = last;
  }

  /** The organization's revisions that changed after a change, once each; null if that is not known any more. */
  since(organization: number, change: number): ReadonlySet<number> | null {
    if (change === this.#last) return new Set();
    const first = this.#recent.length - (this.#last - change);
    if (first < 0) return null;
    return new Set(
      this.#recent
        .slice(first)
        .filter((each) => each.organization === organization)
        .map(({ number }) => number),
    );
  }
}
