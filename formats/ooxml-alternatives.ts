/** Selects the first rendering of alternate content (`AlternateContent`, ECMA-376 part 3, 7.5). */
export class Alternatives {
  /** Open choices; true once one of their renderings was read. */
  readonly #taken: boolean[] = [];

  /** Handles an opening element. Returns true for a further rendering of content that was already read. */
  repeats(name: string): boolean {
    if (name === 'AlternateContent') this.#taken.push(false);
    if (name !== 'Choice' && name !== 'Fallback') return false;
    const taken = this.#taken.at(-1) === true;
    if (this.#taken.length > 0) this.#taken[this.#taken.length - 1] = true;
    return taken;
  }

  /** Handles the closing of an element that was not skipped. */
  close(name: string): void {
    if (name === 'AlternateContent') this.#taken.pop();
  }
}
