import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCodeOf } from '../../models/error-code.ts';
import type { LocalFile } from './local-files.ts';

/**
 * Uploads that this machine has begun, as files of a folder: an interrupted command goes on with them. Each is named
 * by its bucket and key, and holds for the file as it was.
 */
export class UnfinishedUploads {
  readonly #folder: string;

  constructor(dataFolder: string) {
    this.#folder = join(dataFolder, 'unfinished-uploads');
  }

  /** The upload that was begun with the file as it is now; null if there is none. */
  async find(bucketId: string, file: LocalFile): Promise<string | null> {
    try {
      const kept: unknown = JSON.parse(await readFile(this.#pathOf(bucketId, file), 'utf8'));
      if (typeof kept !== 'object' || kept === null) return null;
      const { uploadId, version }: { uploadId?: unknown; version?: unknown } = kept;
      return version === versionOf(file) && typeof uploadId === 'string' ? uploadId : null;
    } catch (error) {
      if (errorCodeOf(error) === 'ENOENT' || (error instanceof Error && error.name === 'SyntaxError')) return null;
      throw error;
    }
  }

  /** Keeps an upload that was begun. */
  async keep(bucketId: string, file: LocalFile, uploadId: string): Promise<void> {
    const path = this.#pathOf(bucketId, file);
    await mkdir(this.#folder, { recursive: true });
    await writeFile(`${path}.new`, JSON.stringify({ uploadId, version: versionOf(file) }));
    await rename(`${path}.new`, path);
  }

  /** Forgets an upload that has ended. */
  async forget(bucketId: string, file: LocalFile): Promise<void> {
    await rm(this.#pathOf(bucketId, file), { force: true });
  }

  #pathOf(bucketId: string, { path, key }: LocalFile): string {
    return join(this.#folder, `${createHash('sha256').update(`${bucketId}\n${path}\n${key}`).digest('hex')}.json`);
  }
}

/** What tells whether a file has changed since. */
function versionOf({ size, modifiedAt }: LocalFile): string {
  return `${size} ${modifiedAt}`;
}
