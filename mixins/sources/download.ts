import { open } from 'node:fs/promises';
import { openSource } from './open.ts';
import type { SourceRead } from './read.ts';
import { saysGzip, unpacked } from './unpacked.ts';

/** A file that was read whole. */
export interface DownloadedSource {
  /** As the source sent them: compressed, where it keeps them so. */
  bytes: number;
  /** Of these bytes, in lower-case hexadecimal digits. */
  sha256: string;
  contentType: string | null;
  /** All of it, where it is small enough to be held; null where it lies in the file. */
  content: Buffer | null;
}

/** Writes all bytes to a file with bounded memory; `path` is made or replaced. */
export async function writeToFile(body: AsyncIterable<Uint8Array>, path: string): Promise<void> {
  const file = await open(path, 'w', 0o600);
  try {
    let at = 0;
    for await (const piece of body) {
      let written = 0;
      while (written < piece.byteLength) written += (await file.write(piece, written, piece.byteLength - written, at + written)).bytesWritten;
      at += piece.byteLength;
    }
  } finally {
    await file.close();
  }
}

/** The pieces before a body is longer than `most`; `rest` goes on behind them, null where they are all of it. */
async function headOf(body: AsyncGenerator<Uint8Array, void, undefined>, most: number): Promise<{ head: Uint8Array[]; rest: AsyncIterable<Uint8Array> | null }> {
  const head: Uint8Array[] = [];
  for (let bytes = 0; bytes <= most;) {
    const next = await body.next();
    if (next.done === true) return { head, rest: null };
    head.push(next.value);
    bytes += next.value.byteLength;
  }
  async function* all(): AsyncGenerator<Uint8Array> {
    try {
      yield* head;
      yield* body;
    } finally {
      await body.return();
    }
  }
  return { head, rest: all() };
}

/**
 * Reads a source into a file with bounded memory; `path` is made or replaced. A broken connection is taken up again
 * where the source can (open.ts). What the storage keeps compressed is unpacked. The file's content is not to be used when
 * this rejects.
 * @param mostHeld a source of up to so many bytes is answered instead (`content`), and no file is made
 * @throws SourceFailure, or RequestFailure `aborted`
 */
export async function downloadSource(read: SourceRead, path: string, mostHeld = -1): Promise<DownloadedSource> {
  const source = await openSource(read);
  const { head, rest } = await headOf(saysGzip(source.coding) ? unpacked(source.body, read.maxBytes) : source.body, mostHeld);
  if (rest !== null) await writeToFile(rest, path);
  const { bytes, sha256 } = source.result;
  if (sha256 === null) throw new Error('the source ended without a digest');
  return { bytes, sha256, contentType: source.contentType, content: rest === null ? Buffer.concat(head) : null };
}
