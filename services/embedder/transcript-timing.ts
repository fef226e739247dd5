import type { Segment } from '../../models/transcript.ts';
import { wordCount } from './word-count.ts';

/** A span of a segment's text with its time: a spoken word, or a written one with an estimated time. */
export interface TimedSpan {
  /** UTF-16 offsets into the segment's text, end exclusive. */
  from: number;
  to: number;
  /** Seconds from the start of the recording. */
  start: number;
  end: number;
}

/** A segment's text, span by span. */
export interface TimedText {
  /** Whether the times are those of spoken words; otherwise they are estimated by the share of characters. */
  spoken: boolean;
  /** In order; times never decrease. */
  spans: TimedSpan[];
}

/**
 * UTF-16 units after the previous word within which a spoken word is searched for: punctuation, or words without a
 * time, may come in between.
 */
const maxGap = 120;
/** Longest span of text without a space, in UTF-16 units. */
const maxSpan = 16;

/** The text in lower case, unless that would change offsets. */
function comparable(text: string): string {
  const lower = text.toLowerCase();
  return lower.length === text.length ? lower : text;
}

/** The range of a spoken word in the text from an offset on, with or without the signs around it; null for none. */
function rangeOf(text: string, word: string, from: number): { from: number; to: number } | null {
  const bare = word.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '');
  for (const sought of word === bare ? [word] : [word, bare]) {
    const at = sought === '' ? -1 : text.slice(from, from + maxGap + sought.length).indexOf(sought);
    if (at !== -1) return { from: from + at, to: from + at + sought.length };
  }
  return null;
}

/** The spoken words that the text contains, in order. */
function located(segment: Segment): TimedSpan[] {
  const text = comparable(segment.text);
  const spans: TimedSpan[] = [];
  let from = 0;
  let time = segment.start;
  for (const word of segment.words) {
    const range = rangeOf(text, comparable(word.text.trim()), from);
    if (range === null) continue;
    const start = Math.max(time, word.start);
    const end = Math.max(start, word.end);
    spans.push({ ...range, start, end });
    from = range.to;
    time = start;
  }
  return spans;
}

/** Written words, or pieces of text without spaces that split no surrogate pair. */
function* written(text: string): Generator<{ from: number; to: number }> {
  for (const { 0: token, index } of text.matchAll(/\S+/gu)) {
    for (let at = 0; at < token.length;) {
      let to = Math.min(at + maxSpan, token.length);
      if (to < token.length && (token.charCodeAt(to) & 0xfc00) === 0xdc00) to += 1;
      yield { from: index + at, to: index + to };
      at = to;
    }
  }
}

/**
 * The times of a segment's text: those of its words where they are known and the text contains most of them, else by
 * the share of characters.
 */
export function timedText(segment: Segment): TimedText {
  const spans = segment.timingPrecision === 'word' ? located(segment) : [];
  if (spans.length > 0 && spans.length * 2 >= wordCount(segment.text)) return { spoken: true, spans };
  const { text, start } = segment;
  const seconds = Math.max(0, segment.end - start);
  const timeAt = (offset: number): number => start + (seconds * offset) / text.length;
  return {
    spoken: false,
    spans: [...written(text)].map(({ from, to }) => ({ from, to, start: timeAt(from), end: timeAt(to) })),
  };
}
