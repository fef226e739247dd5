import { stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { parseBlock } from '../../../mixins/blocks/blocks.ts';
import type { Block } from '../../../models/block.ts';
import type { ReadableFormat } from '../../../formats/reader.ts';
import type { ExtractedBatch, ExtractionPool } from '../processes/pool.ts';
import { createExtractionPool } from '../processes/pool.ts';
import { withFile } from '../../../formats/testing/read.ts';

/**
 * Memory and time that a hostile file may take, well below what a deployment grants. The time is that of a busy
 * machine.
 */
export const tightLimits = { memoryMegabytes: 320, seconds: 120 };

/** A pool that reads files of the temporary folder within tight limits. */
export function tightPool(slots = 1): ExtractionPool {
  return createExtractionPool({ slots, ...tightLimits, readableFolders: [tmpdir()] });
}

/** The blocks of a batch. */
export function blocksIn({ lines }: ExtractedBatch): Block[] {
  return Buffer.from(lines)
    .toString('utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map(parseBlock);
}

/**
 * How the reading of a file ended: `read`, or a code and why; how many blocks came, the first few, and the length of
 * the longest.
 */
export interface Outcome {
  code: string;
  reason: string;
  blocks: number;
  first: Block[];
  longest: number;
  /** Whether every text was one that stores take: well formed, without NUL, not blank. */
  sound: boolean;
}

/** Reads a file that lies in the temporary folder. */
export async function outcomeOfFile(pool: ExtractionPool, format: ReadableFormat, path: string): Promise<Outcome> {
  const outcome: Outcome = { code: 'read', reason: '', blocks: 0, first: [], longest: 0, sound: true };
  try {
    for await (const batch of pool.extract({ path, bytes: (await stat(path)).size, format })) {
      const blocks = blocksIn(batch);
      if (blocks.length !== batch.blocks) outcome.sound = false;
      outcome.blocks += blocks.length;
      for (const block of blocks) {
        if (outcome.first.length < 5) outcome.first.push(block);
        outcome.longest = Math.max(outcome.longest, block.text.length);
        outcome.sound &&= block.text.isWellFormed() && !block.text.includes('\0') && block.text.trim() !== '';
      }
    }
  } catch (error) {
    outcome.code = error instanceof Error && 'code' in error ? String(error.code) : 'no code';
    outcome.reason = String(error);
  }
  return outcome;
}

/** Reads content as a file. */
export function outcomeOf(
  pool: ExtractionPool,
  format: ReadableFormat,
  content: string | Uint8Array,
): Promise<Outcome> {
  return withFile(content, `file.${format}`, (path) => outcomeOfFile(pool, format, path));
}
