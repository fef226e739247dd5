import { languagesOfCommonWord } from './common-words.ts';
import { isWrittenIn } from './detection.ts';

/** Common words of one language from which on a query is not in a language of which it has none. */
const minCommonWords = 2;

/**
 * The languages of the library that a query may be in, by its script and its very common words. Most queries are too
 * short to tell: then all languages of the script.
 */
export function languagesOfQuery(query: string, languages: readonly string[]): ReadonlySet<string> {
  const written = languages.filter((language) => isWrittenIn(query, language));
  const counts = new Map(written.map((language) => [language, 0]));
  for (const word of new Set(query.toLowerCase().match(/[\p{L}\p{M}]+/gu))) {
    for (const language of languagesOfCommonWord(word)) {
      const count = counts.get(language);
      if (count !== undefined) counts.set(language, count + 1);
    }
  }
  const isKnown = Math.max(0, ...counts.values()) >= minCommonWords;
  return new Set(written.filter((language) => !isKnown || (counts.get(language) ?? 0) > 0));
}
