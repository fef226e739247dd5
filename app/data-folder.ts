import { chmod, lstat, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { errorCodeOf } from '../models/error-code.ts';

/** The permissions of everybody but the owner, of which the data folder gives none. */
const others = 0o077;

/** The umask of every process of Ply: what it creates is for its own user only, from the first byte. */
export const privateUmask = others;

/** The mode of a file or folder; null if it does not exist. */
async function modeOf(path: string): Promise<{ mode: number; isLink: boolean } | null> {
  try {
    const found = await lstat(path);
    return { mode: found.mode & 0o777, isLink: found.isSymbolicLink() };
  } catch (error) {
    if (errorCodeOf(error) === 'ENOENT') return null;
    throw error;
  }
}

/** The data folder's mode, in octal, if other users of the machine may enter or list it; otherwise null. */
export async function openMode(folder: string): Promise<string | null> {
  const found = await modeOf(folder);
  return found === null || (found.mode & others) === 0 ? null : found.mode.toString(8).padStart(4, '0');
}

/** Takes the permissions of others from a file or folder, if there are any. */
async function close(path: string): Promise<void> {
  const found = await modeOf(path);
  if (found === null || found.isLink || (found.mode & others) === 0) return;
  await chmod(path, found.mode & ~others).catch((error: unknown) => {
    // A journal of a database comes and goes.
    if (errorCodeOf(error) !== 'ENOENT') throw error;
  });
}

/**
 * Makes the data folder, or takes the permissions of others from an existing one and from what is in it. Deeper folders
 * cannot be reached then. Where the folder belongs to another user, the log says what to do instead.
 * @param isNeeded whether it is made; a process with shared stores makes it with its first file
 */
export async function closeDataFolder(folder: string, isNeeded: boolean, log: Pick<Logger, 'warn'>): Promise<void> {
  if (isNeeded) await mkdir(folder, { recursive: true, mode: 0o700 });
  const mode = await openMode(folder);
  try {
    await close(folder);
    if (mode !== null)
      log.warn(
        { folder, mode },
        'other users of this machine could read the data folder: its permissions were removed',
      );
    if ((await modeOf(folder)) !== null) for (const name of await readdir(folder)) await close(join(folder, name));
  } catch (error) {
    if (errorCodeOf(error) !== 'EPERM') throw error;
    log.warn(
      { folder, mode },
      `other users of this machine can read the data folder, which belongs to another user: run chmod -R go= '${folder}'`,
    );
  }
}
