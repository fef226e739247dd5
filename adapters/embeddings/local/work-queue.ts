import { FairLine } from '../../../models/fair-line.ts';

/** A text that waits for its vector. */
export interface Task {
  text: string;
  purpose: 'query' | 'passage';
  /** Whose it is: owners have their turns. */
  owner: string;
  /** How often a thread died over it. */
  failures: number;
  resolve(vector: Float32Array): void;
  reject(error: Error): void;
}

/** Texts of an organization that was quiet go before those of others where they are no more: a few files of a page or two. */
const headStart = 32;

/**
 * Texts that wait for a thread: those that are to be done again first, then queries, then passages, each in turns between
 * their owners. Bounded.
 */
export class WorkQueue {
  readonly #lines = { again: new FairLine<Task>(headStart), query: new FairLine<Task>(headStart), passage: new FairLine<Task>(headStart) };
  readonly #limit: number;

  /** At most `limit` texts of either purpose wait. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Whether so many more texts of this purpose may wait. */
  hasRoom(purpose: 'query' | 'passage', texts: number): boolean {
    return this.#lines[purpose].length + texts <= this.#limit;
  }

  /** How many texts of a purpose wait, without those that are to be done again. */
  waiting(purpose: 'query' | 'passage'): number {
    return this.#lines[purpose].length;
  }

  push(purpose: 'query' | 'passage' | 'again', task: Task): void {
    this.#lines[purpose].push(task.owner, task);
  }

  /** The next for a thread that has nothing to do. */
  shift(): Task | undefined {
    return this.#lines.again.shift() ?? this.#lines.query.shift() ?? this.#lines.passage.shift();
  }

  /** The next of a purpose for a thread that works: never one over which a thread has died. */
  shiftOf(purpose: 'query' | 'passage'): Task | undefined {
    return this.#lines[purpose].shift();
  }
}
