/** How many times its slots a burst may fill, in all. */
const burstFactor = 10;

/**
 * Slots for what runs at a time, with a reserve for bursts. A burst after a calm moment may fill ten times the slots: it
 * is worked off within a second or two. The reserve comes back when at most half of the slots are in use, so under a lasting
 * overload it is gone at once, and only the slots are left: what is accepted is then done in time.
 */
export class BurstSlots {
  #running = 0;
  /** How much of the reserve is used up. */
  #spent = 0;

  /** Takes a slot, of `max` or of the reserve; false if there is none. Each that was taken has to be given back. */
  begin(max: number): boolean {
    if (this.#running >= max) {
      if (this.#spent >= max * (burstFactor - 1)) return false;
      this.#spent += 1;
    }
    this.#running += 1;
    return true;
  }

  /** Gives a slot back. */
  end(max: number): void {
    this.#running -= 1;
    if (this.#running === 0) this.#spent = 0;
    else if (this.#running <= max / 2 && this.#spent > 0) this.#spent -= 1;
  }
}
