import type { Block, Location } from '../../models/block.ts';

/** Where one sentence ends and another may begin, and, less good, where a word ends. Sentences of Chinese and Japanese need no space after them. */
const sentenceEnd = /[.!?\u2026\u061f\u0964]["'\u201d\u2019)\]]*\s+|[\u3002\uff01\uff1f]["'\u300d\u300f\u201d\u2019)]*|\n+/gu;
const wordEnd = /\s+/gu;

function lastEnd(window: string, pattern: RegExp, least: number): number | null {
  let found: number | null = null;
  for (const match of window.matchAll(pattern)) {
    const end = match.index + match[0].length;
    if (end > least && end < window.length) found = end;
  }
  return found;
}

/** How much of the text the next piece takes: up to the last sentence end in the second half of the room, else the last word end, else all of it. */
function pieceEnd(text: string, from: number, room: number): number {
  if (text.length - from <= room) return text.length;
  const window = text.slice(from, from + room + 1);
  const end = lastEnd(window, sentenceEnd, room / 2) ?? lastEnd(window, wordEnd, 0) ?? room;
  const insidePair = /[\ud800-\udbff]/.test(text.charAt(from + end - 1)) && /[\udc00-\udfff]/.test(text.charAt(from + end));
  return from + (insidePair && end > 1 ? end - 1 : end);
}

function lineBreaks(text: string): number {
  return text.match(/\n/g)?.length ?? 0;
}

/** The location of a piece of a block. Fields are moved where the text stands in the file character by character, and else kept as the block's. */
function pieceLocation({ text, location }: Block, start: number, end: number): Location {
  const { charStart, charEnd, lineStart, lineEnd } = location;
  const moved: Location = { ...location };
  if (charStart !== undefined && charEnd !== undefined && charEnd - charStart === text.length) {
    moved.charStart = charStart + start;
    moved.charEnd = charStart + end;
  }
  if (lineStart !== undefined && lineEnd !== undefined && lineEnd - lineStart === lineBreaks(text)) {
    moved.lineStart = lineStart + lineBreaks(text.slice(0, start));
    moved.lineEnd = moved.lineStart + lineBreaks(text.slice(start, end));
  }
  return moved;
}

/**
 * Cuts a block into pieces of at most `room` UTF-16 code units, at sentence ends where it can, else at word ends, never
 * inside a surrogate pair. White space at the ends of pieces is left out, and locations say so. A block that fits is
 * answered as it is.
 */
export function* splitBlock(block: Block, room: number): Generator<Block> {
  const { text, group } = block;
  if (text.length <= room) {
    yield block;
    return;
  }
  for (let from = 0; from < text.length;) {
    const to = pieceEnd(text, from, room);
    const piece = text.slice(from, to);
    const start = from + (piece.length - piece.trimStart().length);
    const end = to - (piece.length - piece.trimEnd().length);
    if (end > start) yield { text: text.slice(start, end), location: pieceLocation(block, start, end), group };
    from = to;
  }
}
