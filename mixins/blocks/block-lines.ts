import type { Block } from '../../models/block.ts';
import { splitBlock } from './split-block.ts';

/** Longer blocks are stored as several, so that no reader has to hold more (UTF-16 code units). */
const longestBlock = 256 * 1024;

/** A stored line may be longer than its block's text: JSON spells some characters as six (UTF-16 code units). */
export const longestLine = longestBlock * 6 + 64 * 1024;

/**
 * A block as it is stored: itself, or, where it is long, several that say the same, with nothing else in them.
 * (The processes that read files do this; of the code outside of their own they may open this folder and the models.)
 */
export function* storedForms(block: Block): Generator<Block> {
  for (const { text, location, group, titles } of splitBlock(block, longestBlock)) yield { text, location, group, ...(titles === undefined ? {} : { titles }) };
}
