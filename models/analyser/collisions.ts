import { analyse, isCommon } from './analyser.ts';

/** A stem of a query word that is a very common word in passages of other languages. */
export interface Collision {
  stem: string;
  /** The languages in which the word has this stem. */
  languages: ReadonlySet<string>;
}

/**
 * The stems that a query word has in some of the languages and that are a very common word in another one, where the
 * word itself has a different stem: French stems `notes` to `not`, Spanish `area` to `are`, German `owner` to `own`. In
 * passages of that other language they do not match the word. Stems of other spellings, which belong to none of the
 * languages, are not included.
 */
export function collisionsOf(
  spellings: readonly string[],
  stems: readonly string[],
  languages: readonly string[],
): Collision[] {
  if (languages.length < 2) return [];
  const own = new Map(
    languages.map((language) => [
      language,
      new Set(spellings.flatMap((spelling) => analyse(spelling, language).map(({ stem }) => stem))),
    ]),
  );
  return stems.flatMap((stem) => {
    const having = new Set(languages.filter((language) => own.get(language)?.has(stem) === true));
    const collides = having.size > 0 && languages.some((language) => !having.has(language) && isCommon(stem, language));
    return collides ? [{ stem, languages: having }] : [];
  });
}
