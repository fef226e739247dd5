/** A key: a byte string of a file, with the number that a match returns. */
export interface Key {
  id: number;
  start: number;
  end: number;
}

/**
 * A trie over bytes in three arrays (Aoe, An Efficient Digital Search Algorithm by Using a Double-Array Structure,
 * 1989). From state `s`, byte `c` leads to `base[s] + c` if `check[base[s] + c]` is `s`. `value[s]` is the number of
 * the key that ends in `s`, 0 for none. The first state is 0.
 */
export interface DoubleArray {
  base: Int32Array;
  check: Int32Array;
  value: Int32Array;
}

/** Keys that share a prefix: a range of the sorted keys, and the state of the prefix. */
interface Group {
  state: number;
  first: number;
  end: number;
}

const noState = -1;
/** Size of the alphabet. */
const span = 256;
/** Slots tried before the start of the next search advances: dense ranges are not searched again. */
const maxTries = 64;

/** Orders byte strings of one file; a prefix sorts before its extensions. */
function compareKeys(file: Uint8Array, one: Key, other: Key): number {
  for (let i = one.start, j = other.start; ; i++, j++) {
    if (i === one.end || j === other.end) return (i === one.end ? 0 : 1) - (j === other.end ? 0 : 1);
    const difference = (file[i] ?? 0) - (file[j] ?? 0);
    if (difference !== 0) return difference;
  }
}

/** Free slots of the arrays, which grow as needed. */
class Slots {
  base: Int32Array;
  check: Int32Array;
  value: Int32Array;
  /** Where the search for one free slot (none is before), and for several, starts. */
  #single = span;
  #several = span;

  constructor(size: number) {
    [this.base, this.check, this.value] = [
      new Int32Array(size),
      new Int32Array(size).fill(noState),
      new Int32Array(size),
    ];
    this.check[0] = noState - 1;
  }

  /** A base at which the slots of all these bytes are free. */
  baseFor(bytes: readonly number[]): number {
    const first = bytes[0] ?? 0;
    if (bytes.length === 1) {
      while (this.#isTaken(this.#single)) this.#single += 1;
      return this.#single - first;
    }
    let base = this.#several - first;
    for (let tries = 1; bytes.some((byte) => this.#isTaken(base + byte)); tries += 1) {
      base += 1;
      if (tries === maxTries) this.#several = base + first;
    }
    return base;
  }

  #isTaken(slot: number): boolean {
    if (slot + span >= this.check.length) this.#grow();
    return this.check[slot] !== noState;
  }

  #grow(): void {
    const size = this.check.length * 2;
    const [base, check, value] = [new Int32Array(size), new Int32Array(size).fill(noState), new Int32Array(size)];
    base.set(this.base);
    check.set(this.check);
    value.set(this.value);
    [this.base, this.check, this.value] = [base, check, value];
  }
}

/** The child groups of a group: its keys by the byte at `depth`. */
function childrenOf(file: Uint8Array, keys: readonly Key[], { first, end }: Group, depth: number) {
  const children: { byte: number; first: number; end: number }[] = [];
  for (let index = first; index < end; index += 1) {
    const byte = file[(keys[index]?.start ?? 0) + depth] ?? 0;
    const last = children.at(-1);
    if (last?.byte === byte) last.end = index + 1;
    else children.push({ byte, first: index, end: index + 1 });
  }
  return children;
}

/** Builds the trie of distinct byte strings of `file`; their numbers are above 0. */
export function buildDoubleArray(file: Uint8Array, unsorted: readonly Key[]): DoubleArray {
  const keys = unsorted.toSorted((one, other) => compareKeys(file, one, other));
  const slots = new Slots(2 ** 20);
  let last = 0;
  let level: Group[] = [{ state: 0, first: 0, end: keys.length }];
  for (let depth = 0; level.length > 0; depth += 1) {
    const below: Group[] = [];
    for (const group of level) {
      const shortest = keys[group.first];
      let { first } = group;
      if (shortest !== undefined && shortest.start + depth === shortest.end) {
        slots.value[group.state] = shortest.id;
        first += 1;
      }
      const children = childrenOf(file, keys, { ...group, first }, depth);
      if (children.length === 0) continue;
      const base = slots.baseFor(children.map(({ byte }) => byte));
      slots.base[group.state] = base;
      for (const child of children) {
        const state = base + child.byte;
        slots.check[state] = group.state;
        last = Math.max(last, state);
        below.push({ state, first: child.first, end: child.end });
      }
    }
    level = below;
  }
  // Padding, so that base plus any byte is within the arrays.
  const end = last + span + 1;
  return { base: slots.base.slice(0, end), check: slots.check.slice(0, end), value: slots.value.slice(0, end) };
}
