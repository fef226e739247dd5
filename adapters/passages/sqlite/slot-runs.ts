import type { Permitted } from './permitted.ts';
import { comparable } from './statements.ts';
import type { Range, VectorCodes } from './vector-codes.ts';

/*
 * Permitted slots of codes, as ascending pairs of the first one and their number. Adjacent ones in one segment are mostly
 * one pair, and no pair is over two segments.
 */

/** What is known of permitted revisions. */
type PermittedVectors = Pick<Permitted, 'numbers' | 'counts' | 'vectors' | 'indexOf'>;
/** What is known of the places of codes. */
type Places = Pick<VectorCodes, 'places' | 'segmentSlots'>;

/** The slots of a revision's place, divided where a segment ends. */
function* slotsOf({ places, segmentSlots }: Places, number: number): Generator<Range> {
  for (let { start, slots } = places.get(number) ?? { start: 0, slots: 0 }; slots > 0;) {
    const own = Math.min(slots, segmentSlots - (start % segmentSlots));
    yield { start, slots: own };
    start += own;
    slots -= own;
  }
}

/** The start of a range is above its slots, of which a segment has at most so many. */
const startFactor = 2 ** 17;

/** The slots of permitted revisions, joined where they are adjacent and in one segment. */
export function runsOf(permitted: PermittedVectors, codes: Places): Uint32Array {
  const ranges: number[] = [];
  for (const [at, number] of permitted.numbers.entries())
    if (permitted.counts[at] !== 0 && permitted.vectors[at] !== comparable.none)
      for (const { start, slots } of slotsOf(codes, number)) ranges.push(start * startFactor + slots);
  const joined: number[] = [];
  for (const range of Float64Array.from(ranges).sort()) {
    const [start, slots] = [Math.floor(range / startFactor), range % startFactor];
    const end = (joined.at(-2) ?? -1) + (joined.at(-1) ?? 0);
    if (joined.length > 0 && end === start && start % codes.segmentSlots !== 0)
      joined.push((joined.pop() ?? 0) + slots);
    else joined.push(start, slots);
  }
  return Uint32Array.from(joined);
}

/** Runs with the slots of changed revisions as they are permitted now; the places of all others are the same. */
export function withChanged(
  runs: Uint32Array,
  changed: ReadonlySet<number>,
  permitted: PermittedVectors,
  codes: Places,
): Uint32Array {
  let now = runs;
  for (const number of changed) {
    const at = permitted.indexOf(number);
    const isIn = at >= 0 && permitted.vectors[at] !== comparable.none;
    for (const range of slotsOf(codes, number)) now = withRange(now, range, isIn, codes.segmentSlots);
  }
  return now;
}

/** Runs with or without a range, which is in one segment. */
function withRange(runs: Uint32Array, { start, slots }: Range, isIn: boolean, segmentSlots: number): Uint32Array {
  const end = start + slots;
  const endOf = (run: number): number => (runs[run * 2] ?? 0) + (runs[run * 2 + 1] ?? 0);
  // The first run that ends at the range's start or after it: it may be joined with the range.
  let [first, last] = [0, runs.length / 2];
  while (first < last) {
    const middle = (first + last) >>> 1;
    if (endOf(middle) < start) first = middle + 1;
    else last = middle;
  }
  const replaced: number[] = [];
  const put = (from: number, to: number): void => {
    if (to <= from) return;
    const previous = replaced.length - 2;
    const isAdjacent = previous >= 0 && (replaced[previous] ?? 0) + (replaced[previous + 1] ?? 0) === from;
    if (isAdjacent && from % segmentSlots !== 0) replaced[previous + 1] = (replaced[previous + 1] ?? 0) + to - from;
    else replaced.push(from, to - from);
  };
  let until = first;
  for (; until * 2 < runs.length && (runs[until * 2] ?? 0) < end; until += 1)
    put(runs[until * 2] ?? 0, Math.min(endOf(until), start));
  if (isIn) put(start, end);
  for (let run = first; run < until; run += 1) put(Math.max(runs[run * 2] ?? 0, end), endOf(run));
  const now = new Uint32Array(runs.length - (until - first) * 2 + replaced.length);
  now.set(runs.subarray(0, first * 2));
  now.set(replaced, first * 2);
  now.set(runs.subarray(until * 2), first * 2 + replaced.length);
  return now;
}
