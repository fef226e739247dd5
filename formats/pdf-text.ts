import { joinWhiteSpace } from './clean.ts';
import { inReadingOrder } from './pdf-columns.ts';
import type { Segment, TextRun } from './pdf-lines.ts';
import { segmentsOf } from './pdf-lines.ts';

/** The text of a form field or note on a page, and its rectangle: left, bottom, right, top. */
export interface PlacedText {
  text: string;
  rectangle: readonly number[];
}

const controls = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g;
/** Mean word length from which such a character is a space. */
const minWord = 2.5;

/**
 * A line without the control characters of fonts that have no Unicode map: they are spaces if that yields words, and
 * are removed if it would split them.
 */
function withoutControls(text: string): string {
  const without = text.replace(controls, '');
  if (without.length === text.length) return text;
  const words = text
    .replace(controls, ' ')
    .split(/\s+/)
    .filter((word) => word !== '');
  const letters = words.reduce((sum, word) => sum + word.length, 0);
  return letters >= words.length * minWord ? words.join(' ') : without;
}

/** A hyphen at a line's end after a letter; U+00AD is only visible there. */
const brokenWord = /\p{L}[-\u2010\u00ad]$/u;
const startsLower = /^\p{Ll}/u;
const writtenWithoutSpaces =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\u3000-\u303f\uff00-\uff60]/u;

/** A line of a page or column, in coordinates rotated so that it runs to the right. */
interface Line {
  text: string;
  size: number;
  left: number;
  right: number;
  base: number;
  /** Number of separate runs, such as cells, and the start of the last one. */
  parts: number;
  lastLeft: number;
}

/**
 * Lines whose letter heights differ by more than this share belong to different texts, such as a title and a paragraph.
 */
const unlikeSizes = 0.15;
/**
 * In letter heights: the minimum width of a line of prose, and the maximum step to the next one; narrow lines, in
 * cells, have smaller steps.
 */
const proseWidth = 8;
const maxStep = 2.5;
const maxNarrowStep = 1.6;
/** In letter heights: how much lines of a paragraph differ at the right, and how far its first line is indented. */
const ragged = 1.6;
const indent = 4;

/** Whether a paragraph continues from one line to the next. Lines of tables do not continue. */
function continuesIn(before: Line, after: Line): boolean {
  const size = before.size;
  const isProse = before.right - before.lastLeft >= proseWidth * size;
  // A separate run before prose is an item number.
  if (Math.abs(after.size - size) > unlikeSizes * size || (before.parts > 1 && !isProse) || after.parts > 1)
    return false;
  const step = before.base - after.base;
  // In vertical text, each line is to the left of the previous one; the next column begins further up.
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
 * Joins lines to the text of a page. Words broken by a hyphen are joined, and soft hyphens within words are removed; a
 * soft hyphen elsewhere is a mislabelled hyphen or minus sign.
 */
function joinLines(lines: readonly Line[]): string {
  const parts: string[] = [];
  let lineBefore: Line | null = null;
  for (const line of lines) {
    const next = joinWhiteSpace(withoutControls(line.text));
    if (next === '') continue;
    const previous = parts.pop();
    const isOneText = lineBefore !== null && continuesIn(lineBefore, line);
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

/** Maximum number of fields that are placed within the text; the others come at the end. */
const maxPlaced = 1000;

/** Inserts each placed text after the segment to its left on the same line, or at the end. */
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

/** The text of a page in reading order: one line for each line of the page or column. */
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
