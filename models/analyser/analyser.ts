import { isCommon } from './common-words.ts';
import { Memo } from './memo.ts';
import { amountOf } from './numbers.ts';
import { asciiRunPattern, piecesOfRun, runPattern, type Piece } from './pieces.ts';
import { otherSpellings, stemsOf } from './stemming.ts';

export { isCommon } from './common-words.ts';
export { detectLanguage, isWrittenIn } from './detection.ts';
export { primarySubtag } from './languages.ts';

/** A word of a text as the index knows it. */
export interface AnalysedWord {
  /** UTF-16 offsets into the text, end exclusive. Compounds and their parts overlap. */
  start: number;
  end: number;
  /** Letters, marks and digits only, lower case: one token in any store. */
  stem: string;
}

/** A word of a query. */
export interface QueryWord {
  /** As typed, in lower case. */
  typed: string;
  /** The stems that it may have in the index, best first; never empty. */
  stems: string[];
  /** Too common in one of the languages to say anything about what is sought. */
  common: boolean;
  /** How often it stands in the query. Long queries repeat what matters: ranking gains by it. */
  count: number;
}

/** A word of a query while it is put together. */
interface CollectedWord extends QueryWord {
  /** Where it stood first and last. */
  first: number;
  last: number;
}

const notAscii = /[^\0-\x7f]/;
/** Runs remembered for each language, and languages for which runs are remembered. */
const memoCapacity = 20_000;
const memoLanguages = 6;
const longestRemembered = 60;

const none: ReadonlySet<string> = new Set();

const memos = new Map<string, Memo<readonly Piece[]>>();

function memoOf(language: string): Memo<readonly Piece[]> {
  let memo = memos.get(language);
  if (memo === undefined) {
    if (memos.size >= memoLanguages) memos.delete(memos.keys().next().value ?? '');
    memo = new Memo(memoCapacity);
    memos.set(language, memo);
  }
  return memo;
}

function rememberedPieces(run: string, language: string, memo: Memo<readonly Piece[]>): readonly Piece[] {
  const known = memo.get(run);
  if (known !== undefined) return known;
  const pieces = piecesOfRun(run, language);
  // The copy lets go of the text that the run is a slice of.
  if (run.length <= longestRemembered) memo.set(Buffer.from(run, 'utf16le').toString('utf16le'), pieces);
  return pieces;
}

/**
 * The words of a text in order, the way that both the index and the highlights see them.
 * `language` is a primary subtag; `und` (or one that has no stemmer) keeps words whole.
 */
export function analyse(text: string, language: string): AnalysedWord[] {
  const memo = memoOf(language);
  const pattern = notAscii.test(text) ? runPattern : asciiRunPattern;
  const words: AnalysedWord[] = [];
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    const at = match.index;
    for (const piece of rememberedPieces(match[0], language, memo)) {
      words.push({ start: at + piece.start, end: at + piece.end, stem: piece.stem });
    }
  }
  return words;
}

/** Operators of other search engines, which people type in capitals. */
const operators: ReadonlySet<string> = new Set(['AND', 'OR', 'NOT']);

/**
 * Words of a query that stand in it as abbreviations, in lower case: typed in capitals alone, while the query is not all
 * in capitals. `IT support` asks about something, `it` says nothing.
 */
export function acronymsOf(query: string): ReadonlySet<string> {
  if (!/\p{Ll}/u.test(query)) return none;
  const words = [...new Set(query.match(/[\p{L}\p{M}\p{N}]+/gu))];
  const others = new Set(words.filter((word) => /\p{Ll}/u.test(word)).map((word) => word.toLowerCase()));
  return new Set(words.filter((word) => /^\p{Lu}{2,}$/u.test(word) && !operators.has(word)).map((word) => word.toLowerCase()).filter((word) => !others.has(word)));
}

/** Adds to the words of a query those of one run, with the stems they have in one language. */
function collect(words: Map<string, CollectedWord>, run: string, at: number, language: string, acronyms: ReadonlySet<string>): void {
  for (const piece of rememberedPieces(run, language, memoOf(language))) {
    if (piece.kind === 'hump') continue;
    const spelled = run.slice(piece.start, piece.end);
    const typed = spelled.toLowerCase();
    const place = at + piece.start;
    const amount = piece.kind === 'whole' ? amountOf(spelled) : null;
    const spellings = piece.kind === 'word' ? otherSpellings(spelled, language).flatMap((other) => stemsOf(other, language)) : amount === null ? [] : stemsOf(amount, language);
    const word = words.get(typed) ?? { typed, stems: [], common: false, count: 0, first: place, last: -1 };
    for (const stem of [piece.stem, ...spellings]) if (!word.stems.includes(stem)) word.stems.push(stem);
    word.common ||= !acronyms.has(typed) && isCommon(typed, language);
    if (place > word.last) word.count++;
    word.last = place;
    words.set(typed, word);
  }
}

/**
 * The distinct words of a query in order, each with the stems it has in the languages of the library. Words that
 * are one and the same to the index (`run running`) are one. Without a language they are taken whole, and English
 * tells which are common.
 */
export function analyseQuery(query: string, languages: readonly string[]): QueryWord[] {
  const known = languages.length === 0 ? ['und'] : languages;
  const acronyms = acronymsOf(query);
  const collected = new Map<string, CollectedWord>();
  for (const match of query.matchAll(runPattern)) {
    for (const language of known) collect(collected, match[0], match.index, language, acronyms);
  }
  const distinct = new Map<string, QueryWord>();
  for (const { typed, stems, common, count } of [...collected.values()].sort((one, other) => one.first - other.first)) {
    const sameness = stems.join(' ');
    const same = distinct.get(sameness);
    if (same === undefined) distinct.set(sameness, { typed, stems, common: common || (known.includes('und') && !acronyms.has(typed) && isCommon(typed, 'en')), count });
    else same.count += count;
  }
  return [...distinct.values()];
}
