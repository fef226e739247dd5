import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm, rmdir, stat, unlink } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Runtime } from '../../models/runtime.ts';
import { errorCodeOf } from '../../models/error-code.ts';
import { BlobNotFound, type Blobs } from './port.ts';
import { checkKey, checkPrefix, incomingFolder, pieces } from './keys.ts';

/** A temporary file without changes for this long belongs to a dead process. */
const abandonedAfterMs = 3_600_000;

/** Makes a folder's entries durable: a rename or new file is on disk once its folder is synced. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * Creates a folder and its parents. Returns the folders with new entries, which must be synced.
 */
async function makeFolder(folder: string): Promise<string[]> {
  const first = await mkdir(folder, { recursive: true });
  const changed: string[] = [];
  if (first !== undefined)
    for (let made = folder; made.length >= first.length; made = dirname(made)) changed.push(dirname(made));
  return changed;
}

/** Syncs folders concurrently, so that the file system can commit them together. */
async function syncFolders(folders: Iterable<string>): Promise<void> {
  await Promise.all([...folders].map(syncFolder));
}

async function removeAbandoned(incoming: string, now: number): Promise<void> {
  for (const name of await readdir(incoming)) {
    const path = join(incoming, name);
    try {
      if ((await stat(path)).mtimeMs < now - abandonedAfterMs) await unlink(path);
    } catch (error) {
      // Another process that shares the folder has just finished or removed it.
      if (errorCodeOf(error) !== 'ENOENT') throw error;
    }
  }
}

/**
 * Blobs as files of a folder, which several machines may share. A blob is written under a temporary name, flushed,
 * and renamed, so that it exists either completely or not at all. A blob's name cannot be a folder of another's (`a`
 * and `a/b`). The folder is created if it does not exist.
 */
export async function openFolderBlobs(options: {
  folder: string;
  runtime: Pick<Runtime, 'now' | 'uuid'>;
}): Promise<Blobs> {
  const root = resolve(options.folder);
  const incoming = join(root, incomingFolder);
  await syncFolders(await makeFolder(incoming));
  await removeAbandoned(incoming, options.runtime.now());

  async function moveIn(temporary: string, path: string): Promise<void> {
    const changed = new Set([dirname(path)]);
    for (let attempt = 1; ; attempt += 1) {
      for (const folder of await makeFolder(dirname(path))) changed.add(folder);
      try {
        await rename(temporary, path);
        break;
      } catch (error) {
        // The folder was empty and was removed between the two steps.
        if (errorCodeOf(error) !== 'ENOENT' || attempt === 10) throw error;
      }
    }
    await syncFolders(changed);
  }

  async function removeEmptyFolders(folder: string): Promise<void> {
    for (let each = folder; each !== root; each = dirname(each)) {
      try {
        await rmdir(each);
      } catch (error) {
        const code = errorCodeOf(error);
        if (code === 'ENOTEMPTY' || code === 'EEXIST' || code === 'ENOTDIR') return;
        if (code !== 'ENOENT') throw error;
      }
    }
  }

  /** Names below a folder in byte order, the order in which S3 lists. `under` is empty or ends with a slash. */
  async function* walk(under: string, prefix: string): AsyncGenerator<{ key: string; bytes: number }, void, undefined> {
    const entries = await readdir(join(root, under), { withFileTypes: true }).catch((error: unknown) => {
      if (errorCodeOf(error) === 'ENOENT' || errorCodeOf(error) === 'ENOTDIR') return [];
      throw error;
    });
    const names = entries
      .map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name))
      .filter((name) => name !== `${incomingFolder}/`);
    for (const name of names.sort((a, b) => (a < b ? -1 : 1))) {
      const key = under + name;
      if (!key.startsWith(prefix.slice(0, key.length))) continue;
      if (name.endsWith('/')) {
        yield* walk(key, prefix);
      } else if (key.startsWith(prefix)) {
        const bytes = await stat(join(root, key)).then(
          (found) => found.size,
          () => null,
        );
        if (bytes !== null) yield { key, bytes };
      }
    }
  }

  return {
    async write(key, body) {
      const path = join(root, checkKey(key));
      const temporary = join(incoming, options.runtime.uuid());
      const handle = await open(temporary, 'wx');
      let bytes = 0;
      try {
        try {
          for await (const piece of pieces(body)) {
            await handle.writeFile(piece);
            bytes += piece.byteLength;
          }
          await handle.sync();
        } finally {
          await handle.close();
        }
        await moveIn(temporary, path);
      } catch (error) {
        await rm(temporary, { force: true });
        throw error;
      }
      return bytes;
    },
    async *read(key) {
      const stream = createReadStream(join(root, checkKey(key)));
      try {
        for await (const piece of stream) yield piece;
      } catch (error) {
        const code = errorCodeOf(error);
        if (code === 'ENOENT' || code === 'EISDIR' || code === 'ENOTDIR') throw new BlobNotFound(key);
        throw error;
      } finally {
        stream.destroy();
      }
    },
    async exists(key) {
      try {
        return (await stat(join(root, checkKey(key)))).isFile();
      } catch (error) {
        if (errorCodeOf(error) === 'ENOENT' || errorCodeOf(error) === 'ENOTDIR') return false;
        throw error;
      }
    },
    async remove(prefixOrKey) {
      const path = join(root, checkPrefix(prefixOrKey));
      if (path === root) throw new Error('refuses to remove all blobs');
      if (prefixOrKey.endsWith('/')) {
        await rm(path, { recursive: true, force: true });
      } else {
        await unlink(path).catch((error: unknown) => {
          const code = errorCodeOf(error);
          if (code !== 'ENOENT' && code !== 'ENOTDIR' && code !== 'EISDIR' && code !== 'EPERM') throw error;
        });
      }
      await removeEmptyFolders(dirname(path));
    },
    list(prefix) {
      checkPrefix(prefix);
      return walk(prefix.slice(0, prefix.lastIndexOf('/') + 1), prefix);
    },
    async ping() {
      await stat(incoming);
    },
    async close() {
      // Each read and write closes its file.
    },
  };
}
