import type { Blobs } from '../../adapters/blobs/port.ts';
import type { Block } from '../../models/block.ts';
import { derivedFolder } from '../blobs/derived.ts';
import { splitBlock } from './split-block.ts';

/** Longer blocks are written as several, so that no reader has to hold more (UTF-16 code units). */
const longestBlock = 256 * 1024;
/** A line may be longer than its block's text: JSON spells some characters as six. */
const longestLine = longestBlock * 6 + 64 * 1024;
const chunkLength = 64 * 1024;

/** Name of something derived from one revision of an asset: `derived/<organization>/<asset>/<revision>/<name>`. */
export function derivedKey(organizationId: string, assetId: string, revision: number, name: string): string {
  return `${derivedFolder(organizationId, assetId, revision)}${name}`;
}

async function* linesOf(blocks: AsyncIterable<Block>): AsyncGenerator<Uint8Array> {
  let chunk = '';
  for await (const block of blocks) {
    for (const { text, location, group } of splitBlock(block, longestBlock)) {
      chunk += `${JSON.stringify({ text, location, group })}\n`;
      if (chunk.length < chunkLength) continue;
      yield Buffer.from(chunk);
      chunk = '';
    }
  }
  if (chunk !== '') yield Buffer.from(chunk);
}

/**
 * Stores blocks as JSON lines, all or none. (Uncompressed: compression made writing and reading more than twice as
 * slow.) Answers the number of bytes.
 */
export async function writeBlocks(blobs: Blobs, key: string, blocks: AsyncIterable<Block>): Promise<number> {
  return blobs.write(key, linesOf(blocks));
}

function parseBlock(line: string): Block {
  const parsed: unknown = JSON.parse(line);
  if (typeof parsed !== 'object' || parsed === null || !('text' in parsed && 'location' in parsed && 'group' in parsed)) throw new Error('a stored block is not well formed');
  const { text, location, group } = parsed;
  if (typeof text !== 'string' || typeof group !== 'string' || typeof location !== 'object' || location === null) throw new Error('a stored block is not well formed');
  return { text, location, group };
}

/**
 * Reads stored blocks in order. `read` is told how many bytes have been taken from the store so far.
 * @throws BlobNotFound, or Error where the lines are not blocks.
 */
export async function* readBlocks(blobs: Blobs, key: string, read?: (bytes: number) => void): AsyncGenerator<Block> {
  const decoder = new TextDecoder();
  let rest = '';
  let bytes = 0;
  for await (const chunk of blobs.read(key)) {
    bytes += chunk.byteLength;
    read?.(bytes);
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > longestLine) throw new Error('a stored block is longer than blocks may be');
    for (const line of lines) if (line !== '') yield parseBlock(line);
  }
  if (rest !== '') yield parseBlock(rest);
}
