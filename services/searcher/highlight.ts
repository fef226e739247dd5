import { acronymsOf, isCommon } from '../../models/analyser/analyser.ts';
import type { Highlight } from '../../models/api.ts';
import type { Passage } from '../../models/passage.ts';
import type { QueryPlan } from './query.ts';

/** A word of a text with its stem, in UTF-16 offsets, as the analyser returns it. */
export interface TextWord {
  start: number;
  end: number;
  stem: string;
  /** The whole word in the form in which words are compared. */
  form: string;
}

/** A word of a text that matches a query word. */
export interface MarkedWord {
  start: number;
  end: number;
  /** Index among the words of the text. */
  index: number;
  /** Index of the query's term. */
  term: number;
}

/** The term of each stem. */
export function stemIndex(terms: readonly (readonly string[])[]): Map<string, number> {
  const index = new Map<string, number>();
  for (const [term, stems] of terms.entries()) {
    for (const stem of stems) if (!index.has(stem)) index.set(stem, term);
  }
  return index;
}

/** The words of a text with a stem of the query, in order. */
export function markWords(words: readonly TextWord[], stems: ReadonlyMap<string, number>): MarkedWord[] {
  const marked: MarkedWord[] = [];
  words.forEach(({ start, end, stem }, index) => {
    const term = stem === '' ? undefined : stems.get(stem);
    if (term !== undefined) marked.push({ start, end, index, term });
  });
  return marked;
}

/**
 * Whether a mark is the ordinary, very common word where the query has an abbreviation (`IT support`). Such marks are
 * not highlighted.
 */
export function commonWordFilter(
  query: string,
  { typed }: Pick<QueryPlan, 'typed'>,
): (mark: MarkedWord, passage: Pick<Passage, 'text' | 'analysedAs'>) => boolean {
  const acronyms = acronymsOf(query);
  return ({ start, end, term }, { text, analysedAs }) => {
    // Terms that synonyms added were not typed.
    if (typed[term]?.every((spelling) => acronyms.has(spelling)) !== true) return false;
    const word = text.slice(start, end);
    return word !== word.toUpperCase() && isCommon(word, analysedAs);
  };
}

/** White space and joining signs: two marks with nothing else between them become one. */
const joining = /^[\s\p{Pd}\p{Pc}/'’]*$/u;

/** Merges adjacent marks of a text. */
export function mergeMarks(text: string, marked: readonly { start: number; end: number }[]): Highlight[] {
  const merged: Highlight[] = [];
  for (const { start, end } of [...marked].sort((one, other) => one.start - other.start)) {
    const last = merged.at(-1);
    if (last !== undefined && (start <= last.end || joining.test(text.slice(last.end, start))))
      last.end = Math.max(last.end, end);
    else merged.push({ start, end });
  }
  return merged;
}
