import type { Block } from '../models/block.ts';
import { cleanText } from './clean.ts';
import type { ExtractionLimits, FormatReader, ReportShare, SourceFile } from './reader.ts';
import { utf8Chunks } from './utf8.ts';

/** Longer lines are emitted in pieces of this many UTF-16 units, so that no file is held as one string. */
const longestPiece = 32_768;

/** A line, or a piece of a very long one. `start` is its offset in the file, in UTF-16 units. */
interface Line {
  text: string;
  number: number;
  start: number;
}

/** Where to split a line of more than `longestPiece` units: after white space, else between two characters. */
function cutAt(text: string): number {
  const space = text.lastIndexOf(' ', longestPiece - 1);
  if (space > longestPiece / 2) return space + 1;
  const last = text.charCodeAt(longestPiece - 1);
  return last >= 0xd800 && last <= 0xdbff ? longestPiece - 1 : longestPiece;
}

/**
 * Lines of a UTF-8 file, which end with `\
 * `, `\\r\
 * ` or a lone `\\r`. Blank lines are included.
 */
async function* linesOf(file: SourceFile, report: ReportShare): AsyncGenerator<Line, void, undefined> {
  let rest = '';
  let start = 0;
  let number = 1;
  const lineEnd = /\r\n?|\n/g;
  for await (const chunk of utf8Chunks(file, report)) {
    const text = rest + chunk.toString('utf8');
    let from = 0;
    lineEnd.lastIndex = Math.max(0, rest.length - 1);
    for (;;) {
      const end = lineEnd.exec(text);
      // A final `\\r` may be the first half of `\\r\
      // `: wait for the next chunk.
      if (end === null || (end[0] === '\r' && lineEnd.lastIndex === text.length)) break;
      yield { text: text.slice(from, end.index), number, start: start + from };
      from = lineEnd.lastIndex;
      number++;
    }
    rest = text.slice(from);
    start += from;
    while (rest.length > longestPiece * 2) {
      const cut = cutAt(rest);
      yield { text: rest.slice(0, cut), number, start };
      rest = rest.slice(cut);
      start += cut;
    }
  }
  if (rest.endsWith('\r')) rest = rest.slice(0, -1);
  if (rest !== '') yield { text: rest, number, start };
}

/**
 * Finds the heading of each Markdown line. Headings inside fenced code count as code (CommonMark 0.31, 4.2,
 * 4.3, 4.5).
 */
function headingTracker(): (line: string, next: string | undefined) => number {
  let section = 0;
  let fence = '';
  let previousIsText = false;
  return (line, next) => {
    const mark = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line);
    if (mark?.[1] !== undefined) {
      if (fence === '') fence = mark[1];
      else if (mark[1].startsWith(fence) && mark[2]?.trim() === '') fence = '';
      previousIsText = false;
      return section;
    }
    if (fence !== '') return section;
    const isText = /\S/.test(line) && !/^ {4}|^\t/.test(line);
    const underlined =
      isText &&
      !previousIsText &&
      next !== undefined &&
      /^ {0,3}(=+|-+)[ \t]*$/.test(next) &&
      !/^ {0,3}([-+*>]|\d+[.)])(\s|$)/.test(line);
    if (/^ {0,3}#{1,6}(\s|$)/.test(line) || underlined) section++;
    previousIsText = isText;
    return section;
  };
}

function blockOf(line: Line, group: string): Block | null {
  const text = cleanText(line.text);
  if (!/\S/.test(text)) return null;
  return {
    text,
    location: {
      lineStart: line.number,
      lineEnd: line.number,
      charStart: line.start,
      charEnd: line.start + line.text.length,
    },
    group,
  };
}

/** Plain text (.txt): a block for each non-blank line. Lines of more than 64 Ki units become several blocks. */
export const readText: FormatReader = async function* (
  file: SourceFile,
  _limits: ExtractionLimits,
  report: ReportShare,
) {
  for await (const line of linesOf(file, report)) {
    const block = blockOf(line, 'text');
    if (block !== null) yield block;
  }
};

/** Markdown (.md): lines as they are; the group changes at each heading. */
export const readMarkdown: FormatReader = async function* (
  file: SourceFile,
  _limits: ExtractionLimits,
  report: ReportShare,
) {
  const sectionOf = headingTracker();
  let held: Line | null = null;
  for await (const line of linesOf(file, report)) {
    if (held !== null) {
      const block = blockOf(held, `section ${sectionOf(held.text, line.text)}`);
      if (block !== null) yield block;
    }
    held = line;
  }
  if (held === null) return;
  const block = blockOf(held, `section ${sectionOf(held.text, undefined)}`);
  if (block !== null) yield block;
};
