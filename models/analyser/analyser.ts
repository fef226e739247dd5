import { LRUCache } from 'lru-cache';
import { isCommon } from './common-words.ts';
import { amountOf } from './numbers.ts';
import { asciiRunPattern, piecesOfRun, runPattern, type Piece } from './pieces.ts';
import { otherSpellings, stemsOf } from './stemming.ts';

export { isCommon } from './common-words.ts';
export { detectLanguage, isWrittenIn } from './detection.ts';
export { primarySubtag } from './languages.ts';

/** A word of a text as it is indexed. */
export interface AnalysedWord {
  /** UTF-16 offsets into the text, end exclusive. Compounds and their parts overlap. */
  start: number;
  end: number;
  /** Letters, marks and digits only, lower case: one token in any store. */
  stem: string;
  /** The whole word in the form in which words are compared: lower case, without optional marks. */
  form: string;
}

/** A word of a query. */
export interface QueryWord {
  /** As typed, in lower case. */
  typed: string;
  /** The stems that it may have in the index, best first; never empty. */
  stems: string[];
  /** Whether it is too common in one of the languages to characterise a passage. */
  common: boolean;
  /** How often it occurs in the query: long queries repeat what matters. */
  count: number;
}

/** A word of a query that is being collected. */
interface CollectedWord extends QueryWord {
  /** Offsets of its first and last occurrence. */
  first: number;
  last: number;
}

const notAscii = /[^\0-\x7f]/;
/** Runs of letters cached for each language, cached languages, and the longest cached run. */
const [maxCachedRuns, maxCachedLanguages, maxCachedLength] = [40_000, 6, 60];

const none: ReadonlySet<string> = new Set();

type PieceCache = LRUCache<string, readonly Piece[]>;

const caches = new LRUCache<string, PieceCache>({ max: maxCachedLanguages });

function cacheOf(language: string): PieceCache {
  const cache = caches.get(language) ?? new LRUCache<string, readonly Piece[]>({ max: maxCachedRuns });
  caches.set(language, cache);
  return cache;
}

function cachedPieces(run: string, language: string, cache: PieceCache): readonly Piece[] {
  // Without renewing its position in the order of eviction, which would take longer than the rest.
  const cached = cache.peek(run);
  if (cached !== undefined) return cached;
  const pieces = piecesOfRun(run, language);
  // A copy: the run is a slice, which would keep the whole text in memory.
  if (run.length <= maxCachedLength) cache.set(Buffer.from(run, 'utf16le').toString('utf16le'), pieces);
  return pieces;
}

/**
 * The words of a text in order, as the index and the highlights use them.
 * `language` is a primary subtag; `und` (or one that has no stemmer) keeps words whole.
 */
export function analyse(text: string, language: string): AnalysedWord[] {
  const cache = cacheOf(language);
  const pattern = notAscii.test(text) ? runPattern : asciiRunPattern;
  const words: AnalysedWord[] = [];
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    const at = match.index;
    for (const piece of cachedPieces(match[0], language, cache)) {
      words.push({ start: at + piece.start, end: at + piece.end, stem: piece.stem, form: piece.form });
    }
  }
  return words;
}

/** Operators of other search engines, which are typed in capitals. */
const operators: ReadonlySet<string> = new Set(['AND', 'OR', 'NOT']);

/**
 * Words of a query that are abbreviations, in lower case: typed in capitals alone, in a query that is not all in
 * capitals. In `IT support`, `it` is not the common word.
 */
export function acronymsOf(query: string): ReadonlySet<string> {
  if (!/\p{Ll}/u.test(query)) return none;
  const words = [...new Set(query.match(/[\p{L}\p{M}\p{N}]+/gu))];
  const others = new Set(words.filter((word) => /\p{Ll}/u.test(word)).map((word) => word.toLowerCase()));
  return new Set(
    words
      .filter((word) => /^\p{Lu}{2,}$/u.test(word) && !operators.has(word))
      .map((word) => word.toLowerCase())
      .filter((word) => !others.has(word)),
  );
}

/** Adds the words of one run of a query, with their stems in one language. */
function collect(
  words: Map<string, CollectedWord>,
  run: string,
  at: number,
  language: string,
  acronyms: ReadonlySet<string>,
): void {
  for (const piece of cachedPieces(run, language, cacheOf(language))) {
    if (piece.kind === 'hump') continue;
    const spelled = run.slice(piece.start, piece.end);
    const typed = spelled.toLowerCase();
    const offset = at + piece.start;
    const amount = piece.kind === 'whole' ? amountOf(spelled) : null;
    const spellings =
      piece.kind === 'word'
        ? otherSpellings(spelled, language).flatMap((other) => stemsOf(other, language))
        : amount === null
          ? []
          : stemsOf(amount, language);
    const word = words.get(typed) ?? { typed, stems: [], common: false, count: 0, first: offset, last: -1 };
    for (const stem of [piece.stem, ...spellings]) if (!word.stems.includes(stem)) word.stems.push(stem);
    word.common ||= !acronyms.has(typed) && isCommon(typed, language);
    if (offset > word.last) word.count++;
    word.last = offset;
    words.set(typed, word);
  }
}

/**
 * The distinct words of a query in order, each with its stems in the languages of the library. Words with equal stems
 * (`run running`) are merged. Without a language, words are taken whole, and English decides which are common.
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
    const key = stems.join(' ');
    const same = distinct.get(key);
    if (same === undefined)
      distinct.set(key, {
        typed,
        stems,
        common: common || (known.includes('und') && !acronyms.has(typed) && isCommon(typed, 'en')),
        count,
      });
    else same.count += count;
  }
  return [...distinct.values()];
}
