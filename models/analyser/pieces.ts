import { fold } from './folding.ts';
import { innerPoint, isNumberRun, readNumber } from './numbers.ts';
import { hasSpacelessScript, wordsOfRun } from './segments.ts';
import { stemsOf } from './stemming.ts';

/** Maximum length of a word in UTF-16 code units; longer ones, mostly encoded data, are truncated. */
const longestWord = 100;

/**
 * One token of a run of characters. `word`: an ordinary word, or a part of a compound. `whole`: a compound written
 * together. `hump`: a word inside a word, seen by its capital letter (`user` in `getUserName`).
 */
export interface Piece {
  /** UTF-16 offsets from the start of the run, end exclusive. */
  start: number;
  end: number;
  stem: string;
  /** The word itself as words are compared: whole, lower case, without optional marks. */
  form: string;
  kind: 'word' | 'whole' | 'hump';
}

/** Letters, marks and digits, and the invisible characters that may stand between them. */
const inWord = '\\p{L}\\p{M}\\p{N}\\u00ad\\u200c\\u200d\\u2060';

/**
 * One run: a number with points and commas inside, or words held together by single hyphens, points, underscores,
 * at signs and apostrophes. (A number's groups are bounded so that the pattern never goes over a text twice.)
 */
export const runPattern = new RegExp(
  `\\p{Nd}+(?:[.,]\\p{Nd}+){1,30}(?![_@${inWord}])|[${inWord}]+(?:[-_.@'\\u2019\\u2010\\u2011][${inWord}]+)*`,
  'gu',
);

/** The same for text of ASCII alone, which is faster. */
export const asciiRunPattern = /[0-9]+(?:[.,][0-9]+){1,30}(?![_@A-Za-z0-9])|[A-Za-z0-9]+(?:[-_.@'][A-Za-z0-9]+)*/g;

const wordPattern = new RegExp(`[${inWord}]+`, 'gu');
const simpleWord = /^[A-Z]?[a-z]+$|^[A-Z]+$|^[0-9]+$/;
const contraction = /^['\u2019](?:s|t|d|m|re|ve|ll)$/i;
const humps = /\p{Ll}\p{Lu}/u;
const letterDigitBorder = /(?<=\p{L}{2})(?=\p{Nd}{2})|(?<=\p{Nd}{2})(?=\p{L}{2})/u;

function cut(word: string): string {
  return word.length <= longestWord ? word : word.slice(0, longestWord).replace(/[\ud800-\udbff]$/, '');
}

/** The words within a word: `GX4471` has `GX` and `4471`, `getUserName` has `get`, `User` and `Name`. */
function innerParts(word: string, start: number, language: string): Piece[] {
  const mixed = letterDigitBorder.test(word);
  if (!mixed && !humps.test(word)) return [];
  const border = mixed ? letterDigitBorder : /(?<=\p{Ll})(?=\p{Lu})/u;
  const pieces: Piece[] = [];
  let from = 0;
  for (const part of word.split(border)) {
    const [stem] = part.length < 2 ? [] : stemsOf(part, language);
    if (stem !== undefined) {
      const kind = mixed ? 'word' : 'hump';
      pieces.push({ start: start + from, end: start + from + part.length, stem, form: fold(part), kind });
    }
    from += part.length;
  }
  return pieces;
}

/** Tokens of one word: its stems, and what is inside it. */
function piecesOfWord(word: string, start: number, language: string): Piece[] {
  if (hasSpacelessScript(word)) {
    return wordsOfRun(word).flatMap((part): Piece[] => {
      const stem = fold(cut(word.slice(part.start, part.end)));
      return stem === '' ? [] : [{ start: start + part.start, end: start + part.end, stem, form: stem, kind: 'word' }];
    });
  }
  const end = start + word.length;
  const form = fold(cut(word));
  const pieces: Piece[] = stemsOf(cut(word), language).map((stem) => ({ start, end, stem, form, kind: 'word' }));
  if (simpleWord.test(word) || word.length > longestWord) return pieces;
  const inner = innerParts(word, start, language);
  return inner.length > 1 ? [...pieces, ...inner] : pieces;
}

/** Whether a compound is also known as one token. Plain hyphenated words (`well-known`) are not: they are two words. */
function isKnownWhole(run: string, language: string): boolean {
  if (/[_@\p{N}]/u.test(run) || run.includes('.')) return true;
  return (
    /^\p{L}[-\u2010\u2011]/u.test(run) || ((language === 'en' || language === 'und') && /^\p{L}['\u2019]/u.test(run))
  );
}

/** A compound in one token: separators go, but a point between digits stays a separate character. */
function wholeStem(run: string): string {
  const segments = run.split(/(?<=\p{Nd})[.,](?=\p{Nd})/u).map(fold);
  return segments.join(innerPoint);
}

interface Part {
  text: string;
  start: number;
}

/** The words of a compound; an English contraction stays one word (`don't`, `company's`). */
function partsOf(run: string, language: string): Part[] {
  const parts: Part[] = [];
  for (const match of run.matchAll(wordPattern)) {
    const last = parts.at(-1);
    if (
      language === 'en' &&
      last !== undefined &&
      contraction.test(run.slice(match.index - 1, match.index + match[0].length))
    ) {
      last.text = run.slice(last.start, match.index + match[0].length);
    } else {
      parts.push({ text: match[0], start: match.index });
    }
  }
  return parts;
}

/**
 * The tokens of a run, which `runPattern` found. An ordinary word gives its stem and nothing else. Codes, file
 * names, addresses and numbers give their parts and the whole: `GX-4471` is `gx`, `4471` and `gx4471`.
 */
export function piecesOfRun(run: string, language: string): Piece[] {
  if (simpleWord.test(run)) return piecesOfWord(run, 0, language);
  const end = run.length;
  if (isNumberRun(run) && end <= longestWord) {
    const { whole, withParts } = readNumber(run, language);
    const stem = whole?.split(innerPoint).map(fold).join(innerPoint);
    const pieces: Piece[] = stem === undefined ? [] : [{ start: 0, end, stem, form: stem, kind: 'whole' }];
    return withParts
      ? [...pieces, ...partsOf(run, language).flatMap((part) => piecesOfWord(part.text, part.start, language))]
      : pieces;
  }
  const parts = partsOf(run, language);
  const pieces = parts.flatMap((part) => piecesOfWord(part.text, part.start, language));
  if (parts.length < 2 || end > longestWord || !isKnownWhole(run, language)) return pieces;
  const stem = wholeStem(run);
  return stem === '' ? pieces : [{ start: 0, end, stem, form: stem, kind: 'whole' }, ...pieces];
}
