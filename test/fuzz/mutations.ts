import { buildZip } from '../../formats/testing/zip.ts';

/** Reproducible random numbers and choices. */
export interface Chance {
  below(bound: number): number;
  of<T>(values: readonly T[]): T;
}

/** A random generator with a seed (Mulberry32, a 32-bit generator by T. Ettinger). */
export function chanceOf(seed: number): Chance {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (bound: number): number => Math.floor(next() * bound);
  const of = <T>(values: readonly T[]): T => {
    const value = values[below(values.length)];
    if (value === undefined) throw new Error('the list is empty');
    return value;
  };
  return { below, of };
}

/** Changes the bytes of a file. `others` are further files of the format, to splice with. */
export type Mutation = (original: Buffer, chance: Chance, others: readonly Buffer[]) => Buffer;

const flipBits: Mutation = (original, chance) => {
  const bytes = Buffer.from(original);
  for (let count = 1 + chance.below(20); count > 0 && bytes.length > 0; count--) {
    const at = chance.below(bytes.length);
    bytes[at] = (bytes[at] ?? 0) ^ (1 << chance.below(8));
  }
  return bytes;
};

const cutOff: Mutation = (original, chance) => original.subarray(0, chance.below(original.length + 1));

const cutOut: Mutation = (original, chance) => {
  const at = chance.below(original.length + 1);
  return Buffer.concat([
    original.subarray(0, at),
    original.subarray(at + chance.below(Math.max(1, original.length >> 2))),
  ]);
};

const repeatPart: Mutation = (original, chance) => {
  const at = chance.below(original.length + 1);
  const part = original.subarray(at, at + 1 + chance.below(200));
  return Buffer.concat([
    original.subarray(0, at),
    ...Array.from({ length: 2 + chance.below(100) }, () => part),
    original.subarray(at),
  ]);
};

const splice: Mutation = (original, chance, others) => {
  const other = chance.of(others);
  return Buffer.concat([
    original.subarray(0, chance.below(original.length + 1)),
    other.subarray(chance.below(other.length + 1)),
  ]);
};

const overwrite: Mutation = (original, chance) => {
  const bytes = Buffer.from(original);
  const at = chance.below(bytes.length + 1);
  const filler = chance.of([0, 0xff, 0x20, 0x3c, chance.below(256)]);
  bytes.fill(filler, at, Math.min(bytes.length, at + 1 + chance.below(64)));
  return bytes;
};

const numbers = ['0', '-1', '1', '255', '65536', '2147483647', '4294967296', '99999999999999999999', '1e308', 'NaN'];

/** Changes some decimal numbers: lengths, counts, references. */
const changeNumbers: Mutation = (original, chance) => {
  const text = original.toString('latin1');
  const found = [...text.matchAll(/\d+/g)];
  if (found.length === 0) return original;
  let changed = text;
  for (const match of Array.from({ length: 1 + chance.below(4) }, () => chance.of(found)).toSorted(
    (a, b) => b.index - a.index,
  )) {
    const written = chance.below(3) === 0 ? chance.of(found)[0] : chance.of(numbers);
    changed = changed.slice(0, match.index) + written + changed.slice(match.index + match[0].length);
  }
  return Buffer.from(changed, 'latin1');
};

/** Mutations of any file. */
export const byteMutations: readonly Mutation[] = [
  flipBits,
  cutOff,
  cutOut,
  repeatPart,
  splice,
  overwrite,
  changeNumbers,
];

const sizes = [0, 1, 7, 0x7f, 0x80, 0xff, 0x7fff, 0xffff, 0x7fffffff, 0x80000000, 0xfffffff0, 0xffffffff];

/** Changes binary numbers, mostly near the start of the file: lengths, counts, times, rates. */
const changeBinaryNumbers: Mutation = (original, chance) => {
  const bytes = Buffer.from(original);
  for (let count = 1 + chance.below(4); count > 0 && bytes.length >= 8; count--) {
    const at = chance.below(Math.min(bytes.length - 7, chance.below(5) === 0 ? bytes.length : 2048));
    const size = chance.of(sizes);
    const way = chance.below(4);
    if (way === 0) bytes.writeUInt32BE(size, at);
    else if (way === 1) bytes.writeUInt32LE(size, at);
    else if (way === 2) bytes.writeUInt16BE(size & 0xffff, at);
    else bytes.writeBigUInt64BE(BigInt(size) << BigInt(chance.below(32)), at);
  }
  return bytes;
};

/** Mutations of a binary file of boxes, chunks, pages or frames. */
export const binaryMutations: readonly Mutation[] = [
  flipBits,
  cutOff,
  cutOut,
  repeatPart,
  splice,
  overwrite,
  changeBinaryNumbers,
  changeBinaryNumbers,
];

/** A file of an archive. */
export interface ArchiveEntry {
  name: string;
  content: Buffer;
}

/**
 * Mutations of the files in an archive, which is packed again with valid checksums, because mutations of packed bytes
 * rarely reach the content. `entriesOf` unpacks a file.
 */
export function archiveMutation(entriesOf: (archive: Buffer) => readonly ArchiveEntry[]): Mutation {
  return (original, chance, others) => {
    const entries = entriesOf(original).map(({ name, content }) => ({ name, content }));
    if (entries.length === 0) return flipBits(original, chance, others);
    for (let count = 1 + chance.below(3); count > 0; count--) {
      const entry = chance.of(entries);
      const action = chance.below(10);
      if (action === 0)
        entry.name = chance.of([
          `../${entry.name}`,
          `/${entry.name}`,
          entry.name.replaceAll('/', '\\'),
          entry.name.toUpperCase(),
          '',
          `${entry.name}/`,
        ]);
      else if (action === 1) entry.content = chance.of(entries).content;
      else if (action === 2 && entries.length > 1) entries.splice(entries.indexOf(entry), 1);
      else if (action === 3) entries.push({ name: entry.name, content: entry.content });
      else
        entry.content = chance.of(byteMutations)(
          entry.content,
          chance,
          entries.map(({ content }) => content),
        );
    }
    return buildZip(
      entries.map(({ name, content }) => ({
        name,
        content,
        ...(chance.below(20) === 0 ? { claimedBytes: chance.below(100_000) } : {}),
      })),
    );
  };
}
