import { joinWhiteSpace } from './clean.ts';
import { inReadingOrder } from './pdf-columns.ts';
import type { Segment, TextRun } from './pdf-lines.ts';
import { segmentsOf } from './pdf-lines.ts';

/**
 * The text of a form field or a note that is written on the page, and the corners of its place: left, bottom, right,
 * top.
 */
export interface PlacedText {
  text: string;
  rectangle: readonly number[];
}

const controls = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g;
/** Letters that words have on the mean where such a character is the space between them. */
const minWord = 2.5;

/**
 * A line without the control characters that fonts without a Unicode map give: they are spaces where that makes words
 * of the line, and nothing where it would take it to pieces.
 */
function withoutControls(text: string): string {
  const without = text.replace(controls, '');
  if (without.length === text.length) return text;
  const stretches = text
    .replace(controls, ' ')
    .split(/\s+/)
    .filter((stretch) => stretch !== '');
  const letters = stretches.reduce((sum, stretch) => sum + stretch.length, 0);
  return letters >= stretches.length * minWord ? stretches.join(' ') : without;
}

/** A hyphen at a line's end after a letter; U+00AD is a hyphen that shows only there. */
const brokenWord = /\p{L}[-\u2010\u00ad]$/u;
const startsLower = /^\p{Ll}/u;
const writtenWithoutSpaces =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\u3000-\u303f\uff00-\uff60]/u;

/** A line of a page, or of a column of it, in coordinates turned so that it runs to the right. */
interface Line {
  text: string;
  size: number;
  left: number;
  right: number;
  base: number;
  /** Number of separate runs in it, such as cells, and where the last one begins. */
  parts: number;
  lastLeft: number;
}

/** Lines whose letters differ by more than this share in height belong to different texts: a title, a paragraph. */
const unlikeSizes = 0.15;
/**
 * Letter heights: a line of prose is as wide at least, and steps to the next one at most; a narrow one, in a cell,
 * steps less.
 */
const proseWidth = 8;
const maxStep = 2.5;
const maxNarrowStep = 1.6;
/** Letter heights by which lines of a paragraph differ at its right, and its first one is indented. */
const ragged = 1.6;
const indent = 4;

/**
 * Whether a line goes on in the next one, as a paragraph does. Lines of tables do not, nor what is separate from them.
 */
function goesOn(before: Line, after: Line): boolean {
  const size = before.size;
  const isProse = before.right - before.lastLeft >= proseWidth * size;
  // A separate run before prose is the number of an item.
  if (Math.abs(after.size - size) > unlikeSizes * size || (before.parts > 1 && !isProse) || after.parts > 1)
    return false;
  const step = before.base - after.base;
  // Lines that are written downward follow each other to the left; the next column begins further up.
  if (Math.abs(step) < size / 2) return after.left < before.left;
  if (step < 0) return isProse;
  const startsBelow = after.left <= before.lastLeft + size / 2 && after.left >= before.left - indent * size;
  return (
    startsBelow && before.right >= after.right - ragged * size && step <= size * (isProse ? maxStep : maxNarrowStep)
  );
}

function joint(before: string, after: string, isOneText: boolean): { before: string; between: string } {
  if (brokenWord.test(before) && (startsLower.test(after) || before.endsWith('\u00ad')))
    return { before: before.slice(0, -1), between: '' };
  const last = before.slice(-1);
  if (isOneText && writtenWithoutSpaces.test(last) && writtenWithoutSpaces.test(after.slice(0, 1)))
    return { before, between: '' };
  return { before, between: '\n' };
}

/**
 * Joins lines to the text of a page: words that a hyphen broke across lines joined, soft hyphens inside words gone. One
 * elsewhere is a hyphen or a minus sign under a wrong name.
 */
function joinLines(lines: readonly Line[]): string {
  const parts: string[] = [];
  let lineBefore: Line | null = null;
  for (const line of lines) {
    const next = joinWhiteSpace(withoutControls(line.text));
    if (next === '') continue;
    const previous = parts.pop();
    const isOneText = lineBefore !== null && goesOn(lineBefore, line);
    lineBefore = line;
    if (previous === undefined) {
      parts.push(next);
      continue;
    }
    const { before, between } = joint(previous, next, isOneText);
    parts.push(between === '' ? before + next : before);
    if (between !== '') parts.push(next);
  }
  return parts
    .join('\n')
    .replace(/(?<=[\p{L}\p{M}])\u00ad/gu, '')
    .replaceAll('\u00ad', '-');
}

/** Fields of a page whose place is looked for; further ones come at its end. */
const maxPlaced = 1000;

/** Puts each placed text after the segment on its left on the same line; without one, at the end. */
function withPlaced(segments: readonly Segment[], placed: readonly PlacedText[]): Segment[] {
  const all = [...segments];
  for (const [
    number,
    {
      text,
      rectangle: [left = 0, bottom = 0, right = 0, top = 0],
    },
  ] of placed.entries()) {
    let best = -1;
    if (number < maxPlaced)
      all.forEach((segment, index) => {
        const beside =
          segment.angle === 0 &&
          segment.base >= bottom - segment.size / 2 &&
          segment.base <= top &&
          segment.left < left;
        if (beside && (best < 0 || segment.left >= (all[best]?.left ?? 0))) best = index;
      });
    const made: Segment = {
      text,
      left,
      right,
      base: bottom,
      size: top - bottom,
      angle: 0,
      rtl: false,
      continues: best >= 0,
    };
    all.splice(best < 0 ? all.length : best + 1, 0, made);
  }
  return all;
}

/**
 * The text of a page in the order of reading: a line of it per line of the page, or of its column.
 */
export function pageText(runs: readonly TextRun[], placed: readonly PlacedText[] = []): string {
  const lines: Line[] = [];
  for (const { text, size, left, right, base, continues } of withPlaced(inReadingOrder(segmentsOf(runs)), placed)) {
    const line = lines.at(-1);
    if (continues && line !== undefined) {
      line.text += ` ${text}`;
      Object.assign(line, { right, parts: line.parts + 1, lastLeft: left });
    } else lines.push({ text, size, left, right, base, parts: 1, lastLeft: left });
  }
  return joinLines(lines);
}
