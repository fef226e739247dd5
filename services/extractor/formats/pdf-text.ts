import { joinWhiteSpace } from './clean.ts';

/** A run of text of a page as pdf.js gives it: in the order of the page's content, spaces and line ends found. */
export interface TextRun {
  str: string;
  /** Whether a line ends after it. */
  hasEOL: boolean;
}

const controls = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g;
/** A hyphen at a line's end after a letter; U+00AD is a hyphen that shows only there. */
const brokenWord = /\p{L}[-\u2010\u00ad]$/u;
const startsLower = /^\p{Ll}/u;
const writtenWithoutSpaces = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\u3000-\u303f\uff00-\uff60]/u;

function joint(before: string, after: string): { before: string; between: string } {
  if (brokenWord.test(before) && (startsLower.test(after) || before.endsWith('\u00ad'))) return { before: before.slice(0, -1), between: '' };
  const last = before.slice(-1);
  if (writtenWithoutSpaces.test(last) && writtenWithoutSpaces.test(after.slice(0, 1))) return { before, between: '' };
  return { before, between: '\n' };
}

/**
 * The text of a page: a line of it per line of the page, words that a hyphen broke across lines joined, soft hyphens
 * inside lines gone. Control characters that fonts without a Unicode map give are left out.
 */
export function pageText(runs: readonly TextRun[]): string {
  const lines: string[] = [];
  let line = '';
  const endLine = (): void => {
    const cleaned = joinWhiteSpace(line.replace(controls, ''));
    if (cleaned !== '') lines.push(cleaned);
    line = '';
  };
  for (const { str, hasEOL } of runs) {
    line += str;
    if (hasEOL) endLine();
  }
  endLine();
  const parts: string[] = [];
  for (const next of lines) {
    const previous = parts.pop();
    if (previous === undefined) {
      parts.push(next);
      continue;
    }
    const { before, between } = joint(previous, next);
    parts.push(between === '' ? before + next : before);
    if (between !== '') parts.push(next);
  }
  return parts.join('\n').replace(/(?<=\p{L})\u00ad(?=\p{L})/gu, '');
}
