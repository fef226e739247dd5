import type { Location } from '../../models/block.ts';
import type { Segment } from '../../models/transcript.ts';
import { leftoverWords, passageWords } from './passage-parts.ts';
import { wordCount } from './passage-size.ts';
import { timedText, type TimedStretch } from './transcript-times.ts';

/** A passage of speech spans at most so many seconds. */
export const passageSeconds = 60;
/** A pause between words that is longer than this is told in the timings, so that no word is stretched over it. */
const toldPause = 0.3;

/** What one speaker says in one language, as long as a passage may be. */
export interface SpeechPart {
  text: string;
  location: Location;
  /** As models/passage.ts tells them. */
  timings: number[];
  speaker: string | null;
  language: string | null;
}

/** A segment, or a piece of a long one. */
interface Piece {
  text: string;
  words: number;
  /** Seconds from the start of the recording. */
  start: number;
  end: number;
  /** Whether its words' own times are known. */
  spoken: boolean;
  /** Offset into `text` and the second at which it is said; both rise. */
  points: [offset: number, seconds: number][];
}

/** The points of a text between two offsets of its segment. */
function pointsOf(stretches: readonly TimedStretch[], from: number): Piece['points'] {
  const points: Piece['points'] = [];
  stretches.forEach((stretch, place) => {
    points.push([stretch.from - from, stretch.start]);
    const next = stretches[place + 1];
    if (next === undefined || next.start - stretch.end > toldPause) points.push([stretch.to - from, stretch.end]);
  });
  return points;
}

/** The piece of a segment between two offsets of its text; null where nothing stands there. */
function pieceOf(segment: Segment, from: number, to: number, stretches: readonly TimedStretch[], spoken: boolean, bounds: { start: number; end: number }): Piece | null {
  const slice = segment.text.slice(from, to);
  const text = slice.trim();
  if (text === '') return null;
  const first = from + slice.length - slice.trimStart().length;
  const points: Piece['points'] = spoken ? pointsOf(stretches, first) : [[0, bounds.start], [text.length, bounds.end]];
  return { text, words: wordCount(text), ...bounds, spoken, points };
}

/** Where the text between two stretches is parted: behind its last white space, so that signs go with their word. */
function partingPlace(text: string, before: TimedStretch, next: TimedStretch): number {
  const between = text.slice(before.to, next.from);
  const space = between.search(/\s\S*$/u);
  return space === -1 ? next.from : before.to + space + 1;
}

/** The pieces of a segment: itself, or, where it is longer than a passage may be, cut at words by their times. */
function* fitting(segment: Segment): Generator<Piece> {
  const { text } = segment;
  const start = told(segment.start);
  const end = Math.max(start, told(segment.end));
  const { spoken, stretches } = timedText(segment);
  if (wordCount(text) <= passageWords + leftoverWords && end - start <= passageSeconds) {
    const whole = pieceOf(segment, 0, text.length, stretches, spoken, { start, end });
    if (whole !== null) yield whole;
    return;
  }
  let from = 0;
  let words = 0;
  let taken: TimedStretch[] = [];
  const cut = (to: number): Piece | null => {
    const [first] = taken;
    const last = taken.at(-1);
    if (first === undefined || last === undefined) return null;
    // A single word that is said to last longer than a passage is one whose time is wrong.
    const start = told(first.start);
    const piece = pieceOf(segment, from, to, taken, spoken, { start, end: Math.min(told(last.end), start + passageSeconds) });
    from = to;
    words = 0;
    taken = [];
    return piece;
  };
  for (const stretch of stretches) {
    const before = taken.at(-1);
    const [first] = taken;
    const length = wordCount(text.slice(before?.to ?? stretch.from, stretch.to));
    if (before !== undefined && first !== undefined && (words + length > passageWords || told(stretch.end) - told(first.start) > passageSeconds)) {
      const piece = cut(partingPlace(text, before, stretch));
      if (piece !== null) yield piece;
    }
    taken.push(stretch);
    words += length;
  }
  const rest = cut(text.length);
  if (rest !== null) yield rest;
}

/** Seconds as they are told: to the millisecond. */
function told(seconds: number): number {
  return Math.round(seconds * 1000) / 1000;
}

function belongsTo(pieces: readonly Piece[], words: number, next: Piece): boolean {
  const [first] = pieces;
  if (first === undefined) return true;
  if (next.end - first.start > passageSeconds) return false;
  return words + next.words <= passageWords + (next.words <= leftoverWords / 2 ? leftoverWords : 0);
}

function partOf(pieces: readonly Piece[], speaker: string | null, language: string | null): SpeechPart | null {
  const [first] = pieces;
  if (first === undefined) return null;
  const start = first.start;
  const end = pieces.reduce((latest, piece) => Math.max(latest, piece.end), start);
  const timings: number[] = [];
  let at = 0;
  let time = 0;
  for (const { text, points } of pieces) {
    for (const [offset, seconds] of points) {
      time = Math.max(time, Math.round((Math.min(seconds, end) - start) * 100));
      timings.push(at + offset, time);
    }
    at += text.length + 1;
  }
  const timingPrecision = pieces.every((piece) => piece.spoken) ? 'word' : 'segment';
  return { text: pieces.map((piece) => piece.text).join(' '), location: { startSeconds: start, endSeconds: end, timingPrecision }, timings, speaker, language };
}

/**
 * Joins consecutive segments of one speaker and one language into parts of up to about 200 words and at most 60 seconds,
 * with spaces between them; longer segments are cut at words by their times. Segments without text are left out. Holds no
 * more than one part and one segment at a time.
 */
export async function* joinSegments(segments: AsyncIterable<Segment>): AsyncGenerator<SpeechPart> {
  let joined: Piece[] = [];
  let words = 0;
  let speaker: string | null = null;
  let language: string | null = null;
  for await (const segment of segments) {
    for (const next of fitting(segment)) {
      const alike = segment.speaker === speaker && segment.language === language;
      if (!alike || !belongsTo(joined, words, next)) {
        const part = partOf(joined, speaker, language);
        if (part !== null) yield part;
        joined = [];
        words = 0;
      }
      ({ speaker, language } = segment);
      joined.push(next);
      words += next.words;
    }
  }
  const part = partOf(joined, speaker, language);
  if (part !== null) yield part;
}
