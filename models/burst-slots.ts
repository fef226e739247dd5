/** How many times its slots a burst may fill at most, in all. */
const burstFactor = 10;
/** A burst fills no more than what is expected to be done within this many milliseconds. */
const maxWaitMs = 1500;
/** Busy milliseconds after which what was measured counts half, so that a store that gets slower is noticed soon. */
const windowMs = 2000;
/** What a process expects to get done in a second before it has measured: two cores do more with a small library. */
const expectedPerSecond = 50;

/**
 * Slots for what runs at a time, with a reserve for bursts.
 *
 * A burst may fill up to ten times the slots, but no more than is expected to be done within 1.5 seconds, by what was done
 * per second while anything ran. So over a slow store there is no reserve, and no one waits long. A number of callers that
 * the reserve holds is served for as long as they like: each waits for the others, and no queue grows.
 *
 * Once the reserve does not suffice, there is more to do than can be done: it is closed, so that only the slots are left and
 * what is accepted is done in time. It opens again one by one, as work ends with at most half of the slots in use, and at
 * once when nothing runs.
 */
export class BurstSlots {
  readonly #now: () => number;
  #running = 0;
  /** How much of the reserve is closed. */
  #closed = 0;
  /** What was done, and the milliseconds in which anything ran. */
  #done = (expectedPerSecond * windowMs) / 2000;
  #busyMs = windowMs / 2;
  #countedAt: number;

  /** @param now a monotonic clock in milliseconds */
  constructor(now: () => number) {
    this.#now = now;
    this.#countedAt = now();
  }

  /** Takes a slot, of `max` or of the reserve; false if there is none. Each that was taken has to be given back. */
  begin(max: number): boolean {
    this.#count();
    if (this.#running >= max && this.#running >= this.#limit(max)) {
      this.#closed = max * (burstFactor - 1);
      return false;
    }
    this.#running += 1;
    return true;
  }

  /** Gives a slot back. */
  end(max: number): void {
    this.#done += 1;
    this.#count();
    this.#running -= 1;
    if (this.#running === 0) this.#closed = 0;
    else if (this.#running <= max / 2 && this.#closed > 0) this.#closed -= 1;
  }

  /** How many may run with the reserve. */
  #limit(max: number): number {
    return Math.min(max * burstFactor - this.#closed, Math.floor((this.#done / this.#busyMs) * maxWaitMs));
  }

  #count(): void {
    const now = this.#now();
    if (this.#running > 0) this.#busyMs += now - this.#countedAt;
    this.#countedAt = now;
    if (this.#busyMs < windowMs) return;
    this.#done /= 2;
    this.#busyMs /= 2;
  }
}
