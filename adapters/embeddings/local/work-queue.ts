/** A text that waits for its vector. */
export interface Task {
  text: string;
  purpose: 'query' | 'passage';
  /** How often a thread died over it. */
  failures: number;
  resolve(vector: Float32Array): void;
  reject(error: Error): void;
}

/** First in, first out, without moving what waits. */
class Line {
  #tasks: Task[] = [];
  #next = 0;

  get length(): number {
    return this.#tasks.length - this.#next;
  }

  push(task: Task): void {
    this.#tasks.push(task);
  }

  shift(): Task | undefined {
    const task = this.#tasks[this.#next];
    if (task === undefined) return undefined;
    this.#next++;
    if (this.#next >= 1024 && this.#next * 2 >= this.#tasks.length) {
      this.#tasks = this.#tasks.slice(this.#next);
      this.#next = 0;
    }
    return task;
  }
}

/** Texts that wait for a thread: those that are to be done again first, then queries, then passages. Bounded. */
export class WorkQueue {
  readonly #lines = { again: new Line(), query: new Line(), passage: new Line() };
  readonly #limit: number;

  /** At most `limit` texts of either purpose wait. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Whether so many more texts of this purpose may wait. */
  hasRoom(purpose: 'query' | 'passage', texts: number): boolean {
    return this.#lines[purpose].length + texts <= this.#limit;
  }

  push(purpose: 'query' | 'passage' | 'again', task: Task): void {
    this.#lines[purpose].push(task);
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
