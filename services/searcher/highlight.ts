import type { Highlight } from '../../models/api.ts';
import type { Words } from './words.ts';

/** A word that a query word stands for. */
export interface MarkedWord {
  start: number;
  end: number;
  /** Place among the words of the text. */
  place: number;
  /** Place of the query's term. */
  term: number;
}

/** For each stem the term that it stands for. */
export function stemIndex(terms: readonly (readonly string[])[]): Map<string, number> {
  const index = new Map<string, number>();
  for (const [term, stems] of terms.entries()) {
    for (const stem of stems) if (!index.has(stem)) index.set(stem, term);
  }
  return index;
}

/** The words of a text whose stems the query has, in order. */
export function markWords(words: Words, stems: ReadonlyMap<string, number>): MarkedWord[] {
  const marked: MarkedWord[] = [];
  for (const [stem, term] of stems) {
    for (const place of words.withStem(stem)) marked.push({ start: words.startOf(place), end: words.endOf(place) ?? 0, place, term });
  }
  return marked.sort((one, other) => one.place - other.place);
}

/** What may stand between two marks that become one: white space, and signs that join words. */
const joining = /^[\s\p{Pd}\p{Pc}/'’]*$/u;

/** Marks of a text, in order: adjacent ones, with only white space or joining signs between them, become one. */
export function mergeMarks(text: string, marked: readonly { start: number; end: number }[]): Highlight[] {
  const merged: Highlight[] = [];
  for (const { start, end } of [...marked].sort((one, other) => one.start - other.start)) {
    const last = merged.at(-1);
    if (last !== undefined && (start <= last.end || joining.test(text.slice(last.end, start)))) last.end = Math.max(last.end, end);
    else merged.push({ start, end });
  }
  return merged;
}
