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

/** The passage that a text makes; null where it holds not a single word. */
export function passageOf(part: Pick<Passage, 'text' | 'location' | 'language' | 'speaker' | 'analysedAs' | 'timings'>): UnplacedPassage | null {
  const words = analyse(part.text, part.analysedAs);
  return words.length === 0 ? null : { ...part, stems: words.map((word) => word.stem).join(' '), length: words.length };
}

/**
 * The passages of a document in order. `location` is that of a passage's first block with the end fields of its last;
 * `language` and `speaker` are null, as documents have them. Text without a single word yields no passage.
 */
export async function* passagesOf(blocks: AsyncIterable<Block>, options: PassageOptions): AsyncGenerator<Passage> {
  const { language: analysedAs, items } = await withLanguage(blocks, options.language);
  let ordinal = 0;
  for await (const { text, location } of joinBlocks(items)) {
    const passage = passageOf({ text, location, language: null, speaker: null, analysedAs });
    if (passage !== null) yield { ordinal: ordinal++, ...passage };
  }
}
