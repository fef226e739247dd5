/**
 * Dot products by WebAssembly SIMD, which Node supports on all its processors: about ten times as fast as a JavaScript
 * loop, and twenty times as fast as reading row by row from SQLite. Instructions and sections:
 * https://webassembly.github.io/spec/core/binary/ and its SIMD chapter (0xfd).
 */

/**
 * Multiplies the query with adjacent vectors. All positions are byte offsets in the memory. `from` must not exceed
 * `to`, and `bytes`, the size of a vector, must be a multiple of 32. Results are 32-bit floats from `answers` on.
 */
export type DotProducts = (from: number, to: number, query: number, bytes: number, answers: number) => void;

/** A vector's size in bytes must be a multiple of this: each step adds up two registers of four numbers. */
export const vectorStep = 32;

/**
 * Vectors that are multiplied in one pass: their sums are independent of each other, and the query is loaded once for
 * all of them.
 */
const vectorsPerPass = 4;

const [i32, v128] = [0x7f, 0x7b];
/** Indexes of the parameters and local variables: the vectors begin at `starts`, and each has two sums. */
const [first, to, query, bytes, answers, offset] = [0, 1, 2, 3, 4, 5];
const starts = [first, 6, 7, 8];
const sums = [
  [9, 10],
  [11, 12],
  [13, 14],
  [15, 16],
] as const;
const [left, right] = [17, 18];
const get = (index: number): number[] => [0x20, index];
const set = (index: number): number[] => [0x21, index];
const tee = (index: number): number[] => [0x22, index];
const constant = (value: number): number[] => [0x41, value];
const [add, subtract, multiply, lessThan, end] = [[0x6a], [0x6b], [0x6c], [0x49], [0x0b]];
const [block, loop] = [
  [0x02, 0x40],
  [0x03, 0x40],
];
const branchToLoop = [0x0c, 0];
const [continueIf, exitIf] = [
  [0x0d, 0],
  [0x0d, 1],
];
const load = (by: number): number[] => [0xfd, 0x00, 2, by];
const zeros = [0xfd, 0x0c, ...new Array<number>(16).fill(0)];
const [addFours, multiplyFours] = [
  [0xfd, 0xe4, 0x01],
  [0xfd, 0xe6, 0x01],
];
const lane = (index: number): number[] => [0xfd, 0x1f, index];
const [addFloats, storeFloat] = [[0x92], (by: number): number[] => [0x38, 2, by]];

const loadAt = (start: number, by: number): number[] => [...get(start), ...get(offset), ...add, ...load(by)];
const addProducts = (sum: number, start: number, numbers: number, by: number): number[] => [
  ...get(sum),
  ...loadAt(start, by),
  ...get(numbers),
  ...multiplyFours,
  ...addFours,
  ...set(sum),
];

/**
 * Multiplies `count` adjacent vectors and moves `first` behind them. The order of additions does not depend on `count`,
 * so neither does the rounding.
 */
function products(count: number): number[] {
  const [own, theirs] = [starts.slice(0, count), sums.slice(0, count)];
  const last = own.at(-1) ?? first;
  return [
    ...own.slice(1).flatMap((start, before) => [...get(own[before] ?? first), ...get(bytes), ...add, ...set(start)]),
    ...constant(0),
    ...set(offset),
    ...theirs.flat().flatMap((sum) => [...zeros, ...set(sum)]),
    ...loop,
    ...loadAt(query, 0),
    ...set(left),
    ...loadAt(query, 16),
    ...set(right),
    ...theirs.flatMap(([even, odd], each) => [
      ...addProducts(even, own[each] ?? first, left, 0),
      ...addProducts(odd, own[each] ?? first, right, 16),
    ]),
    ...get(offset),
    ...constant(vectorStep),
    ...add,
    ...tee(offset),
    ...get(bytes),
    ...lessThan,
    ...continueIf,
    ...end,
    ...theirs.flatMap(([even, odd], each) => [
      ...get(even),
      ...get(odd),
      ...addFours,
      ...set(even),
      ...get(answers),
      ...get(even),
      ...lane(0),
      ...get(even),
      ...lane(1),
      ...addFloats,
      ...get(even),
      ...lane(2),
      ...addFloats,
      ...get(even),
      ...lane(3),
      ...addFloats,
      ...storeFloat(4 * each),
    ]),
    ...get(answers),
    ...constant(4 * count),
    ...add,
    ...set(answers),
    ...get(last),
    ...get(bytes),
    ...add,
    ...set(first),
  ];
}

/** Multiplies groups of `count` vectors while at least that many are left. */
const inGroupsOf = (count: number): number[] => [
  ...block,
  ...loop,
  ...get(to),
  ...get(first),
  ...subtract,
  ...constant(count),
  ...get(bytes),
  ...multiply,
  ...lessThan,
  ...exitIf,
  ...products(count),
  ...branchToLoop,
  ...end,
  ...end,
];

const body = [...[vectorsPerPass, 2, 1].flatMap(inGroupsOf), ...end];

/** Encodes a number of a section: seven bits per byte, the lowest first (LEB128). */
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
const code = new Uint8Array([
  0,
  0x61,
  0x73,
  0x6d,
  1,
  0,
  0,
  0,
  ...sections.flatMap(([number, content]) => [number, ...sized(content)]),
]);

/** The parts of WebAssembly used here: TypeScript declares it only in its browser library. */
declare const WebAssembly: {
  Memory: new (size: { initial: number }) => WasmMemory;
  Module: new (code: Uint8Array) => object;
  Instance: new (module: object, given: object) => { exports: { [name: string]: unknown } };
};

interface WasmMemory {
  /** Each growth replaces it. */
  readonly buffer: ArrayBuffer;
  /** Adds pages of 64 KiB. */
  grow(pages: number): number;
}

/** A memory for vectors, with the function that multiplies them. */
export interface VectorMemory {
  all: WasmMemory;
  multiply: DotProducts;
}

/** Creates a memory of this many pages of 64 KiB. */
export function openVectorMemory(pages: number): VectorMemory {
  const all = new WebAssembly.Memory({ initial: pages });
  const { multiply } = new WebAssembly.Instance(new WebAssembly.Module(code), { given: { memory: all } }).exports;
  if (typeof multiply !== 'function') throw new Error('the WebAssembly module exports no multiply function');
  return { all, multiply: multiply as DotProducts };
}
