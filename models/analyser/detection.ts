import { detect } from 'tinyld';
import { languagesOfCommonWord } from './common-words.ts';
import { languageDefinitions, primarySubtag } from './languages.ts';

/** Characters of a text that are looked at. */
const sampleLength = 8000;
/** Evidence that a language needs before it is believed: a common word counts 1, divided by the languages that have it. */
const leastEvidence = 1.3;
/** How much more evidence the first language needs than the second. */
const leastLead = 1.5;
/** Words from which on the letter statistics are believed, all and different ones: a table may repeat three words a hundred times. */
const [enoughWords, enoughDifferent] = [60, 10];
/** So many words of a sample that are hardly different ones are no language: half a million times the same says nothing. */
const tooMuchAlike = 500;

/** Addresses of the web: their parts are words of no language. */
const webAddress = /\p{L}+:\/\/\S+/gu;
/** A word of two letters or more. What stands against a digit or an underscore is a part of a code. */
const wordPattern = /(?<![\p{L}\p{M}\p{N}_])\p{L}[\p{L}\p{M}'\u2019]+(?![\p{L}\p{M}\p{N}_])/gu;

/** Scripts that only one of our languages is written in. */
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

/** The language whose common words the text uses most; null where the text is too short or two are as good. */
function byCommonWords(words: readonly string[]): string | null {
  const evidence = new Map<string, number>();
  // Each word counts once: one name or term that happens to be a common word elsewhere must not decide.
  for (const word of new Set(words)) {
    const languages = languagesOfCommonWord(word);
    for (const language of languages) evidence.set(language, (evidence.get(language) ?? 0) + 1 / languages.length);
  }
  const [first, second] = [...evidence].sort(([, one], [, other]) => other - one);
  if (first === undefined || first[1] < leastEvidence) return null;
  return second !== undefined && first[1] < second[1] * leastLead ? null : first[0];
}

/** The language whose script fills most of the text; null for scripts of several languages. */
function byScript(sample: string, letters: number): string | null {
  const kana = countOf(sample, /[\p{Script=Hiragana}\p{Script=Katakana}]/gu);
  const han = countOf(sample, /\p{Script=Han}/gu);
  if (kana + han > letters / 2) return kana > han / 10 ? 'ja' : 'zh';
  return ownScripts.find(([script]) => countOf(sample, script) > letters / 2)?.[1] ?? null;
}

/**
 * The language that tinyld's letter statistics give for these words, among those that are written as the text is. It is
 * shown the words alone: it takes the bars between the cells of a table for the full stops of Hindi.
 */
function byLetters(words: readonly string[], sample: string): string {
  const guessed = primarySubtag(detect(words.join(' '), { only: [...languageDefinitions.keys()] }));
  return languageDefinitions.has(guessed) && isWrittenIn(sample, guessed) ? guessed : 'und';
}

/**
 * The language of a whole text, as a primary subtag, for choosing its stemmer; `und` where there is nothing to go by.
 * Scripts of one language speak for themselves; then the common words count; then the letter statistics of tinyld
 * (https://github.com/komodojp/tinyld), which err on short texts. A text of unaccented Latin letters too short for
 * them counts as English. Meant for documents, not for queries: those are read in all languages of a library.
 */
export function detectLanguage(text: string): string {
  const sample = text.slice(0, sampleLength).replace(/[\ud800-\udbff]$/, '');
  const letters = countOf(sample, /\p{L}/gu);
  if (letters === 0) return 'und';
  const certain = byScript(sample, letters);
  if (certain !== null) return certain;
  const words = (sample.replace(webAddress, ' ').match(wordPattern) ?? []).filter((word) => word !== word.toUpperCase() || word === word.toLowerCase()).slice(0, 1000);
  const known = byCommonWords(words);
  if (known !== null) return known;
  const latin = countOf(sample, /\p{Script=Latin}/gu) > letters / 2;
  const unaccented = !/[^\p{ASCII}]/u.test((sample.match(/\p{L}/gu) ?? []).join(''));
  const isAlike = new Set(words).size < enoughDifferent;
  if (isAlike && words.length >= tooMuchAlike) return 'und';
  if (latin && unaccented && (words.length < enoughWords || isAlike)) return 'en';
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
 * Whether at least half of a text's letters belong to the script of a language (Latin, where nothing else is known of
 * it). A text without letters is written in no language. Tells apart what a model of one language can read.
 */
export function isWrittenIn(text: string, language: string): boolean {
  // All letters of ASCII are Latin: most texts need not have each letter looked at.
  if (!/\P{ASCII}/u.test(text)) return !scriptsOfLanguages.has(language) && /[A-Za-z]/.test(text);
  const letters = countOf(text, /\p{L}/gu);
  return letters > 0 && countOf(text, scriptsOfLanguages.get(language) ?? /\p{Script=Latin}/gu) * 2 >= letters;
}
