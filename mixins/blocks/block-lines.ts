import type { Block } from '../../models/block.ts';
import { splitBlock } from './split-block.ts';

/** Longer blocks are split, which bounds the memory of readers (UTF-16 code units). */
const longestBlock = 256 * 1024;

/** A stored line may be longer than its text: JSON escapes some characters with six (UTF-16 code units). */
export const longestLine = longestBlock * 6 + 64 * 1024;

/**
 * A block as it is stored: unchanged, or split into several if it is long. (The processes that read files call this.
 * Besides their own code they may read only this folder and the models.)
 */
export function* storedForms(block: Block): Generator<Block> {
  for (const { text, location, group, titles, context, isContents } of splitBlock(block, longestBlock))
    yield {
      text,
      location,
      group,
      ...(titles === undefined ? {} : { titles }),
      ...(context === undefined ? {} : { context }),
      ...(isContents === undefined ? {} : { isContents }),
    };
}
