import type { ReactElement } from 'react';

/** A part of a text, and whether the query matched it. */
export interface Piece {
  text: string;
  isMarked: boolean;
}

/** Splits a text by ranges of UTF-16 units; ranges that overlap, or lie outside, are cut. */
export function piecesOf(text: string, ranges: readonly { start: number; end: number }[]): Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  for (const { start, end } of [...ranges].sort((a, b) => a.start - b.start)) {
    const [from, to] = [Math.max(at, start), Math.min(text.length, end)];
    if (from >= to) continue;
    if (from > at) pieces.push({ text: text.slice(at, from), isMarked: false });
    pieces.push({ text: text.slice(from, to), isMarked: true });
    at = to;
  }
  if (at < text.length) pieces.push({ text: text.slice(at), isMarked: false });
  return pieces;
}

/** A text with marked words. It is only ever text: nothing in it is read as HTML. */
export function Marked({
  text,
  ranges,
}: {
  text: string;
  ranges: readonly { start: number; end: number }[];
}): ReactElement {
  return (
    <>
      {piecesOf(text, ranges).map(({ text: part, isMarked }, index) =>
        isMarked ? <mark key={index}>{part}</mark> : part,
      )}
    </>
  );
}
