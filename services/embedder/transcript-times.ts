import type { Segment } from '../../models/transcript.ts';
import { wordCount } from './passage-size.ts';

/** A stretch of a segment's text with its time: a spoken word, or a written one whose time is reckoned. */
export interface TimedStretch {
  /** UTF-16 offsets into the segment's text, end exclusive. */
  from: number;
  to: number;
  /** Seconds from the start of the recording. */
  start: number;
  end: number;
}

/** A segment's text, stretch by stretch. */
export interface TimedText {
  /** Whether the times are those of spoken words; else they are reckoned by the share of characters. */
  spoken: boolean;
  /** In order; times never fall. */
  stretches: TimedStretch[];
}

/** How far behind the word before it a spoken word is looked for in the text (UTF-16 units): punctuation, or words without a time, may stand between. */
const farthest = 120;
/** Text without a space is reckoned in stretches of at most so many UTF-16 units. */
const longestStretch = 16;

/** Letters in lower case, where that keeps offsets. */
function comparable(text: string): string {
  const lower = text.toLowerCase();
  return lower.length === text.length ? lower : text;
}

/** Where a spoken word stands in the text from an offset on: as it is told, else without the signs around it; null where it does not. */
function placeOf(text: string, word: string, from: number): { from: number; to: number } | null {
  const bare = word.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '');
  for (const sought of word === bare ? [word] : [word, bare]) {
    const at = sought === '' ? -1 : text.slice(from, from + farthest + sought.length).indexOf(sought);
    if (at !== -1) return { from: from + at, to: from + at + sought.length };
  }
  return null;
}

/** The spoken words that stand in the text, each behind the one before. */
function located(segment: Segment): TimedStretch[] {
  const text = comparable(segment.text);
  const stretches: TimedStretch[] = [];
  let from = 0;
  let time = segment.start;
  for (const word of segment.words) {
    const place = placeOf(text, comparable(word.text.trim()), from);
    if (place === null) continue;
    const start = Math.max(time, word.start);
    const end = Math.max(start, word.end);
    stretches.push({ ...place, start, end });
    from = place.to;
    time = start;
  }
  return stretches;
}

/** Written words, or pieces of text that has no spaces, none of which tears a surrogate pair apart. */
function* written(text: string): Generator<{ from: number; to: number }> {
  for (const { 0: stretch, index } of text.matchAll(/\S+/gu)) {
    for (let at = 0; at < stretch.length;) {
      let to = Math.min(at + longestStretch, stretch.length);
      if (to < stretch.length && (stretch.charCodeAt(to) & 0xfc00) === 0xdc00) to += 1;
      yield { from: index + at, to: index + to };
      at = to;
    }
  }
}

/** The times of a segment's text: of its words where they are known and most of them stand in it, else by the share of characters within the segment. */
export function timedText(segment: Segment): TimedText {
  const stretches = segment.timingPrecision === 'word' ? located(segment) : [];
  if (stretches.length > 0 && stretches.length * 2 >= wordCount(segment.text)) return { spoken: true, stretches };
  const { text, start } = segment;
  const seconds = Math.max(0, segment.end - start);
  const timeAt = (offset: number): number => start + (seconds * offset) / text.length;
  return { spoken: false, stretches: [...written(text)].map(({ from, to }) => ({ from, to, start: timeAt(from), end: timeAt(to) })) };
}
