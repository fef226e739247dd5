/** An owner with waiting items, and how many of them there are. */
export type Waiting = readonly [owner: string, items: number];

/**
 * Decides which owner is served next, by start-time fair queueing: each turn advances the virtual time of the owner
 * that took it by one, and the owner with the lowest virtual time is next. An owner that returns with few items goes
 * first: it starts up to a head start behind the virtual time of the last turn. An owner with more items starts at that
 * time. So a few items of one owner are served before the thousands of another, whichever came first, and over time
 * all owners with waiting items get the same number of turns. Sources: P. Goyal, H. Vin, H. Cheng, "Start-time Fair
 * Queuing", SIGCOMM 1996; for the head start: K. Duda, D. Cheriton, "Borrowed-Virtual-Time (BVT) scheduling", SOSP
 * 1999.
 */
export class FairTurns {
  readonly #headStart: number;
  readonly #times = new Map<string, number>();
  /** Virtual time of the last turn; it never goes back. */
  #now = 0;
  #taken = 0;

  /** @param headStart turns that a returning owner may take before the others */
  constructor(headStart: number) {
    this.#headStart = headStart;
  }

  /** Takes the next turn. Returns its owner (the first of equals), or null if nobody waits. */
  take(waiting: Iterable<Waiting>): string | null {
    let next: string | null = null;
    let min = Infinity;
    for (const [owner, items] of waiting) {
      const time = Math.max(
        this.#times.get(owner) ?? -Infinity,
        items <= this.#headStart ? this.#now - this.#headStart : this.#now,
      );
      if (time >= min) continue;
      next = owner;
      min = time;
    }
    if (next === null) return null;
    this.#now = Math.max(this.#now, min);
    this.#times.set(next, min + 1);
    if (++this.#taken % 1000 === 0) this.#forget();
    return next;
  }

  /** An owner that is a whole head start behind counts as new, so memory is bounded by the recently active owners. */
  #forget(): void {
    for (const [owner, time] of this.#times) if (time <= this.#now - this.#headStart) this.#times.delete(owner);
  }
}

/** Waiting items of one owner, oldest first; those before `head` are served already. */
interface Items<T> {
  items: T[];
  head: number;
}

/** Served items that are kept before an array is cut, so that taking from its front stays cheap. */
const maxServed = 1024;

/** A queue that is served in fair turns between owners (`FairTurns`), first in, first out within each. */
export class FairQueue<T> {
  readonly #turns: FairTurns;
  readonly #owners = new Map<string, Items<T>>();
  #length = 0;

  /** @param headStart an owner with no more items than this goes before owners with more */
  constructor(headStart: number) {
    this.#turns = new FairTurns(headStart);
  }

  get length(): number {
    return this.#length;
  }

  push(owner: string, item: T): void {
    const waiting = this.#owners.get(owner);
    if (waiting === undefined) this.#owners.set(owner, { items: [item], head: 0 });
    else waiting.items.push(item);
    this.#length++;
  }

  /** Removes and returns the next item. */
  shift(): T | undefined {
    const owner = this.#turns.take(this.#waiting());
    const waiting = owner === null ? undefined : this.#owners.get(owner);
    if (owner === null || waiting === undefined) return undefined;
    const item = waiting.items[waiting.head++];
    this.#length--;
    if (waiting.head === waiting.items.length) this.#owners.delete(owner);
    else if (waiting.head >= maxServed && waiting.head * 2 >= waiting.items.length)
      Object.assign(waiting, { items: waiting.items.slice(waiting.head), head: 0 });
    return item;
  }

  *#waiting(): Generator<Waiting> {
    for (const [owner, { items, head }] of this.#owners) yield [owner, items.length - head];
  }

  /** Removes an item that is no longer wanted. It costs its owner no turn. */
  remove(owner: string, item: T): void {
    const waiting = this.#owners.get(owner);
    const index = waiting?.items.indexOf(item, waiting.head) ?? -1;
    if (waiting === undefined || index < 0) return;
    waiting.items.splice(index, 1);
    this.#length--;
    if (waiting.head === waiting.items.length) this.#owners.delete(owner);
  }
}
