/**
 * A bounded memory of computed values. It holds two generations: when the young one is full it becomes the old one,
 * and the one before is forgotten. Values that are asked for again move to the young generation, so frequent keys stay.
 */
export class Memo<V> {
  readonly #capacity: number;
  #young = new Map<string, V>();
  #old = new Map<string, V>();

  /** At most twice `capacity` values are held. */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** The value of `key`, or undefined where it is not remembered. */
  get(key: string): V | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const old = this.#old.get(key);
    if (old !== undefined) this.set(key, old);
    return old;
  }

  /** Remembers a value. */
  set(key: string, value: V): void {
    if (this.#young.size >= this.#capacity) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(key, value);
  }

  /** Number of values held. A key in both generations counts twice. */
  get size(): number {
    return this.#young.size + this.#old.size;
  }
}
