import type { Block, Location } from '../../models/block.ts';

/**
 * Ends of sentences and, as second choice, ends of words. Chinese and Japanese sentences need no space between them.
 */
const sentenceEnd =
  /[.!?\u2026\u061f\u0964]["'\u201d\u2019)\]]*\s+|[\u3002\uff01\uff1f]["'\u300d\u300f\u201d\u2019)]*|\n+/gu;
const wordEnd = /\s+/gu;

function lastEnd(window: string, pattern: RegExp, least: number): number | null {
  let found: number | null = null;
  for (const match of window.matchAll(pattern)) {
    const end = match.index + match[0].length;
    if (end > least && end < window.length) found = end;
  }
  return found;
}

/**
 * The length of the next piece: up to the last end of a sentence in the second half of the room, else the last end of a
 * word, else all of it.
 */
function pieceEnd(text: string, from: number, room: number): number {
  if (text.length - from <= room) return text.length;
  const window = text.slice(from, from + room + 1);
  const end = lastEnd(window, sentenceEnd, room / 2) ?? lastEnd(window, wordEnd, 0) ?? room;
  const insidePair =
    /[\ud800-\udbff]/.test(text.charAt(from + end - 1)) && /[\udc00-\udfff]/.test(text.charAt(from + end));
  return from + (insidePair && end > 1 ? end - 1 : end);
}

function lineBreaks(text: string): number {
  return text.match(/\n/g)?.length ?? 0;
}

/**
 * The fields of a block's location that can be adjusted for its pieces: those of a text that is in the file character
 * by character, line by line.
 */
function movableFields({ text, location }: Block): { characters: boolean; lines: boolean } {
  const { charStart, charEnd, lineStart, lineEnd } = location;
  return {
    characters: charStart !== undefined && charEnd !== undefined && charEnd - charStart === text.length,
    lines: lineStart !== undefined && lineEnd !== undefined && lineEnd - lineStart === lineBreaks(text),
  };
}

/**
 * Splits a block into pieces of at most `room` UTF-16 code units, at ends of sentences if possible, else of words,
 * never inside a surrogate pair. White space at the ends of pieces is trimmed and locations are adjusted. The first
 * piece gets the titles and the context, which holds for the following ones. A block that fits is returned unchanged.
 */
export function* splitBlock(block: Block, room: number): Generator<Block> {
  const { text, group } = block;
  if (text.length <= room) {
    yield block;
    return;
  }
  const movable = movableFields(block);
  const { charStart = 0, lineStart = 0 } = block.location;
  let line = lineStart;
  let first: Pick<Block, 'titles' | 'context'> = {
    ...(block.titles === undefined ? {} : { titles: block.titles }),
    ...(block.context === undefined ? {} : { context: block.context }),
  };
  const isContents: Pick<Block, 'isContents'> = block.isContents === undefined ? {} : { isContents: true };
  for (let from = 0; from < text.length;) {
    const to = pieceEnd(text, from, room);
    const piece = text.slice(from, to);
    const leading = piece.length - piece.trimStart().length;
    const trimmed = piece.trim();
    const location: Location = { ...block.location };
    if (movable.characters) {
      location.charStart = charStart + from + leading;
      location.charEnd = location.charStart + trimmed.length;
    }
    if (movable.lines) {
      location.lineStart = line + lineBreaks(piece.slice(0, leading));
      location.lineEnd = location.lineStart + lineBreaks(trimmed);
      line += lineBreaks(piece);
    }
    if (trimmed !== '') {
      yield { text: trimmed, location, group, ...first, ...isContents };
      first = {};
    }
    from = to;
  }
}
