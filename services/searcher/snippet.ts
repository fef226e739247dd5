import type { Highlight } from '../../models/api.ts';
import { mergeMarks, type MarkedWord, type TextWord } from './highlight.ts';

/** Words of a snippet, about. A passage that is hardly longer is shown whole. */
const snippetWords = 60;
const maxWholeWords = 75;
/** Words that a snippet may begin earlier or end later, to begin or end with a sentence. */
const leadIn = 15;
/** Parts of a compound that follow it in the list of words, at most. */
const maxParts = 40;
const ellipsis = '…';

/** The beginning of a line that is an item of a list, a heading, a row of a table or a quotation. */
const lineSign = /^\s*(?:[-–—*+•◦▪‣·|>]|#{1,6}\s|\(?\d{1,3}[.)]\s)/u;
/** The separator of two cells of a row. */
const cellSeparator = ' | ';

/** The start of the line at this offset. */
function lineStart(text: string, offset: number): number {
  return text.lastIndexOf('\n', offset - 1) + 1;
}

/** The line at this offset. */
export function lineAt(text: string, offset: number): string {
  const end = text.indexOf('\n', offset);
  return text.slice(lineStart(text, offset), end === -1 ? text.length : end);
}

/**
 * Whether a sentence ends with its line: it is a row of a table, or a row, an item of a list or a heading follows.
 * Other lines break anywhere, in a PDF in the middle of a phrase.
 */
export function endsWithItsLine(line: string, next: string): boolean {
  return line.includes(cellSeparator) || next.includes(cellSeparator) || lineSign.test(next);
}

/** An excerpt of a passage. Offsets are UTF-16 code units into `snippet`, end exclusive. */
export interface Snippet {
  snippet: string;
  highlights: Highlight[];
}

/**
 * Finds the window with the most distinct terms by weight, then the most marks. Returns the indexes of its first and
 * last marked words.
 */
function bestWindow(marks: readonly MarkedWord[], weights: readonly number[]): { first: number; last: number } {
  const counts = new Map<number, number>();
  let gain = 0;
  let best = { gain: -1, first: 0, last: 0 };
  let after = 0;
  for (const { index, term } of marks) {
    for (; after < marks.length; after += 1) {
      const next = marks[after];
      if (next === undefined || next.index >= index + snippetWords - leadIn) break;
      const count = counts.get(next.term) ?? 0;
      counts.set(next.term, count + 1);
      gain += count === 0 ? 1000 * (1 + (weights[next.term] ?? 0)) : 1;
    }
    if (gain > best.gain) best = { gain, first: index, last: marks[after - 1]?.index ?? index };
    const count = counts.get(term) ?? 1;
    counts.set(term, count - 1);
    gain -= count === 1 ? 1000 * (1 + (weights[term] ?? 0)) : 1;
  }
  return best;
}

/** The start of the word at this index; infinite behind the last one. */
function startOf(words: readonly TextWord[], index: number): number {
  return words[index]?.start ?? Infinity;
}

/** The number of an item at the start of its line. */
const itemNumber = /^\s*\(?\d{1,3}[.)]?$/u;
/** The dot of an abbreviation: of a few letters before a lower-case one, or after another dot (`bzw. die`, `e.g.`). */
const abbreviated = /(?<!\p{L})\p{L}{1,4}\. \p{Ll}|(?<!\p{L})\p{L}\.\p{L}\. /u;

/**
 * Whether a sentence, a row of a table or an item of a list ends after the word at this index. The number of an item
 * does not end its sentence.
 */
function endsSentence(text: string, words: readonly TextWord[], index: number): boolean {
  const end = words[index]?.end;
  if (end === undefined || index + 1 >= words.length) return true;
  const next = startOf(words, index + 1);
  const between = text.slice(end, next);
  if (between.includes('\n') && endsWithItsLine(lineAt(text, end), lineAt(text, next))) return true;
  if (!/[.!?:;。！？]\s|\n\s*\n|[。！？]/u.test(between) || itemNumber.test(text.slice(lineStart(text, end), end)))
    return false;
  return !abbreviated.test(text.slice(Math.max(0, end - 7), next + 1));
}

/**
 * The first word of the excerpt: of a sentence up to `leadIn` words before the mark, else a third of that before it.
 */
function sentenceStart(text: string, words: readonly TextWord[], index: number): number {
  for (let at = index; at >= Math.max(0, index - leadIn); at -= 1) {
    if (at === 0 || endsSentence(text, words, at - 1)) return at;
  }
  return Math.max(0, index - Math.floor(leadIn / 3));
}

/**
 * The index after the last word: about `snippetWords` on, at the end of a sentence where one is near, after `needed`.
 */
function sentenceEnd(text: string, words: readonly TextWord[], from: number, needed: number): number {
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

/** Signs that belong to the word after them: opening brackets and quotes, currencies, emphasis, comparison. */
const openingSigns = /[\p{Ps}\p{Pi}\p{Sc}"'*_`#±~<≤>≥+¿¡]*$/u;

/** The offset of an excerpt that begins with this word, including its opening signs, and never inside a compound. */
function excerptStart(text: string, words: readonly TextWord[], first: number): number {
  let start = startOf(words, first);
  for (let index = first - 1; index >= Math.max(0, first - maxParts); index -= 1) {
    if ((words[index]?.end ?? 0) > start) start = Math.min(start, startOf(words, index));
  }
  const line = lineStart(text, start);
  if (/^[^\p{L}\p{M}\p{N}]*$/u.test(text.slice(line, start))) return line + text.slice(line, start).search(/\S|$/u);
  const signs = openingSigns.exec(text.slice(Math.max(0, start - 5), start))?.[0] ?? '';
  return start - signs.length;
}

/**
 * Cuts an excerpt around the marked words. `weights` are the weights of the terms. An ellipsis marks what was left out;
 * a passage of about the excerpt's length is shown whole.
 */
export function snippetOf(
  text: string,
  words: readonly TextWord[],
  marked: readonly MarkedWord[],
  weights: readonly number[],
): Snippet {
  if (words.length <= maxWholeWords) return { snippet: text, highlights: mergeMarks(text, marked) };
  const { first: firstMark, last } = bestWindow(marked, weights);
  const lastStart = Math.max(0, words.length - snippetWords);
  // A mark near the end of the passage is shown with everything that follows it.
  const isLast = firstMark > lastStart;
  const first = isLast
    ? Math.min(sentenceStart(text, words, firstMark), sentenceStart(text, words, lastStart))
    : sentenceStart(text, words, firstMark);
  const start = first === 0 ? 0 : excerptStart(text, words, first);
  const end = excerptEnd(text, words, isLast ? words.length : sentenceEnd(text, words, first, last + 1));
  const front = start > 0 ? ellipsis : '';
  const shift = front.length - start;
  const inside = marked
    .filter((mark) => mark.start >= start && mark.end <= end)
    .map((mark) => ({ start: mark.start + shift, end: mark.end + shift }));
  const snippet = front + text.slice(start, end) + (end < text.length ? ellipsis : '');
  return { snippet, highlights: mergeMarks(snippet, inside) };
}

/**
 * The offset after the word before index `after`, with its closing punctuation. Parts of a compound overlap the whole:
 * the excerpt never ends inside one.
 */
function excerptEnd(text: string, words: readonly TextWord[], after: number): number {
  let end = 0;
  for (let index = Math.max(0, after - maxParts); index < after; index += 1)
    end = Math.max(end, words[index]?.end ?? 0);
  for (let index = after; index < words.length; index += 1) {
    if (startOf(words, index) >= end) return end + Math.max(0, text.slice(end, startOf(words, index)).search(/\s/u));
    end = Math.max(end, words[index]?.end ?? 0);
  }
  return text.length;
}
