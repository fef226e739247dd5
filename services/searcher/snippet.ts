import type { Highlight } from '../../models/api.ts';
import { mergeMarks, type MarkedWord } from './highlight.ts';
import { endsWithItsLine, lineAt, lineStart } from './lines.ts';
import type { Words } from './words.ts';

/** Words of a snippet, about. A passage that is hardly longer is shown whole. */
const snippetWords = 60;
const wholeUpTo = 75;
/** How many words a snippet may begin earlier, to begin with a sentence. */
const leadIn = 15;
/** Parts of a compound behind its whole that are looked at. */
const mostParts = 40;
const ellipsis = '…';

/** A passage's excerpt. Offsets are UTF-16 code units into `snippet`, end exclusive. */
export interface Snippet {
  snippet: string;
  highlights: Highlight[];
}

/** The window that holds the most, distinct terms by weight first, then marks: the places of its first and its last mark. */
function bestWindow(marks: readonly MarkedWord[], weights: readonly number[]): { first: number; last: number } {
  const counts = new Map<number, number>();
  let gain = 0;
  let best = { gain: -1, first: 0, last: 0 };
  let after = 0;
  for (const { place, term } of marks) {
    for (; after < marks.length; after += 1) {
      const next = marks[after];
      if (next === undefined || next.place >= place + snippetWords - leadIn) break;
      const count = counts.get(next.term) ?? 0;
      counts.set(next.term, count + 1);
      gain += count === 0 ? 1000 * (1 + (weights[next.term] ?? 0)) : 1;
    }
    if (gain > best.gain) best = { gain, first: place, last: marks[after - 1]?.place ?? place };
    const count = counts.get(term) ?? 1;
    counts.set(term, count - 1);
    gain -= count === 1 ? 1000 * (1 + (weights[term] ?? 0)) : 1;
  }
  return best;
}

/** The number of an item at the start of its line. */
const itemNumber = /^\s*\(?\d{1,3}[.)]?$/u;
/** A point that ends an abbreviation: of a few letters with a small one behind it, or with another point in it (`bzw. die`, `e.g.`). */
const abbreviated = /(?<!\p{L})\p{L}{1,4}\. \p{Ll}|(?<!\p{L})\p{L}\.\p{L}\. /u;
/**
 * Whether a sentence ends after the word at this place, or what is read like one: a row of a table, an item of a list. The
 * number of an item does not end its sentence.
 */
function endsSentence(text: string, words: Words, place: number): boolean {
  const end = words.endOf(place);
  if (end === undefined || place + 1 >= words.length) return true;
  const next = words.startOf(place + 1);
  const between = text.slice(end, next);
  if (between.includes('\n') && endsWithItsLine(lineAt(text, end), lineAt(text, next))) return true;
  if (!/[.!?:;。！？]\s|\n\s*\n|[。！？]/u.test(between) || itemNumber.test(text.slice(lineStart(text, end), end))) return false;
  return !abbreviated.test(text.slice(Math.max(0, end - 7), next + 1));
}

/** Where the excerpt begins: at a sentence up to `leadIn` words before, else a third of that before the first mark. */
function sentenceStart(text: string, words: Words, place: number): number {
  for (let at = place; at >= Math.max(0, place - leadIn); at -= 1) {
    if (at === 0 || endsSentence(text, words, at - 1)) return at;
  }
  return Math.max(0, place - Math.floor(leadIn / 3));
}

/** Place after the last word: about `snippetWords` on, at a sentence's end where one is near, and behind what is needed. */
function sentenceEnd(text: string, words: Words, from: number, needed: number): number {
  const end = from + snippetWords;
  if (end >= words.length) return words.length;
  for (let at = end; at > Math.max(needed, end - leadIn); at -= 1) {
    if (endsSentence(text, words, at - 1)) return at;
  }
  for (let at = end + 1; at <= Math.min(words.length, end + leadIn); at += 1) {
    if (endsSentence(text, words, at - 1)) return at;
  }
  return end;
}

/** Signs that belong to the word behind them: opening brackets and quotes, currencies, marks of emphasis; and those of its line. */
const openingSigns = /[\p{Ps}\p{Pi}\p{Sc}"'*_`#±~<≤>≥+¿¡]*$/u;

/** Offset at which an excerpt that begins with this word starts, with the signs that belong to it, and never inside a compound. */
function excerptStart(text: string, words: Words, first: number): number {
  let start = words.startOf(first);
  for (let place = first - 1; place >= Math.max(0, first - mostParts); place -= 1) {
    if ((words.endOf(place) ?? 0) > start) start = Math.min(start, words.startOf(place));
  }
  const line = lineStart(text, start);
  if (/^[^\p{L}\p{M}\p{N}]*$/u.test(text.slice(line, start))) return line + text.slice(line, start).search(/\S|$/u);
  const signs = openingSigns.exec(text.slice(Math.max(0, start - 5), start))?.[0] ?? '';
  return start - signs.length;
}

/**
 * Cuts an excerpt around the marked words. `weights` says how much each term counts. An ellipsis stands only where
 * something was left out; a passage of about the excerpt's length is shown whole.
 */
export function snippetOf(text: string, words: Words, marked: readonly MarkedWord[], weights: readonly number[]): Snippet {
  if (words.length <= wholeUpTo) return { snippet: text, highlights: mergeMarks(text, marked) };
  const { first: place, last } = bestWindow(marked, weights);
  const lastPossible = Math.max(0, words.length - snippetWords);
  // What is marked near the end of the passage is shown with all that follows it.
  const isLast = place > lastPossible;
  const first = isLast ? Math.min(sentenceStart(text, words, place), sentenceStart(text, words, lastPossible)) : sentenceStart(text, words, place);
  const start = first === 0 ? 0 : excerptStart(text, words, first);
  const end = excerptEnd(text, words, isLast ? words.length : sentenceEnd(text, words, first, last + 1));
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
  let end = 0;
  for (let place = Math.max(0, after - mostParts); place < after; place += 1) end = Math.max(end, words.endOf(place) ?? 0);
  for (let place = after; place < words.length; place += 1) {
    const start = words.startOf(place);
    if (start >= end) return end + Math.max(0, text.slice(end, start).search(/\s/u));
    end = Math.max(end, words.endOf(place) ?? 0);
  }
  return text.length;
}
