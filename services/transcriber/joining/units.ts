import type { HeardSegment } from '../../../adapters/speech/port.ts';

/** What a segment's text is made of: a word with what stands behind it up to the next one. */
export interface Unit {
  /** Piece of the segment's text; all units of a segment one after the other are its text. */
  text: string;
  /** The word as the transcriber gave it. */
  word: string;
  /** Seconds from the start of the recording. */
  start: number;
  end: number;
  confidence: number | null;
  /** Whether the times are the word's own; else they are its share of the segment's time. */
  isTimed: boolean;
  /** The segment that it comes from. */
  source: HeardSegment;
  /** Which piece of sound it was heard in, counted from 0. */
  piece: number;
}

/** A piece of sound: which it is, and where it begins in the recording, in seconds. */
export interface Piece {
  index: number;
  start: number;
}

/** Longest text of one unit, in UTF-16 units: no word is longer. */
const longestUnit = 500;
/** A token longer than this is taken for a script without spaces and cut into its words. */
const longestToken = 24;
/** How far ahead in the text a word is looked for, in UTF-16 units. */
const reach = 100;

const shortened = (text: string): string => (text.length > longestUnit ? text.slice(0, longestUnit).toWellFormed() : text);

/** Letters and digits of a word in lower case: what is equal where the same word was heard twice. */
export function bare(word: string): string {
  return word.normalize('NFKC').toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');
}

/**
 * Where each word begins in the text; null where a word is not found in its turn. Transcribers punctuate the text and
 * often not the words.
 */
function placesOf(text: string, words: readonly { text: string }[]): number[] | null {
  const lower = text.toLowerCase();
  if (lower.length !== text.length) return null;
  const places: number[] = [];
  let from = 0;
  for (const { text: word } of words) {
    const sought = word.toLowerCase().trim().replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '') || word.toLowerCase().trim();
    const found = lower.slice(from, from + reach + sought.length).indexOf(sought);
    if (found < 0) return null;
    places.push(from + found);
    from += found + sought.length;
  }
  return places;
}

function timedUnits(segment: HeardSegment, { index: piece, start: offset }: Piece): Unit[] {
  const { text, words } = segment;
  const places = placesOf(text, words);
  return words.map((word, index) => {
    const from = index === 0 ? 0 : places?.[index] ?? 0;
    const written = places === null ? `${word.text} ` : text.slice(from, places[index + 1] ?? text.length);
    return { text: shortened(written), word: shortened(word.text), start: word.start + offset, end: word.end + offset, confidence: word.confidence, isTimed: true, source: segment, piece };
  });
}

function* tokensOf(text: string): Generator<string> {
  const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' });
  for (const [token] of text.matchAll(/\S+\s*/gu)) {
    if (token.length <= longestToken) yield token;
    else for (const { segment } of segmenter.segment(token)) yield segment;
  }
}

/** Units of a segment without words: each has a share of its time by its number of characters. */
function interpolatedUnits(segment: HeardSegment, { index: piece, start: offset }: Piece): Unit[] {
  const { start, end } = segment;
  const text = segment.text.trim();
  const perCharacter = text.length === 0 ? 0 : (end - start) / text.length;
  let at = 0;
  return [...tokensOf(text)].map((token) => {
    const from = offset + start + at * perCharacter;
    at += token.length;
    return { text: shortened(token), word: shortened(token.trim()), start: from, end: offset + start + at * perCharacter, confidence: null, isTimed: false, source: segment, piece };
  });
}

/** A segment in units, with times in the recording. */
export function unitsOf(segment: HeardSegment, piece: Piece): Unit[] {
  return segment.words.length > 0 ? timedUnits(segment, piece) : interpolatedUnits(segment, piece);
}
