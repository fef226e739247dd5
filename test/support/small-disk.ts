import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A disk of its own for a test that fills it. */
export interface SmallDisk {
  folder: string;
  /** Takes what room there is. */
  fill(): void;
  /** Gives it back. */
  free(): void;
  remove(): void;
}

/** Mounts a disk of so many MiB in memory; returns why that is not possible. */
export function mountSmallDisk(name: string, mebibytes: number): SmallDisk | string {
  const folder = mkdtempSync(join(tmpdir(), `ply-${name}-full-`));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m`, 'tmpfs', folder], { stdio: 'pipe' });
  } catch (error) {
    rmSync(folder, { recursive: true });
    const said = error instanceof Error ? (error.message.split('\n')[0] ?? 'mount failed') : String(error);
    return `no tmpfs can be mounted: ${said}`;
  }
  const filler = join(folder, 'filler');
  return {
    folder,
    fill: () => {
      try {
        writeFileSync(filler, Buffer.alloc(mebibytes * 2 * 2 ** 20));
      } catch {
        // As full as it gets: the file has what there was.
      }
    },
    free: () => rmSync(filler),
    remove: () => {
      execFileSync('umount', [folder]);
      rmSync(folder, { recursive: true });
    },
  };
}
