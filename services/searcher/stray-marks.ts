import { acronymsOf, isCommon } from '../../models/analyser/analyser.ts';
import type { Passage } from '../../models/passage.ts';
import type { MarkedWord } from './highlight.ts';
import type { QueryPlan } from './query.ts';

/** Tells which marks of a passage are the ordinary, very common word, where the query has an abbreviation (`IT support`). */
export function strayMarks(query: string, { typed }: Pick<QueryPlan, 'typed'>): (mark: MarkedWord, passage: Pick<Passage, 'text' | 'analysedAs'>) => boolean {
  const acronyms = acronymsOf(query);
  return ({ start, end, term }, { text, analysedAs }) => {
    // What synonyms added was not typed.
    if (typed[term]?.every((spelling) => acronyms.has(spelling)) !== true) return false;
    const word = text.slice(start, end);
    return word !== word.toUpperCase() && isCommon(word, analysedAs);
  };
}
