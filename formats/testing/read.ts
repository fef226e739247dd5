import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Block } from '../../models/block.ts';
import type { ExtractionLimits, FormatReader } from '../reader.ts';
import { defaultLimits } from '../reader.ts';

/** Calls with the path of a temporary file of the given content, which is removed afterwards. */
export async function withFile<T>(
  content: string | Uint8Array,
  name: string,
  use: (path: string, bytes: number) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'extract-'));
  try {
    const bytes = Buffer.from(content);
    await writeFile(join(folder, name), bytes);
    return await use(join(folder, name), bytes.length);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** All blocks that a reader gives of a file with the given content. */
export function blocksOf(
  reader: FormatReader,
  content: string | Uint8Array,
  limits: Partial<ExtractionLimits> = {},
): Promise<Block[]> {
  return withFile(content, 'file', async (path, bytes) => {
    const blocks: Block[] = [];
    for await (const block of reader({ path, bytes }, { ...defaultLimits, ...limits }, () => undefined))
      blocks.push(block);
    return blocks;
  });
}

/** The code with which a reader refuses content; `read` when it does not. */
export async function codeOf(
  reader: FormatReader,
  content: string | Uint8Array,
  limits: Partial<ExtractionLimits> = {},
): Promise<string> {
  try {
    await blocksOf(reader, content, limits);
    return 'read';
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : String(error);
  }
}
