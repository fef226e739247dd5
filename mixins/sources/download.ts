import { open } from 'node:fs/promises';
import { openSource } from './open.ts';
import type { SourceRead } from './read.ts';
import { declaresGzip, unpacked } from './unpacked.ts';

/** A downloaded file. */
export interface DownloadedSource {
  /** The number of bytes as sent: compressed where the source stores them so. */
  bytes: number;
  /** The digest of these bytes, in lower-case hexadecimal digits. */
  sha256: string;
  contentType: string | null;
  /** The content of a small file; null if it was written to the file. */
  content: Buffer | null;
}

/** Writes all bytes to a file with bounded memory; `path` is created or replaced. */
export async function writeToFile(body: AsyncIterable<Uint8Array>, path: string): Promise<void> {
  const file = await open(path, 'w', 0o600);
  try {
    let at = 0;
    for await (const piece of body) {
      let written = 0;
      while (written < piece.byteLength)
        written += (await file.write(piece, written, piece.byteLength - written, at + written)).bytesWritten;
      at += piece.byteLength;
    }
  } finally {
    await file.close();
  }
}

/** Reads a body up to `maxBytes`. `rest` contains the remaining pieces; null if `head` is the whole body. */
async function headOf(
  body: AsyncGenerator<Uint8Array, void, undefined>,
  maxBytes: number,
): Promise<{ head: Uint8Array[]; rest: AsyncIterable<Uint8Array> | null }> {
  const head: Uint8Array[] = [];
  for (let bytes = 0; bytes <= maxBytes;) {
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
 * Downloads a source into a file with bounded memory; `path` is created or replaced. A broken download is resumed where
 * the source supports it (open.ts). Compressed content is unpacked. When this rejects, the file must not be used.
 * @param maxHeld a source of up to this many bytes is answered in `content`, without a file
 * @throws SourceFailure, or RequestFailure `aborted`
 */
export async function downloadSource(read: SourceRead, path: string, maxHeld = -1): Promise<DownloadedSource> {
  const source = await openSource(read);
  const { head, rest } = await headOf(
    declaresGzip(source.coding) ? unpacked(source.body, read.maxBytes) : source.body,
    maxHeld,
  );
  if (rest !== null) await writeToFile(rest, path);
  const { bytes, sha256 } = source.result;
  if (sha256 === null) throw new Error('the source ended without a digest');
  return { bytes, sha256, contentType: source.contentType, content: rest === null ? Buffer.concat(head) : null };
}
