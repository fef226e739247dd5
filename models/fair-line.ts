import { FairTurns, type Waiting } from './fair-turns.ts';

/** What waits of one owner, in its order; those before `head` are served already. */
interface Queue<T> {
  items: T[];
  head: number;
}

/** How many served items may stand before the waiting ones until they are cut off. */
const mostServed = 1024;

/** A line of things that wait, served in turns between their owners (`FairTurns`), and in their order for each. */
export class FairLine<T> {
  readonly #turns: FairTurns;
  readonly #owners = new Map<string, Queue<T>>();
  #length = 0;

  /** @param headStart how many things of an owner that has no more than these go before those of others */
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

  /** Takes out the one whose turn it is. */
  shift(): T | undefined {
    const owner = this.#turns.take(this.#waiting());
    const waiting = owner === null ? undefined : this.#owners.get(owner);
    if (owner === null || waiting === undefined) return undefined;
    const item = waiting.items[waiting.head++];
    this.#length--;
    if (waiting.head === waiting.items.length) this.#owners.delete(owner);
    else if (waiting.head >= mostServed && waiting.head * 2 >= waiting.items.length) Object.assign(waiting, { items: waiting.items.slice(waiting.head), head: 0 });
    return item;
  }

  *#waiting(): Generator<Waiting> {
    for (const [owner, { items, head }] of this.#owners) yield [owner, items.length - head];
  }

  /** Takes one out that waits no more. It costs its owner no turn. */
  remove(owner: string, item: T): void {
    const waiting = this.#owners.get(owner);
    const place = waiting?.items.indexOf(item, waiting.head) ?? -1;
    if (waiting === undefined || place < 0) return;
    waiting.items.splice(place, 1);
    this.#length--;
    if (waiting.head === waiting.items.length) this.#owners.delete(owner);
  }
}
