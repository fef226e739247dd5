interface Group<T> {
  /** Questions that are on their way. */
  coming: number;
  came: T[];
  /** Ends the waiting. */
  timer: NodeJS.Timeout | null;
}

/** How many are gathered, and for how long, at most. */
export interface GatheringLimits {
  most: number;
  milliseconds: number;
}

/**
 * Gathers questions of one owner that come about the same time, to be asked together. The first of them waits for those
 * that are known to be on their way, as long as the limits allow.
 */
export class Gathering<T> {
  readonly #limits: GatheringLimits;
  readonly #ask: (owner: string, questions: readonly T[]) => void;
  readonly #groups = new Map<string, Group<T>>();

  /** @param ask takes what was gathered, at least one question */
  constructor(limits: GatheringLimits, ask: (owner: string, questions: readonly T[]) => void) {
    this.#limits = limits;
    this.#ask = ask;
  }

  /** A question is on its way. It must come, by `add`. */
  expect(owner: string): void {
    const group = this.#groups.get(owner);
    if (group === undefined) this.#groups.set(owner, { coming: 1, came: [], timer: null });
    else group.coming += 1;
  }

  /** A question that was expected is there. */
  add(owner: string, question: T): void {
    const group = this.#groups.get(owner);
    if (group === undefined) throw new Error('the question was not expected');
    group.coming -= 1;
    group.came.push(question);
    if (group.coming === 0 || group.came.length >= this.#limits.most) this.#askAll(owner, group);
    else group.timer ??= setTimeout(() => this.#askAll(owner, group), this.#limits.milliseconds);
  }

  #askAll(owner: string, group: Group<T>): void {
    if (group.timer !== null) clearTimeout(group.timer);
    const questions = group.came;
    [group.came, group.timer] = [[], null];
    if (group.coming === 0) this.#groups.delete(owner);
    this.#ask(owner, questions);
  }
}
