import { FairQueue } from '../../../models/fair-queue.ts';

/** A queued text. */
export interface Task {
  text: string;
  purpose: 'query' | 'passage';
  /** The organization; owners take turns. */
  owner: string;
  /** Threads that exited while embedding it. */
  failures: number;
  resolve(vector: Float32Array): void;
  reject(error: Error): void;
}

/** Owners with at most this many queued texts (a few short files) are served before larger ones. */
const headStart = 32;

/**
 * A bounded queue of texts: first texts that are retried after a thread exited, then queries, then passages, each
 * with owners taking turns.
 */
export class WorkQueue {
  readonly #queues = {
    again: new FairQueue<Task>(headStart),
    query: new FairQueue<Task>(headStart),
    passage: new FairQueue<Task>(headStart),
  };
  readonly #limit: number;

  /** @param limit maximum queued texts of each purpose */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Whether this many more texts of the purpose fit. */
  hasRoom(purpose: 'query' | 'passage', texts: number): boolean {
    return this.#queues[purpose].length + texts <= this.#limit;
  }

  /** Number of queued queries, without retried ones. */
  get queries(): number {
    return this.#queues.query.length;
  }

  push(purpose: 'query' | 'passage' | 'again', task: Task): void {
    this.#queues[purpose].push(task.owner, task);
  }

  /** Dequeues the next text. */
  shift(): Task | undefined {
    return this.#queues.again.shift() ?? this.#queues.query.shift() ?? this.#queues.passage.shift();
  }

  /** Dequeues the next query that is not retried. */
  shiftQuery(): Task | undefined {
    return this.#queues.query.shift();
  }
}
