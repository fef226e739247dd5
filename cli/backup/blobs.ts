import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { incomingFolder } from '../../adapters/blobs/keys.ts';
import { errorCodeOf } from '../../models/error-code.ts';
import type { BackedUpFile } from './manifest.ts';

/** Paths of all files in a folder except for unfinished ones; none without the folder. */
export async function* filesBelow(folder: string, under = ''): AsyncGenerator<string> {
  const entries = await readdir(join(folder, under), { withFileTypes: true }).catch((error: unknown) => {
    // Removed meanwhile.
    if (errorCodeOf(error) === 'ENOENT') return [];
    throw error;
  });
  for (const entry of entries) {
    const path = under === '' ? entry.name : `${under}/${entry.name}`;
    if (entry.isDirectory()) {
      if (path !== incomingFolder) yield* filesBelow(folder, path);
    } else if (entry.isFile()) yield path;
  }
}

/** Copies a file, flushed to disk, and returns its size and digest. */
export async function copyMeasured(from: string, to: string): Promise<Omit<BackedUpFile, 'path'>> {
  const hash = createHash('sha256');
  let bytes = 0;
  const target = await open(to, 'w', 0o600);
  try {
    for await (const piece of createReadStream(from) as AsyncIterable<Buffer>) {
      hash.update(piece);
      bytes += piece.length;
      await target.writeFile(piece);
    }
    await target.sync();
  } finally {
    await target.close();
  }
  return { bytes, sha256: hash.digest('hex') };
}

/** The copy of a folder of blobs, in passes: each copies files that are new or replaced since the previous one. */
export class BlobCopy {
  private readonly from: string;
  private readonly to: string;
  private readonly listFile: string;
  /** The copied version of each file; on disk, because there may be many. */
  private readonly list: DatabaseSync;

  /** @param listFile a temporary file */
  constructor(from: string, to: string, listFile: string) {
    this.from = from;
    this.to = to;
    this.listFile = listFile;
    this.list = new DatabaseSync(listFile);
    this.list.exec(
      'pragma journal_mode = off; pragma synchronous = off; create table copied (path text primary key, mark text not null, bytes integer not null, sha256 text not null) without rowid',
    );
  }

  /** One pass. Blobs that are removed meanwhile are skipped. */
  async pass(): Promise<void> {
    const known = this.list.prepare('select mark from copied where path = ?');
    const add = this.list.prepare('insert or replace into copied values (?, ?, ?, ?)');
    for await (const path of filesBelow(this.from)) {
      try {
        const { ino, mtimeMs, size } = await stat(join(this.from, path));
        const mark = `${ino}/${mtimeMs}/${size}`;
        if (known.get(path)?.['mark'] === mark) continue;
        await mkdir(dirname(join(this.to, path)), { recursive: true, mode: 0o700 });
        const { bytes, sha256 } = await copyMeasured(join(this.from, path), join(this.to, path));
        add.run(path, mark, bytes, sha256);
      } catch (error) {
        if (errorCodeOf(error) !== 'ENOENT') throw error;
        // A blob is removed after the write that it is no longer needed.
        if (!this.has(path)) await rm(join(this.to, path), { force: true });
      }
    }
  }

  /** Whether a blob was copied. */
  has(path: string): boolean {
    return this.list.prepare('select 1 from copied where path = ?').get(path) !== undefined;
  }

  /** Removes unneeded copies. */
  async keepOnly(isNeeded: (path: string) => boolean): Promise<void> {
    const dropped = this.list
      .prepare('select path from copied order by path')
      .all()
      .map(({ path }) => String(path))
      .filter((path) => !isNeeded(path));
    for (const path of dropped) {
      await rm(join(this.to, path), { force: true });
      this.list.prepare('delete from copied where path = ?').run(path);
    }
  }

  /** The copied files, sorted by path. */
  *files(): Generator<BackedUpFile> {
    for (const row of this.list.prepare('select path, bytes, sha256 from copied order by path').iterate())
      yield { path: String(row['path']), bytes: Number(row['bytes']), sha256: String(row['sha256']) };
  }

  async close(): Promise<void> {
    if (this.list.isOpen) this.list.close();
    await rm(this.listFile, { force: true });
  }
}
