import { analyse, isCommon } from './analyser.ts';

/** A stem of a query word that passages of other languages hold as a very common word of theirs. */
export interface Collision {
  stem: string;
  /** The languages in which the word has this stem. */
  languages: ReadonlySet<string>;
}

/**
 * The stems that a query word has in some of the languages, and that are a very common word in another one, in which the
 * word's stem is another: French makes `not` of `notes`, Spanish `are` of `area`, German `own` of `owner`. In passages of
 * that other language they do not stand for the word. Stems that go with none of the languages (other spellings) are none.
 */
export function collisionsOf(spellings: readonly string[], stems: readonly string[], languages: readonly string[]): Collision[] {
  if (languages.length < 2) return [];
  const own = new Map(languages.map((language) => [language, new Set(spellings.flatMap((spelling) => analyse(spelling, language).map(({ stem }) => stem)))]));
  return stems.flatMap((stem) => {
    const having = new Set(languages.filter((language) => own.get(language)?.has(stem) === true));
    const collides = having.size > 0 && languages.some((language) => !having.has(language) && isCommon(stem, language));
    return collides ? [{ stem, languages: having }] : [];
  });
}
