import { joinWhiteSpace } from './clean.ts';
import { inReadingOrder } from './pdf-columns.ts';
import type { Segment, TextRun } from './pdf-lines.ts';
import { segmentsOf } from './pdf-lines.ts';

/** The text of a form field or a note that is written on the page, and the corners of its place: left, bottom, right, top. */
export interface PlacedText {
  text: string;
  rectangle: readonly number[];
}

const controls = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g;
/** Letters that words have on the mean where such a character stands for the space between them. */
const leastWord = 2.5;

/**
 * A line without the control characters that fonts without a Unicode map give: they are spaces where that makes words of
 * the line, and nothing where it would take it to pieces.
 */
function withoutControls(text: string): string {
  const without = text.replace(controls, '');
  if (without.length === text.length) return text;
  const stretches = text.replace(controls, ' ').split(/\s+/).filter((stretch) => stretch !== '');
  const letters = stretches.reduce((sum, stretch) => sum + stretch.length, 0);
  return letters >= stretches.length * leastWord ? stretches.join(' ') : without;
}

/** A hyphen at a line's end after a letter; U+00AD is a hyphen that shows only there. */
const brokenWord = /\p{L}[-\u2010\u00ad]$/u;
const startsLower = /^\p{Ll}/u;
const writtenWithoutSpaces = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\u3000-\u303f\uff00-\uff60]/u;

/** Lines whose letters differ by more than this share in height belong to different texts: a title, a paragraph. */
const unlikeSizes = 0.15;

function joint(before: string, after: string, alike: boolean): { before: string; between: string } {
  if (brokenWord.test(before) && (startsLower.test(after) || before.endsWith('\u00ad'))) return { before: before.slice(0, -1), between: '' };
  const last = before.slice(-1);
  if (alike && writtenWithoutSpaces.test(last) && writtenWithoutSpaces.test(after.slice(0, 1))) return { before, between: '' };
  return { before, between: '\n' };
}

/**
 * Joins lines to the text of a page: words that a hyphen broke across lines joined, soft hyphens inside words gone. One
 * that stands elsewhere is a hyphen or a minus sign under a wrong name.
 */
function joinLines(lines: readonly { text: string; size: number }[]): string {
  const parts: string[] = [];
  let sizeBefore = 0;
  for (const { text, size } of lines) {
    const next = joinWhiteSpace(withoutControls(text));
    if (next === '') continue;
    const previous = parts.pop();
    const alike = Math.abs(size - sizeBefore) <= unlikeSizes * sizeBefore;
    sizeBefore = size;
    if (previous === undefined) {
      parts.push(next);
      continue;
    }
    const { before, between } = joint(previous, next, alike);
    parts.push(between === '' ? before + next : before);
    if (between !== '') parts.push(next);
  }
  return parts.join('\n').replace(/(?<=[\p{L}\p{M}])\u00ad/gu, '').replaceAll('\u00ad', '-');
}

/** Fields of a page whose place is looked for; further ones come at its end. */
const mostPlaced = 1000;

/** Puts each placed text behind the segment that stands on its left on the same line; without one, at the end. */
function withPlaced(segments: readonly Segment[], placed: readonly PlacedText[]): Segment[] {
  const all = [...segments];
  for (const [number, { text, rectangle: [left = 0, bottom = 0, right = 0, top = 0] }] of placed.entries()) {
    let best = -1;
    if (number < mostPlaced) all.forEach((segment, index) => {
      const beside = segment.angle === 0 && segment.base >= bottom - segment.size / 2 && segment.base <= top && segment.left < left;
      if (beside && (best < 0 || segment.left >= (all[best]?.left ?? 0))) best = index;
    });
    const made: Segment = { text, left, right, base: bottom, size: top - bottom, angle: 0, rtl: false, continues: best >= 0 };
    all.splice(best < 0 ? all.length : best + 1, 0, made);
  }
  return all;
}

/** The text of a page in the order of reading: a line of it per line of the page, or of the column that it stands in. */
export function pageText(runs: readonly TextRun[], placed: readonly PlacedText[] = []): string {
  const lines: { text: string; size: number }[] = [];
  for (const { text, size, continues } of withPlaced(inReadingOrder(segmentsOf(runs)), placed)) {
    const line = lines.at(-1);
    if (continues && line !== undefined) line.text += ` ${text}`;
    else lines.push({ text, size });
  }
  return joinLines(lines);
}
