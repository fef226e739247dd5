import type { HeardSegment } from '../../../adapters/speech/port.ts';

/** A part of a segment's text: a word with the text up to the next word. */
export interface Unit {
  /** Part of the segment's text; the concatenation of all units is the whole text. */
  text: string;
  /** The word as the transcriber returned it. */
  word: string;
  /** Seconds from the start of the recording. */
  start: number;
  end: number;
  confidence: number | null;
  /** Whether the times are the word's own; otherwise they are its share of the segment's time. */
  isTimed: boolean;
  /** The source segment. */
  source: HeardSegment;
  /** Index of its piece of sound. */
  piece: number;
}

/** A piece of sound: its index, and its start in the recording, in seconds. */
export interface Piece {
  index: number;
  start: number;
}

/** Maximum length of one unit's text, in UTF-16 code units. */
const longestUnit = 500;
/** Longer tokens are assumed to be in a script without spaces and are split into words. */
const longestToken = 24;
/** Maximum distance at which a word is sought in the text, in UTF-16 code units. */
const reach = 100;

const shortened = (text: string): string =>
  text.length > longestUnit ? text.slice(0, longestUnit).toWellFormed() : text;

/** Letters and digits of a word in lower case, for comparing the words of two pieces. */
export function bare(word: string): string {
  return word
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '');
}

/**
 * The offset of each word in the text; null if a word is not found in order. Transcribers punctuate the text but often
 * not the words.
 */
function offsetsOf(text: string, words: readonly { text: string }[]): number[] | null {
  const lower = text.toLowerCase();
  if (lower.length !== text.length) return null;
  const offsets: number[] = [];
  let from = 0;
  for (const { text: word } of words) {
    const sought =
      word
        .toLowerCase()
        .trim()
        .replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '') || word.toLowerCase().trim();
    const found = lower.slice(from, from + reach + sought.length).indexOf(sought);
    if (found < 0) return null;
    offsets.push(from + found);
    from += found + sought.length;
  }
  return offsets;
}

function timedUnits(segment: HeardSegment, { index: piece, start: offset }: Piece): Unit[] {
  const { text, words } = segment;
  const offsets = offsetsOf(text, words);
  return words.map((word, index) => {
    const from = index === 0 ? 0 : (offsets?.[index] ?? 0);
    const written = offsets === null ? `${word.text} ` : text.slice(from, offsets[index + 1] ?? text.length);
    return {
      text: shortened(written),
      word: shortened(word.text),
      start: word.start + offset,
      end: word.end + offset,
      confidence: word.confidence,
      isTimed: true,
      source: segment,
      piece,
    };
  });
}

function* tokensOf(text: string): Generator<string> {
  const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' });
  for (const [token] of text.matchAll(/\S+\s*/gu)) {
    if (token.length <= longestToken) yield token;
    else for (const { segment } of segmenter.segment(token)) yield segment;
  }
}

/** Units of a segment without words: each has a share of the segment's time by its number of characters. */
function interpolatedUnits(segment: HeardSegment, { index: piece, start: offset }: Piece): Unit[] {
  const { start, end } = segment;
  const text = segment.text.trim();
  const perCharacter = text.length === 0 ? 0 : (end - start) / text.length;
  let at = 0;
  return [...tokensOf(text)].map((token) => {
    const from = offset + start + at * perCharacter;
    at += token.length;
    return {
      text: shortened(token),
      word: shortened(token.trim()),
      start: from,
      end: offset + start + at * perCharacter,
      confidence: null,
      isTimed: false,
      source: segment,
      piece,
    };
  });
}

/** A segment in units, with times in the recording. */
export function unitsOf(segment: HeardSegment, piece: Piece): Unit[] {
  return segment.words.length > 0 ? timedUnits(segment, piece) : interpolatedUnits(segment, piece);
}
