import { FairQueue } from './fair-queue.ts';

/** Callers of an owner that go first if it has no more waiting than this. */
const defaultHeadStart = 4;

/**
 * A number of slots that are held for a while. Callers that wait are served in fair turns between owners, and within an
 * owner in fair turns between its parts, for example the recordings of an organization.
 */
export class FairSlots {
  readonly #headStart: number;
  #free: number;
  /** Holds the queue of an owner once for each of its waiting callers. */
  readonly #owners: FairQueue<FairQueue<() => void>>;
  readonly #parts = new Map<string, FairQueue<() => void>>();

  /** @param headStart an owner (or part) with no more waiting callers than this goes before those with more */
  constructor(slots: number, headStart: number = defaultHeadStart) {
    this.#free = slots;
    this.#headStart = headStart;
    this.#owners = new FairQueue(headStart);
  }

  /** Waits for a slot; give it back by `release`. @throws the signal's reason where it is aborted first */
  async acquire(signal: AbortSignal, owner: string, part = ''): Promise<void> {
    signal.throwIfAborted();
    if (this.#free > 0) this.#free--;
    else await this.#wait(signal, owner, part);
  }

  /** Gives a slot back: the next caller that waits gets it. */
  release(): void {
    const grant = this.#owners.shift()?.shift();
    if (grant === undefined) this.#free++;
    else grant();
  }

  #wait(signal: AbortSignal, owner: string, part: string): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const parts = this.#parts.get(owner) ?? new FairQueue<() => void>(this.#headStart);
    const done = (): void => {
      signal.removeEventListener('abort', abort);
      if (parts.length === 0) this.#parts.delete(owner);
    };
    const grant = (): void => {
      done();
      resolve();
    };
    const abort = (): void => {
      parts.remove(part, grant);
      this.#owners.remove(owner, parts);
      done();
      reject(signal.reason instanceof Error ? signal.reason : new Error('aborted'));
    };
    signal.addEventListener('abort', abort, { once: true });
    this.#parts.set(owner, parts);
    parts.push(part, grant);
    this.#owners.push(owner, parts);
    return promise;
  }
}
