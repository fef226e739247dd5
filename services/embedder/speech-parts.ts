import type { Location } from '../../models/block.ts';
import type { Segment } from '../../models/transcript.ts';
import { leftoverWords, passageWords } from './block-parts.ts';
import { wordCount } from './word-count.ts';
import { timedText, type TimedSpan } from './transcript-timing.ts';

/** Seconds of speech in a passage, at most. */
export const passageSeconds = 60;
/** Longer pauses between words are part of the timings, so that no word extends over them. */
const minPause = 0.3;

/** Speech of one speaker in one language, up to the length of a passage. */
export interface SpeechPart {
  text: string;
  location: Location;
  /** As in `Passage.timings`. */
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
  /** Whether the times of its words are known. */
  spoken: boolean;
  /** Offsets into `text` with their seconds; both increase. */
  points: [offset: number, seconds: number][];
}

/** The points of a text between two offsets of its segment. */
function pointsOf(spans: readonly TimedSpan[], from: number): Piece['points'] {
  const points: Piece['points'] = [];
  spans.forEach((span, index) => {
    points.push([span.from - from, span.start]);
    const next = spans[index + 1];
    if (next === undefined || next.start - span.end > minPause) points.push([span.to - from, span.end]);
  });
  return points;
}

/** The piece of a segment between two offsets of its text; null where that is blank. */
function pieceOf(
  segment: Segment,
  from: number,
  to: number,
  spans: readonly TimedSpan[],
  spoken: boolean,
  bounds: { start: number; end: number },
): Piece | null {
  const slice = segment.text.slice(from, to);
  const text = slice.trim();
  if (text === '') return null;
  const first = from + slice.length - slice.trimStart().length;
  const points: Piece['points'] = spoken
    ? pointsOf(spans, first)
    : [
        [0, bounds.start],
        [text.length, bounds.end],
      ];
  return { text, words: wordCount(text), ...bounds, spoken, points };
}

/** Where the text between two spans is split: after its last white space, so that signs stay with their word. */
function splitOffset(text: string, before: TimedSpan, next: TimedSpan): number {
  const between = text.slice(before.to, next.from);
  const space = between.search(/\s\S*$/u);
  return space === -1 ? next.from : before.to + space + 1;
}

/** The pieces of a segment: itself, or several split at words where it is longer than a passage. */
function* splitToFit(segment: Segment): Generator<Piece> {
  const { text } = segment;
  const start = rounded(segment.start);
  const end = Math.max(start, rounded(segment.end));
  const { spoken, spans } = timedText(segment);
  if (wordCount(text) <= passageWords + leftoverWords && end - start <= passageSeconds) {
    const whole = pieceOf(segment, 0, text.length, spans, spoken, { start, end });
    if (whole !== null) yield whole;
    return;
  }
  let from = 0;
  let words = 0;
  let taken: TimedSpan[] = [];
  const cut = (to: number): Piece | null => {
    const [first] = taken;
    const last = taken.at(-1);
    if (first === undefined || last === undefined) return null;
    // The time of a single word that lasts longer than a passage is wrong.
    const start = rounded(first.start);
    const piece = pieceOf(segment, from, to, taken, spoken, {
      start,
      end: Math.min(rounded(last.end), start + passageSeconds),
    });
    from = to;
    words = 0;
    taken = [];
    return piece;
  };
  for (const span of spans) {
    const before = taken.at(-1);
    const [first] = taken;
    const length = wordCount(text.slice(before?.to ?? span.from, span.to));
    if (
      before !== undefined &&
      first !== undefined &&
      (words + length > passageWords || rounded(span.end) - rounded(first.start) > passageSeconds)
    ) {
      const piece = cut(splitOffset(text, before, span));
      if (piece !== null) yield piece;
    }
    taken.push(span);
    words += length;
  }
  const rest = cut(text.length);
  if (rest !== null) yield rest;
}

/** Seconds rounded to the millisecond. */
function rounded(seconds: number): number {
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
  return {
    text: pieces.map((piece) => piece.text).join(' '),
    location: { startSeconds: start, endSeconds: end, timingPrecision },
    timings,
    speaker,
    language,
  };
}

/**
 * Joins consecutive segments of one speaker and language into parts of up to about 200 words and 60 seconds, separated
 * by spaces; splits longer segments at words. Skips segments without text. Holds one part and one segment at a time.
 */
export async function* joinSegments(segments: AsyncIterable<Segment>): AsyncGenerator<SpeechPart> {
  let joined: Piece[] = [];
  let words = 0;
  let speaker: string | null = null;
  let language: string | null = null;
  for await (const segment of segments) {
    for (const next of splitToFit(segment)) {
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
