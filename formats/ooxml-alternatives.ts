/**
 * Which of the renderings of one thing is read (`AlternateContent`, ECMA-376 part 3, 7.5): the first one.
 */
export class Alternatives {
  /** Open choices; true once one of their renderings was taken. */
  readonly #taken: boolean[] = [];

  /** An element opens. Returns whether it is a further rendering of what was read already. */
  repeats(name: string): boolean {
    if (name === 'AlternateContent') this.#taken.push(false);
    if (name !== 'Choice' && name !== 'Fallback') return false;
    const taken = this.#taken.at(-1) === true;
    if (this.#taken.length > 0) this.#taken[this.#taken.length - 1] = true;
    return taken;
  }

  /** An element closes that was not skipped. */
  close(name: string): void {
    if (name === 'AlternateContent') this.#taken.pop();
  }
}
