import { bare, type Unit } from './units.ts';

/**
 * Maximum difference in seconds between the times of the same word in two pieces: for words with times of their own,
 * and for shares of a segment's time.
 */
const tolerance = { timed: 0.4, interpolated: 6 };
/** Reduction of a match's score at the maximum difference of times. */
const lateness = { timed: 0.8, interpolated: 0.5 };
/** Maximum units of an overlap that are compared on each side; an overlap is some seconds long. */
const maxUnits = 150;

interface Match {
  /** Index in the earlier units, and in the later ones. */
  earlier: number;
  later: number;
}

const middleOf = ({ start, end }: Unit): number => (start + end) / 2;

/** Similarity of two units as the same word, 0 to 1. */
function likeness(one: Unit, other: Unit): number {
  const kind = one.isTimed && other.isTimed ? 'timed' : 'interpolated';
  const distance = Math.abs(middleOf(one) - middleOf(other));
  if (distance > tolerance[kind]) return 0;
  const word = bare(one.word);
  return word !== '' && word === bare(other.word) ? 1 - (lateness[kind] * distance) / tolerance[kind] : 0;
}

/**
 * The words common to both pieces, in order: the alignment with the highest total similarity (dynamic programming; S.
 * Needleman, C. Wunsch, "A general method applicable to the search for similarities in the amino acid sequence of two
 * proteins", J. Mol. Biol. 48, 1970, without gap costs).
 */
function alignment(earlier: readonly Unit[], later: readonly Unit[]): Match[] {
  const width = later.length + 1;
  const best = new Float64Array((earlier.length + 1) * width);
  const at = (i: number, j: number): number => best[i * width + j] ?? 0;
  const scores = earlier.map((one) => later.map((other) => likeness(one, other)));
  for (let i = earlier.length - 1; i >= 0; i--) {
    for (let j = later.length - 1; j >= 0; j--) {
      const score = scores[i]?.[j] ?? 0;
      best[i * width + j] = Math.max(at(i + 1, j), at(i, j + 1), score > 0 ? score + at(i + 1, j + 1) : 0);
    }
  }
  const matches: Match[] = [];
  for (let i = 0, j = 0; i < earlier.length && j < later.length;) {
    const score = scores[i]?.[j] ?? 0;
    if (score > 0 && at(i, j) === score + at(i + 1, j + 1)) matches.push({ earlier: i++, later: j++ });
    else if (at(i, j) === at(i + 1, j)) i++;
    else j++;
  }
  return matches;
}

/**
 * The match at which to switch pieces: in the longest run of equal words, the one nearest the middle of the overlap.
 */
function bestMatch(matches: readonly Match[], earlier: readonly Unit[], middle: number): Match | null {
  const rows: Match[][] = [];
  for (const match of matches) {
    const last = rows.at(-1)?.at(-1);
    if (last !== undefined && match.earlier === last.earlier + 1 && match.later === last.later + 1)
      rows.at(-1)?.push(match);
    else rows.push([match]);
  }
  const distance = (match: Match): number => {
    const unit = earlier[match.earlier];
    return unit === undefined ? Infinity : Math.abs(middleOf(unit) - middle);
  };
  const longest = rows.reduce<Match[]>((longestRow, row) => (row.length > longestRow.length ? row : longestRow), []);
  return longest.reduce<Match | null>(
    (nearest, match) => (nearest === null || distance(match) < distance(nearest) ? match : nearest),
    null,
  );
}

/** A word this near the end of a piece, in seconds, counts as truncated if the other piece has speech up to there. */
const edge = { touches: 0.05, reaches: 0.3 };

/** The units of the later piece, without the rest of a word that the earlier piece contains completely. */
function withoutRemainder(earlier: readonly Unit[], later: readonly Unit[], from: number): readonly Unit[] {
  const [first] = later;
  const before = earlier.findLast((unit) => unit.start < from);
  const isRemainder =
    first !== undefined &&
    first.isTimed &&
    first.start < from + edge.touches &&
    before !== undefined &&
    before.end > from - edge.reaches;
  return isRemainder ? later.slice(1) : later;
}

/** The units of the earlier piece, without the beginning of a word that the later piece contains completely. */
function withoutBeginning(earlier: readonly Unit[], later: readonly Unit[], to: number): readonly Unit[] {
  const last = earlier.at(-1);
  const after = later.find((unit) => unit.end > to);
  const isBeginning =
    last !== undefined &&
    last.isTimed &&
    last.end > to - edge.touches &&
    after !== undefined &&
    after.start < to + edge.reaches;
  return isBeginning ? earlier.slice(0, -1) : earlier;
}

/** Joins without a common word: each side keeps its half, and the words that only it has in the other half. */
function cutInTheMiddle(earlier: readonly Unit[], later: readonly Unit[], middle: number): Unit[] {
  const firstLater = later.find((unit) => middleOf(unit) >= middle);
  const kept = earlier.filter(
    (unit) => middleOf(unit) < middle || firstLater === undefined || unit.end <= firstLater.start,
  );
  const until = kept.at(-1)?.end ?? -Infinity;
  return [...kept, ...later.filter((unit) => middleOf(unit) >= until)];
}

/**
 * Joins two overlapping pieces, each word once: the earlier piece up to a common word, the later one from there on.
 * Words near the ends of a piece may be truncated, so the switch is near the middle of the overlap. Times are in
 * seconds of the recording.
 * @param from where the later piece begins
 * @param to where the earlier piece ends
 */
export function joined(earlier: readonly Unit[], later: readonly Unit[], from: number, to: number): Unit[] {
  if (to <= from) return [...earlier, ...later];
  const firstShared = earlier.findIndex((unit) => unit.end > from);
  const before = firstShared < 0 ? earlier.length : Math.max(firstShared, earlier.length - maxUnits);
  const tail = earlier.slice(before);
  const afterHead = later.findIndex((unit) => unit.start >= to);
  const headLength = Math.min(maxUnits, afterHead < 0 ? later.length : afterHead);
  const head = later.slice(0, headLength);
  const middle = (from + to) / 2;
  const match = bestMatch(alignment(tail, head), tail, middle);
  const overlap =
    match === null
      ? cutInTheMiddle(withoutBeginning(tail, later, to), withoutRemainder(earlier, head, from), middle)
      : [...tail.slice(0, match.earlier + 1), ...head.slice(match.later + 1)];
  return [...earlier.slice(0, before), ...overlap, ...later.slice(headLength)];
}
