import { analyse, detectLanguage, primarySubtag, type AnalysedWord } from '../../models/analyser/analyser.ts';
import type { Block } from '../../models/block.ts';
import type { Passage } from '../../models/passage.ts';
import { storedWords } from '../../models/passage-words.ts';
import { joinBlocks } from './block-parts.ts';

/** Characters of a document that its language is detected from. */
const languageSample = 20_000;

/** How passages are made. */
export interface PassageOptions {
  /** Language of the asset (a language tag); it is detected where the tag names none (`multi`). */
  language: string;
}

/** Reads ahead to detect the language. Returns it as a primary subtag, with all items from the first. */
export async function withLanguage<T extends { text: string }>(
  items: AsyncIterable<T>,
  given: string,
): Promise<{ language: string; items: AsyncIterable<T> }> {
  const named = primarySubtag(given);
  if (named !== 'und') return { language: named, items };
  const source = items[Symbol.asyncIterator]();
  const head: T[] = [];
  let sample = '';
  while (sample.length < languageSample) {
    const next = await source.next();
    if (next.done === true) break;
    head.push(next.value);
    sample += `${next.value.text.slice(0, languageSample)}\n`;
  }
  async function* all(): AsyncGenerator<T> {
    try {
      yield* head;
      for (let next = await source.next(); next.done !== true; next = await source.next()) yield next.value;
    } finally {
      await source.return?.();
    }
  }
  return { language: detectLanguage(sample), items: all() };
}

/** A passage as it is made, with what the index does not store. */
export interface NewPassage extends Passage {
  /** What its vector is made of, where that is not its text alone; null for no vector. */
  meaning?: string | null;
}

/** A passage before it has an ordinal. */
export type UnnumberedPassage = Omit<NewPassage, 'ordinal'>;

/** Words of titles in one passage, and characters of titles that are carried to the next one, at most. */
const maxTitleWords = 100;
const longestWaiting = 4000;
/** Characters of a context that a vector is made of: a model reads the beginning of a text alone. */
const longestPrefix = 300;

/** Words of the titles with stems that the text does not contain, each stem once, in order. */
function titleWords(titles: string, analysedAs: string, own: readonly AnalysedWord[]): AnalysedWord[] {
  if (titles.trim() === '') return [];
  const contained = new Set(own.map(({ stem }) => stem));
  return analyse(titles, analysedAs)
    .filter(({ stem }) => !contained.has(stem) && contained.add(stem))
    .slice(0, maxTitleWords);
}

/**
 * Makes a passage of a text; null where it has no word. Stems of its titles that the text lacks are appended to the
 * text's own, so that searches find it by them. They are not part of the text, so nothing of them is highlighted.
 */
export function passageOf(
  part: Pick<Passage, 'text' | 'location' | 'language' | 'speaker' | 'analysedAs' | 'timings'>,
  titles = '',
  isContents = false,
): UnnumberedPassage | null {
  const own = analyse(part.text, part.analysedAs);
  if (own.length === 0) return null;
  const words = [...own, ...titleWords(titles, part.analysedAs, own)];
  return { ...part, stems: storedWords(words, isContents), length: words.length };
}

/** The lines of a context that the text does not begin with, as the first line of what a vector is made of. */
function meaningOf(text: string, context: string): string {
  const lines = context.split('\n').filter((line) => !text.includes(line));
  return lines.length === 0 ? text : `${lines.join('. ').slice(0, longestPrefix).toWellFormed()}\n${text}`;
}

/**
 * The passages of a document in order. `location` is that of a passage's first block with the end fields of its last;
 * `language` and `speaker` are null. Text without a word yields no passage. A table of contents gets no vector: its
 * words are those of all the texts that it leads to, so it is found by words alone.
 */
export async function* passagesOf(blocks: AsyncIterable<Block>, options: PassageOptions): AsyncGenerator<NewPassage> {
  const { language: analysedAs, items } = await withLanguage(blocks, options.language);
  let ordinal = 0;
  /** Titles of text without a word: they go to the next passage. */
  let carried = '';
  for await (const { text, location, titles = '', context = '', isContents = false } of joinBlocks(items)) {
    const passage = passageOf(
      { text, location, language: null, speaker: null, analysedAs },
      `${carried}\n${titles}\n${context}`,
      isContents,
    );
    carried = passage === null ? `${carried}\n${titles}`.slice(-longestWaiting) : '';
    if (passage === null) continue;
    const meaning = isContents ? null : context === '' ? text : meaningOf(text, context);
    yield { ordinal: ordinal++, ...passage, ...(meaning === text ? {} : { meaning }) };
  }
}
