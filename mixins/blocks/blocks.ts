import type { Blobs } from '../../adapters/blobs/port.ts';
import type { Block } from '../../models/block.ts';
import { derivedFolder } from '../blobs/derived.ts';
import { readJsonLines, writeJsonLines } from '../blobs/json-lines.ts';
import { longestLine, storedForms } from './block-lines.ts';

/** Key of a blob derived from a revision of an asset: `derived/<organization>/<asset>/<revision>/<name>`. */
export function derivedKey(organizationId: string, assetId: string, revision: number, name: string): string {
  return `${derivedFolder(organizationId, assetId, revision)}${name}`;
}

async function* shortened(blocks: AsyncIterable<Block>): AsyncGenerator<Block> {
  for await (const block of blocks) yield* storedForms(block);
}

/**
 * Stores blocks as JSON lines, all or none. (Uncompressed: compression made writing and reading more than twice as
 * slow.) Returns the number of bytes.
 */
export async function writeBlocks(blobs: Blobs, key: string, blocks: AsyncIterable<Block>): Promise<number> {
  return writeJsonLines(blobs, key, shortened(blocks), longestLine);
}

/** Parses a stored line. @throws Error if it is not a block */
export function parseBlock(line: string): Block {
  const parsed: unknown = JSON.parse(line);
  if (typeof parsed !== 'object' || parsed === null || !('text' in parsed && 'location' in parsed && 'group' in parsed))
    throw new Error('a stored block is not well formed');
  const { text, location, group } = parsed;
  const titles = 'titles' in parsed && typeof parsed.titles === 'string' ? { titles: parsed.titles } : {};
  if (typeof text !== 'string' || typeof group !== 'string' || typeof location !== 'object' || location === null)
    throw new Error('a stored block is not well formed');
  const context = 'context' in parsed && typeof parsed.context === 'string' ? { context: parsed.context } : {};
  const isContents: Pick<Block, 'isContents'> =
    'isContents' in parsed && parsed.isContents === true ? { isContents: true } : {};
  return { text, location, group, ...titles, ...context, ...isContents };
}

/**
 * Reads stored blocks in order. `read` is called with the number of bytes taken from the store so far.
 * @throws BlobNotFound, or Error if the lines are not blocks
 */
export async function* readBlocks(
  blobs: Pick<Blobs, 'read'>,
  key: string,
  read?: (bytes: number) => void,
): AsyncGenerator<Block> {
  for await (const lines of readJsonLines(blobs, key, longestLine, read))
    for (const line of lines) yield parseBlock(line);
}
