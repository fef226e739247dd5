import type { Highlight } from '../../models/api.ts';
import { mergeMarks, type MarkedWord } from './highlight.ts';
import type { Words } from './words.ts';

/** Words of a snippet, about. A passage that is hardly longer is shown whole. */
const snippetWords = 60;
const wholeUpTo = 75;
/** How many words a snippet may begin earlier, to begin with a sentence. */
const leadIn = 15;
const ellipsis = '…';

/** A passage's excerpt. Offsets are UTF-16 code units into `snippet`, end exclusive. */
export interface Snippet {
  snippet: string;
  highlights: Highlight[];
}

/** First word of the window that holds the most: distinct terms by weight first, then marks. */
function bestStart(marks: readonly MarkedWord[], weights: readonly number[]): number {
  const counts = new Map<number, number>();
  let gain = 0;
  let best = { gain: -1, place: 0 };
  let last = 0;
  for (const [first, { place, term }] of marks.entries()) {
    for (; last < marks.length; last += 1) {
      const next = marks[last];
      if (next === undefined || next.place >= place + snippetWords - leadIn) break;
      const count = counts.get(next.term) ?? 0;
      counts.set(next.term, count + 1);
      gain += count === 0 ? 1000 * (1 + (weights[next.term] ?? 0)) : 1;
    }
    if (gain > best.gain) best = { gain, place: marks[first]?.place ?? 0 };
    const count = counts.get(term) ?? 1;
    counts.set(term, count - 1);
    gain -= count === 1 ? 1000 * (1 + (weights[term] ?? 0)) : 1;
  }
  return best.place;
}

function endsSentence(text: string, words: Words, place: number): boolean {
  const end = words.endOf(place);
  if (end === undefined || place + 1 >= words.length) return true;
  return /[.!?:;。！？]\s|\n\s*\n|[。！？]/u.test(text.slice(end, words.startOf(place + 1)));
}

/** Where the excerpt begins: at a sentence up to `leadIn` words before, else a third of that before the first mark. */
function sentenceStart(text: string, words: Words, place: number): number {
  for (let at = place; at >= Math.max(0, place - leadIn); at -= 1) {
    if (at === 0 || endsSentence(text, words, at - 1)) return at;
  }
  return Math.max(0, place - Math.floor(leadIn / 3));
}

/** Place after the last word: about `snippetWords` on, at a sentence's end where one is near. */
function sentenceEnd(text: string, words: Words, from: number, needed: number): number {
  const end = from + snippetWords;
  if (end >= words.length) return words.length;
  for (let at = end; at > Math.max(needed, end - leadIn); at -= 1) {
    if (endsSentence(text, words, at - 1)) return at;
  }
  return end;
}

/**
 * Cuts an excerpt around the marked words. `weights` says how much each term counts. An ellipsis stands only where
 * something was left out; a passage of about the excerpt's length is shown whole.
 */
export function snippetOf(text: string, words: Words, marked: readonly MarkedWord[], weights: readonly number[]): Snippet {
  if (words.length <= wholeUpTo) return { snippet: text, highlights: mergeMarks(text, marked) };
  const place = bestStart(marked, weights);
  const lastPossible = Math.max(0, words.length - snippetWords);
  // What is marked near the end of the passage is shown with all that follows it.
  const isLast = place > lastPossible;
  const first = isLast ? Math.min(sentenceStart(text, words, place), sentenceStart(text, words, lastPossible)) : sentenceStart(text, words, place);
  const start = first === 0 ? 0 : words.startOf(first);
  const end = excerptEnd(text, words, isLast ? words.length : sentenceEnd(text, words, first, place + 1));
  const front = start > 0 ? ellipsis : '';
  const shift = front.length - start;
  const inside = marked.filter((mark) => mark.start >= start && mark.end <= end)
    .map((mark) => ({ start: mark.start + shift, end: mark.end + shift }));
  const snippet = front + text.slice(start, end) + (end < text.length ? ellipsis : '');
  return { snippet, highlights: mergeMarks(snippet, inside) };
}

/**
 * Offset after the word before place `after`, with the punctuation that closes it. Parts of a compound overlap its whole:
 * the excerpt never ends inside one.
 */
function excerptEnd(text: string, words: Words, after: number): number {
  let end = words.endOf(after - 1) ?? text.length;
  for (let place = after; place < words.length; place += 1) {
    const start = words.startOf(place);
    if (start >= end) return end + Math.max(0, text.slice(end, start).search(/\s/u));
    end = Math.max(end, words.endOf(place) ?? 0);
  }
  return text.length;
}
