/** A range of UTF-16 units of one of several pieces of text, end exclusive. */
export interface PieceRange {
  piece: number;
  start: number;
  end: number;
}

/** Where a passage stands in a text, and where its marked words do. */
export interface Located {
  passage: PieceRange[];
  words: PieceRange[];
}

/** Left out of comparisons: white space, hyphens, which line breaks bring and take, and the dots of a cut snippet. */
const skipped = /[\s\u00ad\u002d\u2010\u2011\u2026]/u;
/** Compared characters below which a part of a passage is not looked for: it stands anywhere. */
const leastPart = 12;

/** A text as it is compared, with where each of its characters begins and ends in the text. */
interface Compared {
  text: string;
  at: number[];
  ends: number[];
}

function compared(text: string): Compared {
  let result = '';
  const [at, ends]: [number[], number[]] = [[], []];
  let offset = 0;
  for (const character of text) {
    if (!skipped.test(character)) {
      const plain = character.normalize('NFKC').toLowerCase().replace(/\s/gu, '');
      for (let unit = 0; unit < plain.length; unit += 1) {
        at.push(offset);
        ends.push(offset + character.length);
      }
      result += plain;
    }
    offset += character.length;
  }
  at.push(text.length);
  return { text: result, at, ends };
}

/** Parts of a passage that are looked for on their own: its lines and sentences, as ranges of its compared text. */
function partsOf(passage: string, { text, at }: Compared): [start: number, end: number][] {
  const parts: [number, number][] = [];
  let start = 0;
  for (let index = 1; index <= text.length; index += 1) {
    const between = passage.slice(at[index - 1], at[index]);
    if (index < text.length && !/[\n.!?]/.test(between)) continue;
    if (index - start >= leastPart) parts.push([start, index]);
    start = index;
  }
  return parts;
}

/**
 * Finds a passage in the pieces of a text, such as the runs of a page: whatever the line breaks, spaces, hyphens and
 * letter case of both are. Where it does not stand as a whole, its lines and sentences are looked for in their order.
 * @param marks ranges of the passage whose places are wanted too
 */
export function locate(
  pieces: readonly string[],
  passage: string,
  marks: readonly { start: number; end: number }[] = [],
): Located {
  const starts: number[] = [];
  let length = 0;
  for (const piece of pieces) {
    starts.push(length);
    length += piece.length;
  }
  const page = compared(pieces.join(''));
  const wanted = compared(passage);
  const whole = wanted.text === '' ? -1 : page.text.indexOf(wanted.text);
  const found: { from: number; to: number; at: number }[] = [];
  if (whole >= 0) found.push({ from: 0, to: wanted.text.length, at: whole });
  else {
    let after = 0;
    for (const [from, to] of partsOf(passage, wanted)) {
      const part = wanted.text.slice(from, to);
      const next = page.text.indexOf(part, after);
      const at = next >= 0 ? next : page.text.indexOf(part);
      if (at < 0) continue;
      found.push({ from, to, at });
      after = at + part.length;
    }
  }
  /** A range of the compared page as ranges of its pieces. */
  const rangesOf = (start: number, end: number): PieceRange[] => {
    const [first, last] = [page.at[start] ?? 0, page.ends[end - 1] ?? 0];
    return pieces.flatMap((piece, index) => {
      const offset = starts[index] ?? 0;
      const [from, to] = [Math.max(first - offset, 0), Math.min(last - offset, piece.length)];
      return from < to ? [{ piece: index, start: from, end: to }] : [];
    });
  };
  const words = marks.flatMap(({ start, end }) => {
    const [from, to] = [wanted.at.findIndex((at) => at >= start), wanted.at.findIndex((at) => at >= end)];
    return found.flatMap((part) => {
      const [low, high] = [Math.max(from, part.from), Math.min(to < 0 ? wanted.text.length : to, part.to)];
      return low < high ? rangesOf(part.at + low - part.from, part.at + high - part.from) : [];
    });
  });
  return { passage: found.flatMap(({ from, to, at }) => rangesOf(at, at + to - from)), words };
}
