import { acronymsOf, isCommon } from '../../models/analyser/analyser.ts';
import type { Passage } from '../../models/passage.ts';
import type { MarkedWord } from './highlight.ts';
import type { QueryPlan } from './query.ts';

type Analyse = (text: string, language: string) => readonly { stem: string }[];

/**
 * Tells which marks of a passage mean nothing: very common words of its language that the query's words come to in another
 * language's stemming only (`notes` is `not` in French, `Canada` is `can` in Spanish), and those that the query has as an
 * abbreviation in capitals (`IT support`) where the passage has the ordinary word.
 */
export function strayMarks(query: string, { typed }: Pick<QueryPlan, 'typed'>, analyse: Analyse): (mark: MarkedWord, passage: Pick<Passage, 'text' | 'analysedAs'>) => boolean {
  const acronyms = acronymsOf(query);
  return ({ start, end, term }, { text, analysedAs }) => {
    const word = text.slice(start, end);
    const asTyped = typed[term];
    // What synonyms added was not typed.
    if (asTyped === undefined || !isCommon(word, analysedAs)) return false;
    if (asTyped.every((spelling) => acronyms.has(spelling))) return word !== word.toUpperCase();
    const stems = new Set(asTyped.flatMap((spelling) => analyse(spelling, analysedAs).map(({ stem }) => stem)));
    return analyse(word, analysedAs).every(({ stem }) => !stems.has(stem));
  };
}
