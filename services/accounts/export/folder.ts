import { createHash } from 'node:crypto';
import { mkdir, open, readdir, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** A file of an export, as in the manifest. */
export interface ExportedFile {
  /** Relative to the export's folder. */
  path: string;
  bytes: number;
  /** Lower-case hex. */
  sha256: string;
}

/** Approximate size of a write in UTF-16 code units. */
const pieceLength = 64 * 1024;

/**
 * Writes the files of an export. Only their owner may read them; each is flushed to disk before its size and hash are
 * returned.
 */
export class ExportFolder {
  private readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  /** Creates the folder. @throws Error if it is not empty or cannot be created */
  static async make(folder: string): Promise<ExportFolder> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    if ((await readdir(folder)).length > 0) throw new Error(`${folder} is not empty: use an empty or a new folder`);
    return new ExportFolder(folder);
  }

  /** Writes a file from a stream of bytes. */
  async bytes(path: string, pieces: AsyncIterable<Uint8Array>): Promise<ExportedFile> {
    const file = join(this.folder, path);
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    const handle: FileHandle = await open(file, 'wx', 0o600);
    try {
      const hash = createHash('sha256');
      let bytes = 0;
      for await (const piece of pieces) {
        hash.update(piece);
        bytes += piece.byteLength;
        await handle.writeFile(piece);
      }
      await handle.sync();
      return { path, bytes, sha256: hash.digest('hex') };
    } finally {
      await handle.close();
    }
  }

  /** Writes values as JSON lines and counts them. */
  async lines(path: string, values: AsyncIterable<object>): Promise<ExportedFile & { lines: number }> {
    let lines = 0;
    async function* pieces(): AsyncGenerator<Uint8Array> {
      let piece = '';
      for await (const value of values) {
        lines += 1;
        piece += `${JSON.stringify(value)}\n`;
        if (piece.length < pieceLength) continue;
        yield Buffer.from(piece);
        piece = '';
      }
      if (piece !== '') yield Buffer.from(piece);
    }
    const file = await this.bytes(path, pieces());
    return { ...file, lines };
  }
}
