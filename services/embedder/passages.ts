import { analyse, detectLanguage, primarySubtag } from '../../models/analyser/analyser.ts';
import type { Block } from '../../models/block.ts';
import type { Passage } from '../../models/passage.ts';
import { joinBlocks } from './passage-parts.ts';

/** Characters of a document from which its language is told. */
const languageSample = 20_000;

/** How passages are made. */
export interface PassageOptions {
  /** Language of the asset (a language tag); it is detected where the tag names none (`multi`). */
  language: string;
}

/** Reads ahead for the language, and answers it (a primary subtag) with everything from the first. */
export async function withLanguage<T extends { text: string }>(items: AsyncIterable<T>, given: string): Promise<{ language: string; items: AsyncIterable<T> }> {
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

/** A passage without its place among the others. */
export type UnplacedPassage = Omit<Passage, 'ordinal'>;

/** Words of titles that a passage is found by at most, and characters of titles that wait for a passage. */
const mostTitleWords = 100;
const longestWaiting = 4000;

/** Stems of the titles' words that the text itself does not hold, each once, in their order. */
function titleStems(titles: string, analysedAs: string, own: readonly string[]): string[] {
  if (titles.trim() === '') return [];
  const held = new Set(own);
  return [...new Set(analyse(titles, analysedAs).map(({ stem }) => stem))].filter((stem) => !held.has(stem)).slice(0, mostTitleWords);
}

/**
 * The passage that a text makes; null where it holds not a single word. The words of its titles that are not in the text
 * follow the text's own, so that it is found by them; they are no part of the text, and nothing of them is marked.
 */
export function passageOf(part: Pick<Passage, 'text' | 'location' | 'language' | 'speaker' | 'analysedAs' | 'timings'>, titles = ''): UnplacedPassage | null {
  const own = analyse(part.text, part.analysedAs).map(({ stem }) => stem);
  if (own.length === 0) return null;
  const stems = [...own, ...titleStems(titles, part.analysedAs, own)];
  return { ...part, stems: stems.join(' '), length: stems.length };
}

/**
 * The passages of a document in order. `location` is that of a passage's first block with the end fields of its last;
 * `language` and `speaker` are null, as documents have them. Text without a single word yields no passage.
 */
export async function* passagesOf(blocks: AsyncIterable<Block>, options: PassageOptions): AsyncGenerator<Passage> {
  const { language: analysedAs, items } = await withLanguage(blocks, options.language);
  let ordinal = 0;
  /** Titles of what began in text without a single word. */
  let waiting = '';
  for await (const { text, location, titles = '' } of joinBlocks(items)) {
    const passage = passageOf({ text, location, language: null, speaker: null, analysedAs }, `${waiting}\n${titles}`);
    waiting = passage === null ? `${waiting}\n${titles}`.slice(-longestWaiting) : '';
    if (passage !== null) yield { ordinal: ordinal++, ...passage };
  }
}
