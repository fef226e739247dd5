import { mkdtempSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Stores files as a program does that promises that they are on disk, and nothing else: a temporary name, a flush, a
 * rename, a flush of the folder. @returns seconds
 */
export async function writeBare(count: number, writers: number, bytes: Buffer): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'ply-bench-bare-'));
  let next = 0;
  const began = performance.now();
  try {
    await Promise.all(
      Array.from({ length: writers }, async () => {
        for (let at = next++; at < count; at = next++) {
          const path = join(folder, String(at));
          const file = await open(`${path}.new`, 'wx');
          await file.writeFile(bytes);
          await file.datasync();
          await file.close();
          await rename(`${path}.new`, path);
          const parent = await open(folder, 'r');
          await parent.sync();
          await parent.close();
        }
      }),
    );
    return (performance.now() - began) / 1000;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
