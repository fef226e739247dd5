import { FairQueue } from '../../../models/fair-queue.ts';

/** A queued text. */
export interface Task {
  text: string;
  purpose: 'query' | 'passage';
  /** The organization; owners take turns. */
  owner: string;
  /** Threads that died over it. */
  failures: number;
  resolve(vector: Float32Array): void;
  reject(error: Error): void;
}

/** An owner with at most this many texts in the queue (a few files of a page or two) is served before larger ones. */
const headStart = 32;

/**
 * A bounded queue of texts: first those over which a thread died, then queries, then passages, each with owners taking
 * turns.
 */
export class WorkQueue {
  readonly #queues = {
    again: new FairQueue<Task>(headStart),
    query: new FairQueue<Task>(headStart),
    passage: new FairQueue<Task>(headStart),
  };
  readonly #limit: number;

  /** @param limit queued texts of each purpose */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Whether so many more texts of this purpose fit. */
  hasRoom(purpose: 'query' | 'passage', texts: number): boolean {
    return this.#queues[purpose].length + texts <= this.#limit;
  }

  /** Queued queries, without those over which a thread died. */
  get queries(): number {
    return this.#queues.query.length;
  }

  push(purpose: 'query' | 'passage' | 'again', task: Task): void {
    this.#queues[purpose].push(task.owner, task);
  }

  /** Takes the next text. */
  shift(): Task | undefined {
    return this.#queues.again.shift() ?? this.#queues.query.shift() ?? this.#queues.passage.shift();
  }

  /** Takes the next query over which no thread has died. */
  shiftQuery(): Task | undefined {
    return this.#queues.query.shift();
  }
}
