/**
 * Dot products by the SIMD instructions of WebAssembly, which every processor that Node runs on has in some form: about
 * ten times as fast as a loop of JavaScript, and twenty times as fast as one row of SQLite after the other.
 * Instructions and sections: https://webassembly.github.io/spec/core/binary/ and its SIMD chapter (0xfd).
 */

/**
 * Multiplies the query with vectors that lie one after the other. All places are byte offsets in the memory; `from` must
 * not be behind `to`, and `bytes`, the size of a vector, a multiple of 32. Answers are 32-bit floats from `answers` on.
 */
export type DotProducts = (from: number, to: number, query: number, bytes: number, answers: number) => void;

/** What a vector's size in bytes must be a multiple of: two registers of four numbers are added up side by side. */
export const vectorStep = 32;

/** Vectors that are multiplied side by side: their sums do not wait for each other, and the query is loaded once for all of them. */
const sideBySide = 4;

const [i32, v128] = [0x7f, 0x7b];
/** Places of the parameters and variables: the vectors that are read begin at `starts`, and each has two sums. */
const [first, to, query, bytes, answers, offset] = [0, 1, 2, 3, 4, 5];
const starts = [first, 6, 7, 8];
const sums = [[9, 10], [11, 12], [13, 14], [15, 16]] as const;
const [left, right] = [17, 18];
const get = (place: number): number[] => [0x20, place];
const set = (place: number): number[] => [0x21, place];
const setAndKeep = (place: number): number[] => [0x22, place];
const constant = (value: number): number[] => [0x41, value];
const [add, subtract, multiply, lessThan, end] = [[0x6a], [0x6b], [0x6c], [0x49], [0x0b]];
const [block, loop] = [[0x02, 0x40], [0x03, 0x40]];
const again = [0x0c, 0];
const [againIf, leaveIf] = [[0x0d, 0], [0x0d, 1]];
const load = (by: number): number[] => [0xfd, 0x00, 2, by];
const zeros = [0xfd, 0x0c, ...new Array<number>(16).fill(0)];
const [addFours, multiplyFours] = [[0xfd, 0xe4, 0x01], [0xfd, 0xe6, 0x01]];
const lane = (place: number): number[] => [0xfd, 0x1f, place];
const [addFloats, storeFloat] = [[0x92], (by: number): number[] => [0x38, 2, by]];

const loadAt = (start: number, by: number): number[] => [...get(start), ...get(offset), ...add, ...load(by)];
const addProducts = (sum: number, start: number, numbers: number, by: number): number[] => [...get(sum), ...loadAt(start, by), ...get(numbers), ...multiplyFours, ...addFours, ...set(sum)];

/** Multiplies so many vectors that lie one after the other, and goes on behind them. Each product is added up in the same order, however many there are. */
function products(count: number): number[] {
  const [own, theirs] = [starts.slice(0, count), sums.slice(0, count)];
  const last = own.at(-1) ?? first;
  return [
    ...own.slice(1).flatMap((start, before) => [...get(own[before] ?? first), ...get(bytes), ...add, ...set(start)]),
    ...constant(0), ...set(offset), ...theirs.flat().flatMap((sum) => [...zeros, ...set(sum)]),
    ...loop, ...loadAt(query, 0), ...set(left), ...loadAt(query, 16), ...set(right),
    ...theirs.flatMap(([even, odd], each) => [...addProducts(even, own[each] ?? first, left, 0), ...addProducts(odd, own[each] ?? first, right, 16)]),
    ...get(offset), ...constant(vectorStep), ...add, ...setAndKeep(offset), ...get(bytes), ...lessThan, ...againIf, ...end,
    ...theirs.flatMap(([even, odd], each) => [
      ...get(even), ...get(odd), ...addFours, ...set(even), ...get(answers),
      ...get(even), ...lane(0), ...get(even), ...lane(1), ...addFloats, ...get(even), ...lane(2), ...addFloats, ...get(even), ...lane(3), ...addFloats, ...storeFloat(4 * each),
    ]),
    ...get(answers), ...constant(4 * count), ...add, ...set(answers),
    ...get(last), ...get(bytes), ...add, ...set(first),
  ];
}

/** Multiplies so many at a time, as long as there are as many. */
const inGroupsOf = (count: number): number[] => [
  ...block, ...loop, ...get(to), ...get(first), ...subtract, ...constant(count), ...get(bytes), ...multiply, ...lessThan, ...leaveIf, ...products(count), ...again, ...end, ...end,
];

const body = [...[sideBySide, 2, 1].flatMap(inGroupsOf), ...end];

/** A number as sections hold it: seven bits a byte, the lowest first (LEB128). */
function packed(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...packed(value >>> 7)];
}

const sized = (content: readonly number[]): number[] => [...packed(content.length), ...content];
const named = (name: string): number[] => sized([...Buffer.from(name)]);

const sections: readonly (readonly [number, number[]])[] = [
  [1, [1, 0x60, 5, i32, i32, i32, i32, i32, 0]],
  [2, [1, ...named('given'), ...named('memory'), 2, 0, 1]],
  [3, [1, 0]],
  [7, [1, ...named('multiply'), 0, 0]],
  [10, [1, ...sized([2, starts.length, i32, 2 * sums.length + 2, v128, ...body])]],
];
const code = new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, ...sections.flatMap(([number, content]) => [number, ...sized(content)])]);

/** What is used of WebAssembly: its types come with browsers' alone. */
declare const WebAssembly: {
  Memory: new (size: { initial: number }) => GrowingMemory;
  Module: new (code: Uint8Array) => object;
  Instance: new (module: object, given: object) => { exports: { [name: string]: unknown } };
};

interface GrowingMemory {
  /** Another one after each growth. */
  readonly buffer: ArrayBuffer;
  /** Adds pages of 64 KiB. */
  grow(pages: number): number;
}

/** A memory whose vectors can be multiplied. */
export interface VectorMemory {
  all: GrowingMemory;
  multiply: DotProducts;
}

/** Makes a memory of so many pages of 64 KiB. */
export function openVectorMemory(pages: number): VectorMemory {
  const all = new WebAssembly.Memory({ initial: pages });
  const { multiply } = new WebAssembly.Instance(new WebAssembly.Module(code), { given: { memory: all } }).exports;
  if (typeof multiply !== 'function') throw new Error('the module has no such function');
  return { all, multiply: multiply as DotProducts };
}
