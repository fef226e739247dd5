import { errorsBetween } from '../../models/analyser/spelling.ts';
import { formsOfWord, kinshipOf } from '../../models/analyser/kinship.ts';

/** How much a matched word counts, by the nearest of the forms in which a passage has it. */
export interface WordEvidence {
  /** Share of the query word's weight. */
  share: number;
  /** Factor on the word's occurrences. */
  occurrences: number;
}

const itself: WordEvidence = { share: 1, occurrences: 1 };
/** Another inflection is the same word, and only its occurrences count a little less. */
const inflected: WordEvidence = { share: 1, occurrences: 0.95 };
/** A derivation in the query's language, and one in a language that the query may also not be in. */
const [derived, doubtful]: readonly [WordEvidence, WordEvidence] = [
  { share: 0.7, occurrences: 1 },
  { share: 0.5, occurrences: 1 },
];
/** One error in an ending that the stemmer removes (`maintenence`). */
const misspelt: WordEvidence = { share: 0.9, occurrences: 1 };
/** Least letters of a word that may be misspelt. */
const correctedLetters = 5;
const other: WordEvidence = { share: 0, occurrences: 0 };

/**
 * How much the words of a passage in a language count for a term of the query, by the forms in which it has them; empty
 * if these are unknown.
 */
export type EvidenceOf = (term: number, forms: readonly string[], language: string) => WordEvidence;

/**
 * Compares the words of passages with the words that were typed: a passage's word counts as the query's if it is
 * written like it; by its stem alone it counts in a language that the query may be in, as an inflection or a
 * derivation. Passages whose forms are unknown match by their stems.
 * @param typed for each term its spellings as typed
 * @param queryLanguages the languages that the query may be in
 */
export function wordEvidence(typed: readonly (readonly string[])[], queryLanguages: ReadonlySet<string>): EvidenceOf {
  const known = new Map<string, WordEvidence>();
  function evidenceOf(term: number, form: string, language: string): WordEvidence {
    const spellings = (typed[term] ?? []).flatMap((spelling) => formsOfWord(spelling, language));
    const kinship = kinshipOf(spellings, form, language);
    if (kinship === 'same') return itself;
    if (kinship === 'other' || !queryLanguages.has(language)) return other;
    if (kinship === 'inflected') return inflected;
    if (spellings.some((spelling) => spelling.length >= correctedLetters && errorsBetween(spelling, form, 1) <= 1))
      return misspelt;
    return queryLanguages.size === 1 ? derived : doubtful;
  }
  return (term, forms, language) => {
    if (forms.length === 0 || typed[term] === undefined) return itself;
    let best = other;
    for (const form of forms) {
      const key = `${term} ${language} ${form}`;
      const evidence = known.get(key) ?? evidenceOf(term, form, language);
      known.set(key, evidence);
      if (evidence.share > best.share || (evidence.share === best.share && evidence.occurrences > best.occurrences))
        best = evidence;
    }
    return best;
  };
}
