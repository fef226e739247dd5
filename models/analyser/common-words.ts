import lists from 'stopword';
import { fold } from './folding.ts';
import { languageDefinitions } from './languages.ts';

/** Words in the lists that people do search for. */
const notCommon: ReadonlyMap<string, readonly string[]> = new Map([
  [
    'de',
    [
      'ende',
      'jahr',
      'jahre',
      'jahren',
      'mensch',
      'menschen',
      'ort',
      'recht',
      'tag',
      'tage',
      'tagen',
      'teil',
      'uhr',
      'zeit',
    ],
  ],
  [
    'sl',
    [
      'april',
      'avgust',
      'december',
      'februar',
      'januar',
      'julij',
      'junij',
      'maj',
      'marec',
      'november',
      'oktober',
      'september',
    ],
  ],
  ['id', ['tahun', 'waktu', 'hari', 'masalah']],
]);

/** Very common words that are missing from the lists. */
const alsoCommon: ReadonlyMap<string, readonly string[]> = new Map([
  [
    'en',
    [
      'no',
      'nor',
      'not',
      'so',
      'us',
      'she',
      'when',
      'whenever',
      'during',
      'will',
      'just',
      'once',
      'further',
      'me',
      'am',
      'does',
      'did',
      'doing',
      'having',
      'than',
      'too',
      'whom',
      'why',
      'ours',
      'yours',
      'hers',
      'again',
      'shall',
      'cannot',
      'dont',
      'its',
      'whose',
      'these',
      'few',
      'own',
      'off',
      'down',
      'until',
      'upon',
      'via',
      'am',
      'been',
      'may',
      'per',
    ],
  ],
]);

const setsByLanguage = new Map<string, ReadonlySet<string>>();

function commonWordsOf(language: string): ReadonlySet<string> {
  const known = setsByLanguage.get(language);
  if (known !== undefined) return known;
  const code = languageDefinitions.get(language)?.commonWords;
  const listed: unknown = code === undefined ? [] : lists[code];
  const words = Array.isArray(listed) ? listed.filter((word) => typeof word === 'string') : [];
  const folded = new Set([...words, ...(alsoCommon.get(language) ?? [])].map(fold));
  for (const word of notCommon.get(language) ?? []) folded.delete(word);
  folded.delete('');
  setsByLanguage.set(language, folded);
  return folded;
}

/**
 * Whether a word (as typed, any case) is too common in the language to characterise a query: articles, pronouns,
 * auxiliaries. Accents do not matter. Always false for languages without a list.
 */
export function isCommon(word: string, language: string): boolean {
  const words = commonWordsOf(language);
  if (words.has(fold(word))) return true;
  const uncontracted = language === 'en' ? word.replace(/(?:n['\u2019]t|['\u2019](?:s|d|m|re|ve|ll))$/i, '') : word;
  return uncontracted !== word && words.has(fold(uncontracted));
}

let languagesByWord: ReadonlyMap<string, readonly string[]> | undefined;

/**
 * The languages whose lists contain a word (any case). A word of few languages is stronger evidence for a text's
 * language than a word of many.
 */
export function languagesOfCommonWord(word: string): readonly string[] {
  if (languagesByWord === undefined) {
    const found = new Map<string, string[]>();
    for (const language of languageDefinitions.keys()) {
      for (const common of commonWordsOf(language)) found.set(common, [...(found.get(common) ?? []), language]);
    }
    languagesByWord = found;
  }
  return languagesByWord.get(fold(word)) ?? [];
}
