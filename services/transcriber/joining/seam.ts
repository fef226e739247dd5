import { bare, type Unit } from './units.ts';

/** How far apart in time the same word may have been heard, in seconds: with times of its own, and with shares of a segment's. */
const tolerance = { timed: 0.4, interpolated: 6 };
/** What a match counts less where its times are as far apart as may be. */
const lateness = { timed: 0.8, interpolated: 0.5 };
/** Units of an overlap that are looked at, at each side: an overlap is some seconds long. */
const mostUnits = 150;

interface Match {
  /** Index in the earlier units, and in the later ones. */
  earlier: number;
  later: number;
}

const middleOf = ({ start, end }: Unit): number => (start + end) / 2;

/** How well two units are the same word, 0 (not at all) to 1. */
function likeness(one: Unit, other: Unit): number {
  const kind = one.isTimed && other.isTimed ? 'timed' : 'interpolated';
  const apart = Math.abs(middleOf(one) - middleOf(other));
  if (apart > tolerance[kind]) return 0;
  const word = bare(one.word);
  return word !== '' && word === bare(other.word) ? 1 - (lateness[kind] * apart) / tolerance[kind] : 0;
}

/**
 * The words that both heard, in order: the alignment whose likenesses add up to most (dynamic programming; S. Needleman,
 * C. Wunsch, "A general method applicable to the search for similarities in the amino acid sequence of two proteins",
 * J. Mol. Biol. 48, 1970, without gap costs).
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

/** The match to change over at: in the longest row of words heard alike, the one nearest the middle of the overlap. */
function bestMatch(matches: readonly Match[], earlier: readonly Unit[], middle: number): Match | null {
  const rows: Match[][] = [];
  for (const match of matches) {
    const last = rows.at(-1)?.at(-1);
    if (last !== undefined && match.earlier === last.earlier + 1 && match.later === last.later + 1) rows.at(-1)?.push(match);
    else rows.push([match]);
  }
  const distance = (match: Match): number => {
    const unit = earlier[match.earlier];
    return unit === undefined ? Infinity : Math.abs(middleOf(unit) - middle);
  };
  const longest = rows.reduce<Match[]>((most, row) => (row.length > most.length ? row : most), []);
  return longest.reduce<Match | null>((nearest, match) => (nearest === null || distance(match) < distance(nearest) ? match : nearest), null);
}

/** A word this near the end of a piece was cut through, where the other piece holds speech up to there (seconds). */
const edge = { touches: 0.05, reaches: 0.3 };

/** What the later piece holds, without the rest of a word that the earlier one heard whole. */
function withoutRemainder(earlier: readonly Unit[], later: readonly Unit[], from: number): readonly Unit[] {
  const [first] = later;
  const before = earlier.findLast((unit) => unit.start < from);
  const isRemainder = first !== undefined && first.isTimed && first.start < from + edge.touches && before !== undefined && before.end > from - edge.reaches;
  return isRemainder ? later.slice(1) : later;
}

/** What the earlier piece holds, without the beginning of a word that the later one heard whole. */
function withoutBeginning(earlier: readonly Unit[], later: readonly Unit[], to: number): readonly Unit[] {
  const last = earlier.at(-1);
  const after = later.find((unit) => unit.end > to);
  const isBeginning = last !== undefined && last.isTimed && last.end > to - edge.touches && after !== undefined && after.start < to + edge.reaches;
  return isBeginning ? earlier.slice(0, -1) : earlier;
}

/** Where nothing was heard alike: each side keeps its half, and what it alone heard in the other half. */
function cutInTheMiddle(earlier: readonly Unit[], later: readonly Unit[], middle: number): Unit[] {
  const firstLater = later.find((unit) => middleOf(unit) >= middle);
  const kept = earlier.filter((unit) => middleOf(unit) < middle || firstLater === undefined || unit.end <= firstLater.start);
  const until = kept.at(-1)?.end ?? -Infinity;
  return [...kept, ...later.filter((unit) => middleOf(unit) >= until)];
}

/**
 * Joins what was heard in two pieces of sound that overlap, each word once: up to a word that both heard from the
 * earlier piece, from there on from the later one. Near its ends a piece holds words that were cut through, so the
 * change is near the middle of the overlap. Times are in seconds of the recording.
 * @param from where the later piece begins
 * @param to where the earlier piece ends
 */
export function joined(earlier: readonly Unit[], later: readonly Unit[], from: number, to: number): Unit[] {
  if (to <= from) return [...earlier, ...later];
  const firstShared = earlier.findIndex((unit) => unit.end > from);
  const before = firstShared < 0 ? earlier.length : Math.max(firstShared, earlier.length - mostUnits);
  const tail = earlier.slice(before);
  const afterHead = later.findIndex((unit) => unit.start >= to);
  const headLength = Math.min(mostUnits, afterHead < 0 ? later.length : afterHead);
  const head = later.slice(0, headLength);
  const middle = (from + to) / 2;
  const match = bestMatch(alignment(tail, head), tail, middle);
  const overlap = match === null ? cutInTheMiddle(withoutBeginning(tail, later, to), withoutRemainder(earlier, head, from), middle) : [...tail.slice(0, match.earlier + 1), ...head.slice(match.later + 1)];
  return [...earlier.slice(0, before), ...overlap, ...later.slice(headLength)];
}
