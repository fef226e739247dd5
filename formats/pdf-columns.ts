import type { Segment } from './pdf-lines.ts';

/*
 * Reading order. Most producers write a page in reading order, column by column; that order is kept. Some write line by
 * line across the columns, or from the bottom up: such pages are recognized by their geometry and reordered. Tables
 * look similar except for their short cells, and stay line by line.
 */

/** Minimum number of lines along a gutter. */
const minLines = 4;
/** Mean number of words in a line of a column, and the share of the column's width that its lines fill. */
const proseWords = 3;
const proseFill = 0.55;
/**
 * Share of upward steps between lines above which the order is considered scrambled, and the minimum number of steps to
 * decide.
 */
const maxUpward = 0.3;
const minSteps = 3;
/** Maximum nesting of columns. */
const deepestColumns = 6;

/** Segments that are read in sequence, with their line on the page. */
type Line = Segment[];

function linesOf(segments: readonly Segment[]): Line[] {
  const lines: Line[] = [];
  for (const segment of segments) {
    const line = lines.at(-1);
    const before = line?.at(-1);
    const sameRow =
      before !== undefined && Math.abs(before.base - segment.base) < 0.6 * Math.min(before.size, segment.size);
    const goesOn = sameRow && (segment.rtl ? segment.right <= before.left : segment.left >= before.right);
    if (line !== undefined && goesOn) line.push(segment);
    else lines.push([segment]);
  }
  return lines;
}

/** The position of the gap that most lines share, and the number of those lines. */
function commonGap(lines: readonly Line[]): { at: number; count: number } {
  const edges: { at: number; step: 1 | -1 }[] = [];
  for (const line of lines) {
    const ordered = line.toSorted((a, b) => a.left - b.left);
    ordered.forEach((segment, index) => {
      const next = ordered[index + 1];
      if (next !== undefined && next.left > segment.right)
        edges.push({ at: segment.right, step: 1 }, { at: next.left, step: -1 });
    });
  }
  edges.sort((a, b) => a.at - b.at || b.step - a.step);
  let best = { at: 0, count: 0 };
  let open = 0;
  edges.forEach(({ at, step }, index) => {
    open += step;
    if (open > best.count) best = { at: (at + (edges[index + 1]?.at ?? at)) / 2, count: open };
  });
  return best;
}

function isProse(lines: readonly Line[]): boolean {
  const segments = lines.flat();
  if (segments.length === 0) return false;
  const sums = { left: Infinity, right: -Infinity, words: 0, characters: 0, filled: 0 };
  for (const { text, left, right } of segments) {
    sums.left = Math.min(sums.left, left);
    sums.right = Math.max(sums.right, right);
    sums.words += text.trim().split(/\s+/).length;
    sums.characters += text.length;
    sums.filled += right - left;
  }
  const [words, characters] = [sums.words / segments.length, sums.characters / segments.length];
  const fill = sums.filled / lines.length / (sums.right - sums.left || 1);
  return (words >= proseWords || characters >= 5 * proseWords) && fill >= proseFill;
}

/** The parts of each line on the left and on the right of a gutter. */
function sidesOf(lines: readonly Line[], isLeft: (segment: Segment) => boolean): Line[][] {
  return [isLeft, (segment: Segment) => !isLeft(segment)].map((isOf) =>
    lines.map((line) => line.filter(isOf)).filter((line) => line.length > 0),
  );
}

/** Reorders lines that were written across columns; null if there are no such columns. */
function byColumns(lines: readonly Line[], depth = 0): Line[] | null {
  if (depth > deepestColumns || lines.length < minLines) return null;
  const { at, count } = commonGap(lines);
  if (count < minLines) return null;
  const isLeft = (segment: Segment): boolean => segment.right <= at;
  const straddles = (line: Line): boolean => line.some((segment) => segment.left < at && segment.right > at);
  const parted = lines.filter((line) => !straddles(line));
  if (count * 2 < parted.length || !sidesOf(parted, isLeft).every(isProse)) return null;
  const ordered: Line[] = [];
  let zone: Line[] = [];
  const endZone = (): void => {
    const columns = sidesOf(zone, isLeft);
    if (zone.some((line) => line[0]?.rtl === true)) columns.reverse();
    for (const column of columns) ordered.push(...(byColumns(column, depth + 1) ?? column));
    zone = [];
  };
  for (const line of lines) {
    if (straddles(line)) {
      endZone();
      ordered.push(line);
    } else zone.push(line);
  }
  endZone();
  return ordered;
}

/** Whether the lines of a page go up repeatedly instead of down. */
function isScrambled(segments: readonly Segment[]): boolean {
  let upward = 0;
  let steps = 0;
  segments.forEach((segment, index) => {
    const before = segments[index - 1];
    if (before === undefined || segment.left > before.right || segment.right < before.left) return;
    steps++;
    if (segment.base > before.base + 0.6 * segment.size) upward++;
  });
  return steps >= minSteps && upward > steps * maxUpward;
}

function fromTheTop(segments: readonly Segment[]): Segment[] {
  const ordered = segments.toSorted((a, b) => b.base - a.base);
  const rows: Segment[][] = [];
  for (const segment of ordered) {
    const row = rows.at(-1);
    if (row?.[0] !== undefined && row[0].base - segment.base < 0.5 * segment.size) row.push(segment);
    else rows.push([segment]);
  }
  return rows.flatMap((row) =>
    row
      .toSorted((a, b) => (a.rtl ? b.right - a.right : a.left - b.left))
      .map((segment, index) => ({ ...segment, continues: index > 0 })),
  );
}

/** Whether the lines alternate between adjacent positions: columns whose lines have different heights. */
function zigzags(lines: readonly Line[]): boolean {
  let aside = 0;
  lines.forEach((line, index) => {
    const [before, after] = [lines[index - 1]?.[0], line[0]];
    if (before !== undefined && after !== undefined && (after.left > before.right || after.right < before.left))
      aside++;
  });
  return aside > lines.length * maxUpward;
}

/** The segments of a page in reading order. Pages with text in several directions keep their order. */
export function inReadingOrder(segments: readonly Segment[]): Segment[] {
  const angle = segments[0]?.angle;
  if (segments.some((segment) => segment.angle !== angle)) return [...segments];
  const scrambled = isScrambled(segments);
  const downward = scrambled ? fromTheTop(segments) : [...segments];
  const lines = linesOf(downward);
  const columns = byColumns(lines);
  if (columns === null) return scrambled && zigzags(lines) ? [...segments] : downward;
  return columns.flatMap((line) => line.map((segment, index) => ({ ...segment, continues: index > 0 })));
}
