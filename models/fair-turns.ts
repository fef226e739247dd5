/** One who waits, and for how many turns. */
export type Waiting = readonly [name: string, turns: number];

/**
 * Whose turn it is among those who share something, in virtual time: each turn adds one to the time of who took it, and the
 * one with the least time is next. Who was away and comes back with little goes first: up to a head start behind the time of
 * the turn taken last. Who comes with more than that begins where the others are. So the few things of one who asks for
 * little go before the thousands of one who asks for much, whoever came first, and in the long run nobody who waits has more
 * turns than another.
 * Sources: P. Goyal, H. Vin, H. Cheng, "Start-time Fair Queuing", SIGCOMM 1996; the head start: K. Duda, D. Cheriton,
 * "Borrowed-Virtual-Time (BVT) scheduling", SOSP 1999.
 */
export class FairTurns {
  readonly #headStart: number;
  readonly #times = new Map<string, number>();
  /** The time of the turn taken last; it never goes back. */
  #now = 0;
  #taken = 0;

  /** @param headStart turns that one who was away may take before those who were there */
  constructor(headStart: number) {
    this.#headStart = headStart;
  }

  /** Takes the next turn: answers whose it is among those who wait (the first of equals), null where nobody does. */
  take(waiting: Iterable<Waiting>): string | null {
    let next: string | null = null;
    let least = Infinity;
    for (const [name, turns] of waiting) {
      const time = Math.max(this.#times.get(name) ?? -Infinity, turns <= this.#headStart ? this.#now - this.#headStart : this.#now);
      if (time >= least) continue;
      next = name;
      least = time;
    }
    if (next === null) return null;
    this.#now = Math.max(this.#now, least);
    this.#times.set(next, least + 1);
    if (++this.#taken % 1000 === 0) this.#forget();
    return next;
  }

  /** Who is as far behind as anybody can be is as good as new: memory stays bounded by those who took turns of late. */
  #forget(): void {
    for (const [name, time] of this.#times) if (time <= this.#now - this.#headStart) this.#times.delete(name);
  }
}
