import { numberOf, textOf, type Connection } from './connection.ts';
import { PostingList } from './posting-list.ts';
import type { Steps } from './rows.ts';
import { minBoundedPassages, putPostings, runFormat, runStates } from './word-runs.ts';

/** Runs of about the same size that are merged together; their sizes differ by less than this factor. */
const fanIn = 8;
/** Removed passages that runs keep: this share of the library's passages, and so many more. */
const [maxRemovedShare, maxRemoved] = [0.25, 256];
/** Maximum runs of one merge: a step reads blocks of each. */
const maxMerged = 64;
/** Blocks of one input that a step merges, about. */
const blocksPerStep = 128;
/** Blocks of a removed run that a step deletes, about. */
const deletedPerStep = 500;

/** Runs that should become one. */
interface DueMerge {
  organization: number;
  runs: readonly number[];
  /** Whether these are all runs of the organization: then postings of removed revisions are left out. */
  isWhole: boolean;
}

/** What an organization's runs need; null while nothing is due. */
function dueMerge(connection: Connection, organization: number): DueMerge | null {
  const runs = connection
    .lists(
      'select number, passages, format from runs where organization = ? and state = ?',
      organization,
      runStates.complete,
    )
    .map((row) => ({ number: numberOf(row[0]), passages: numberOf(row[1]), format: numberOf(row[2]) }));
  const indexed = runs.reduce((sum, { passages }) => sum + passages, 0);
  const counted = countedPassages(connection, organization);
  if (indexed - counted > counted * maxRemovedShare + maxRemoved)
    return { organization, runs: runs.map(({ number }) => number), isWhole: true };
  const earlier = runs.filter(({ passages, format }) => format < runFormat && passages >= minBoundedPassages);
  if (earlier.length > 0)
    return { organization, runs: earlier.slice(0, maxMerged).map(({ number }) => number), isWhole: false };
  const tiers = new Map<number, number[]>();
  for (const { number, passages } of runs) {
    let tier = 0;
    while (passages >= fanIn ** (tier + 1)) tier += 1;
    tiers.set(tier, [...(tiers.get(tier) ?? []), number]);
  }
  const [due] = [...tiers].filter(([, own]) => own.length >= fanIn).sort(([one], [other]) => one - other);
  return due === undefined ? null : { organization, runs: due[1].slice(0, maxMerged), isWhole: false };
}

function countedPassages(connection: Connection, organization: number): number {
  return numberOf(connection.get('select passages from organizations where number = ?', organization)?.['passages']);
}

/** Merges runs into a new one, and then removes them. Ends early if the organization is removed meanwhile. */
function* mergeRuns(connection: Connection, { organization, runs, isWhole }: DueMerge): Steps {
  const indexed = numberOf(
    connection.get(
      'select sum(passages) as passages from runs where number in (select value from json_each(?))',
      JSON.stringify(runs),
    )?.['passages'],
  );
  const merged = numberOf(
    connection.get(
      'insert into runs (organization, passages, state, format) values (?, ?, ?, ?) returning number',
      organization,
      isWhole ? Math.min(indexed, countedPassages(connection, organization)) : indexed,
      runStates.made,
      runFormat,
    )?.['number'],
  );
  // Revisions that come later have no postings in these runs.
  const known = isWhole
    ? new Set(
        connection.lists('select number from revisions where organization = ?', organization).map((row) => row[0]),
      )
    : null;
  for (let after = '', isLast = false; !isLast;) {
    yield;
    if (stateOf(connection, merged) !== runStates.made) return;
    const until = boundOf(connection, runs, after);
    for (const [stem, list] of postingsIn(connection, runs, after, until))
      putPostings(connection, merged, stem, known === null ? list : list.without((number) => !known.has(number)));
    isLast = until === null;
    after = until ?? after;
  }
  connection.run('update runs set state = ? where number = ?', runStates.complete, merged);
  for (const run of runs) connection.run('update runs set state = ? where number = ?', runStates.removed, run);
  yield;
  yield* deleteRemoved(connection);
}

function stateOf(connection: Connection, run: number): number | undefined {
  const row = connection.get('select state from runs where number = ?', run);
  return row === undefined ? undefined : numberOf(row['state']);
}

