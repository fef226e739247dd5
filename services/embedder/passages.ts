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

/** Reads ahead for the language, and answers it with all blocks from the first. */
async function withLanguage(blocks: AsyncIterable<Block>, given: string): Promise<{ language: string; blocks: AsyncIterable<Block> }> {
  const named = primarySubtag(given);
  if (named !== 'und') return { language: named, blocks };
  const source = blocks[Symbol.asyncIterator]();
  const head: Block[] = [];
  let sample = '';
  while (sample.length < languageSample) {
    const next = await source.next();
    if (next.done === true) break;
    head.push(next.value);
    sample += `${next.value.text.slice(0, languageSample)}\n`;
  }
  async function* all(): AsyncGenerator<Block> {
    try {
      yield* head;
      for (let next = await source.next(); next.done !== true; next = await source.next()) yield next.value;
    } finally {
      await source.return?.();
    }
  }
  return { language: detectLanguage(sample), blocks: all() };
}

/**
 * The passages of a document in order. `location` is that of a passage's first block with the end fields of its last;
 * `language` and `speaker` are null, as documents have them. Text without a single word yields no passage.
 */
export async function* passagesOf(blocks: AsyncIterable<Block>, options: PassageOptions): AsyncGenerator<Passage> {
  const { language: analysedAs, blocks: all } = await withLanguage(blocks, options.language);
  let ordinal = 0;
  for await (const { text, location } of joinBlocks(all)) {
    const words = analyse(text, analysedAs);
    if (words.length === 0) continue;
    yield { ordinal: ordinal++, text, stems: words.map((word) => word.stem).join(' '), length: words.length, location, language: null, speaker: null, analysedAs };
  }
}
