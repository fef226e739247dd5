import { FairLine } from '../../models/fair-line.ts';

/** Searches of an organization that asks little go before those of others where they are no more. */
const headStart = 4;

/**
 * Turns of the event loop for what is done with found passages: the longest piece of a search on it. What several threads
 * find at about the same time comes together, and doing all of it at once would keep new searches from being read, and so
 * the threads without work. So each search gets a turn of its own; between two of them whatever else has come is seen to.
 * Organizations take turns.
 */
export class Turns {
  readonly #waiting = new FairLine<() => void>(headStart);

  /** Resolves when it is this one's turn. */
  next(organizationId: string): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(organizationId, resolve);
      if (this.#waiting.length === 1) setImmediate(this.#give);
    });
  }

  readonly #give = (): void => {
    this.#waiting.shift()?.();
    if (this.#waiting.length > 0) setImmediate(this.#give);
  };
}