/** The last stem of the next step; null if the rest is small. */
function boundOf(connection: Connection, runs: readonly number[], after: string): string | null {
  let bound: string | null = null;
  for (const run of runs) {
    const row = connection.get(
      'select stem from postings where run = ? and stem > ? order by stem, first limit 1 offset ?',
      run,
      after,
      blocksPerStep,
    );
    const stem = row === undefined ? null : textOf(row['stem']);
    // In the order of SQLite, which is that of the bytes.
    if (stem !== null && (bound === null || Buffer.compare(Buffer.from(stem), Buffer.from(bound)) < 0)) bound = stem;
  }
  return bound;
}

function postingsIn(
  connection: Connection,
  runs: readonly number[],
  after: string,
  until: string | null,
): Map<string, PostingList> {
  const found = new Map<string, PostingList>();
  for (const run of runs) {
    const rows =
      until === null
        ? connection.lists(
            'select stem, block from postings where run = ? and stem > ? order by stem, first',
            run,
            after,
          )
        : connection.lists(
            'select stem, block from postings where run = ? and stem > ? and stem <= ? order by stem, first',
            run,
            after,
            until,
          );
    for (const row of rows) {
      const stem = textOf(row[0]);
      const list = found.get(stem) ?? new PostingList();
      found.set(stem, list);
      if (row[1] instanceof Uint8Array) list.decode(row[1]);
    }
  }
  return found;
}

/** Deletes what is left of removed runs, a portion at a time. */
export function* deleteRemoved(connection: Connection): Steps {
  for (;;) {
    const row = connection.get('select number from runs where state = ? limit 1', runStates.removed);
    if (row === undefined) return;
    const run = numberOf(row['number']);
    const bound = connection.get(
      'select stem from postings where run = ? order by stem, first limit 1 offset ?',
      run,
      deletedPerStep,
    );
    if (bound === undefined) {
      connection.run('delete from postings where run = ?', run);
      connection.run('delete from block_bounds where run = ?', run);
      connection.run('delete from runs where number = ?', run);
    } else {
      connection.run('delete from postings where run = ? and stem <= ?', run, textOf(bound['stem']));
    }
    yield;
  }
}

/** Keeps the runs of all organizations few, in steps between the changes of the writer. */
export class RunKeeper {
  readonly #connection: Connection;
  /** The run up to which organizations were looked at. */
  #seen = 0;
  /** Organizations to look at again: those that lose passages get no new run. */
  readonly #changed = new Set<string>();
  /** Whether an earlier merge may have been interrupted. */
  #isBegun = false;
  #current: Steps | null = null;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** An organization's passages have changed. */
  look(organizationId: string): void {
    this.#changed.add(organizationId);
  }

  /** Takes one step, in a transaction of the caller. Returns whether there is more to do. */
  step(): boolean {
    this.#current ??= this.#next();
    if (this.#current === null) return false;
    try {
      if (this.#current.next().done === true) this.#current = null;
      return true;
    } catch (error) {
      this.restart();
      throw error;
    }
  }

  /** Begins again with what was not committed: to be called after a transaction with a step was rolled back. */
  restart(): void {
    this.#current = null;
    this.#isBegun = false;
    this.#seen = 0;
  }

  #next(): Steps | null {
    if (!this.#isBegun) {
      this.#isBegun = true;
      this.#connection.run('update runs set state = ? where state = ?', runStates.removed, runStates.made);
      if (this.#connection.get('select 1 from runs where state = ?', runStates.removed) !== undefined)
        return deleteRemoved(this.#connection);
    }
    for (const organizationId of this.#changed) {
      this.#changed.delete(organizationId);
      const row = this.#connection.get('select number from organizations where id = ?', organizationId);
      const due = row === undefined ? null : dueMerge(this.#connection, numberOf(row['number']));
      if (due !== null) return mergeRuns(this.#connection, due);
    }
    for (;;) {
      const row = this.#connection.get(
        'select number, organization from runs where number > ? order by number limit 1',
        this.#seen,
      );
      if (row === undefined) return null;
      const due = dueMerge(this.#connection, numberOf(row['organization']));
      // A merge adds a run, and so its organization is looked at again.
      this.#seen = numberOf(row['number']);
      if (due !== null) return mergeRuns(this.#connection, due);
    }
  }
}
