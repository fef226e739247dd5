import { createHash } from 'node:crypto';
import { mkdir, open, readdir, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** A file of an export as its manifest tells it. */
export interface ExportedFile {
  /** Relative to the export's folder. */
  path: string;
  bytes: number;
  /** Lower-case hex. */
  sha256: string;
}

/** Lines are written in pieces of about so many UTF-16 units. */
const pieceLength = 64 * 1024;

/** Writes the files of an export, each once, readable by their owner alone, and flushed before its figures are told. */
export class ExportFolder {
  private readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  /** Makes the folder. @throws Error where it holds something already, or cannot be made */
  static async make(folder: string): Promise<ExportFolder> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    if ((await readdir(folder)).length > 0) throw new Error(`${folder} holds something already: name an empty or a new folder`);
    return new ExportFolder(folder);
  }

  /** Writes bytes as they come. */
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

  /** Writes values as JSON, one a line, and counts them. */
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
