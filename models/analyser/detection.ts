import { detect } from 'tinyld';
import { languagesOfCommonWord } from './common-words.ts';
import { languageDefinitions, primarySubtag } from './languages.ts';

/** Length of the sample, in UTF-16 code units. */
const sampleLength = 8000;
/**
 * Minimum evidence for a language: each of its common words counts 1, divided by the number of languages that have it.
 */
const minEvidence = 1.3;
/** Minimum ratio of the evidence of the first language to that of the second. */
const minLead = 1.5;
/** Minimum words, and distinct words, for the letter statistics: a table may repeat three words a hundred times. */
const [minWords, minDistinct] = [60, 10];
/** From this number of words on, a sample with few distinct words is not attributed to a language. */
const repetitiveFrom = 500;

/** URLs, whose parts belong to no language. */
const webAddress = /\p{L}+:\/\/\S+/gu;
/** A word of two letters or more. Letters next to a digit or underscore are part of a code. */
const wordPattern = /(?<![\p{L}\p{M}\p{N}_])\p{L}[\p{L}\p{M}'\u2019]+(?![\p{L}\p{M}\p{N}_])/gu;

/** Scripts used by only one of the supported languages. */
const ownScripts: readonly (readonly [RegExp, string])[] = [
  [/\p{Script=Hangul}/gu, 'ko'],
  [/\p{Script=Thai}/gu, 'th'],
  [/\p{Script=Hebrew}/gu, 'he'],
  [/\p{Script=Greek}/gu, 'el'],
  [/\p{Script=Armenian}/gu, 'hy'],
  [/\p{Script=Tamil}/gu, 'ta'],
  [/\p{Script=Lao}/gu, 'lo'],
  [/\p{Script=Khmer}/gu, 'km'],
  [/\p{Script=Myanmar}/gu, 'my'],
];

function countOf(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}

/** The language with the most common words in the text; null if there is too little evidence or no clear lead. */
function byCommonWords(words: readonly string[]): string | null {
  const evidence = new Map<string, number>();
  // Each word counts once: a repeated name or term that is a common word in another language must not decide.
  for (const word of new Set(words)) {
    const languages = languagesOfCommonWord(word);
    for (const language of languages) evidence.set(language, (evidence.get(language) ?? 0) + 1 / languages.length);
  }
  const [first, second] = [...evidence].sort(([, one], [, other]) => other - one);
  if (first === undefined || first[1] < minEvidence) return null;
  return second !== undefined && first[1] < second[1] * minLead ? null : first[0];
}

/** The language of the script of most letters; null for scripts of several languages. */
function byScript(sample: string, letters: number): string | null {
  const kana = countOf(sample, /[\p{Script=Hiragana}\p{Script=Katakana}]/gu);
  const han = countOf(sample, /\p{Script=Han}/gu);
  if (kana + han > letters / 2) return kana > han / 10 ? 'ja' : 'zh';
  return ownScripts.find(([script]) => countOf(sample, script) > letters / 2)?.[1] ?? null;
}

/**
 * The language by tinyld's letter statistics, if it is written in the script of the text. Only the words are passed:
 * tinyld mistakes the bars between the cells of a table for the full stops of Hindi.
 */
function byLetters(words: readonly string[], sample: string): string {
  const guessed = primarySubtag(detect(words.join(' '), { only: [...languageDefinitions.keys()] }));
  return languageDefinitions.has(guessed) && isWrittenIn(sample, guessed) ? guessed : 'und';
}

/**
 * The language of a whole text, as a primary subtag, for choosing its stemmer; `und` if it cannot be determined.
 * Decided by scripts that only one language uses, then by common words, then by the letter statistics of tinyld
 * (https://github.com/komodojp/tinyld), which are unreliable for short texts. A text of unaccented Latin letters too
 * short for them counts as English. For documents only: queries are analysed in all languages of a library.
 */
export function detectLanguage(text: string): string {
  const sample = text.slice(0, sampleLength).replace(/[\ud800-\udbff]$/, '');
  const letters = countOf(sample, /\p{L}/gu);
  if (letters === 0) return 'und';
  const certain = byScript(sample, letters);
  if (certain !== null) return certain;
  const words = (sample.replace(webAddress, ' ').match(wordPattern) ?? [])
    .filter((word) => word !== word.toUpperCase() || word === word.toLowerCase())
    .slice(0, 1000);
  const known = byCommonWords(words);
  if (known !== null) return known;
  const latin = countOf(sample, /\p{Script=Latin}/gu) > letters / 2;
  const unaccented = !/[^\p{ASCII}]/u.test((sample.match(/\p{L}/gu) ?? []).join(''));
  const isAlike = new Set(words).size < minDistinct;
  if (isAlike && words.length >= repetitiveFrom) return 'und';
  if (latin && unaccented && (words.length < minWords || isAlike)) return 'en';
  return byLetters(words, sample);
}

/** Scripts of languages that are not written in Latin letters. */
const scriptsOfLanguages: ReadonlyMap<string, RegExp> = new Map([
  ...ownScripts.map(([script, language]) => [language, script] as const),
  ['zh', /\p{Script=Han}/gu],
  ['ja', /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/gu],
  ...['ru', 'uk', 'bg', 'sr', 'mk', 'be', 'kk'].map((language) => [language, /\p{Script=Cyrillic}/gu] as const),
  ...['ar', 'fa', 'ur', 'ps'].map((language) => [language, /\p{Script=Arabic}/gu] as const),
  ...['hi', 'mr', 'ne'].map((language) => [language, /\p{Script=Devanagari}/gu] as const),
]);

/**
 * Whether at least half of a text's letters belong to the script of a language (Latin if unknown). False for a text
 * without letters. Determines whether a model of one language can read the text.
 */
export function isWrittenIn(text: string, language: string): boolean {
  // All ASCII letters are Latin, so most texts need no check of each letter.
  if (!/\P{ASCII}/u.test(text)) return !scriptsOfLanguages.has(language) && /[A-Za-z]/.test(text);
  const letters = countOf(text, /\p{L}/gu);
  return letters > 0 && countOf(text, scriptsOfLanguages.get(language) ?? /\p{Script=Latin}/gu) * 2 >= letters;
}
