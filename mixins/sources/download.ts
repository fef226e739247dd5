import { open } from 'node:fs/promises';
import { openSource } from './open.ts';
import type { SourceRead } from './read.ts';

/** A file that was read whole. */
export interface DownloadedSource {
  bytes: number;
  /** Lower-case hexadecimal digits. */
  sha256: string;
  contentType: string | null;
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

/**
 * Reads a source into a file with bounded memory; `path` is made or replaced. A broken connection is taken up again
 * where the source can (open.ts). The file's content is not to be used when this rejects.
 * @throws SourceFailure, or RequestFailure `aborted`
 */
export async function downloadSource(read: SourceRead, path: string): Promise<DownloadedSource> {
  const source = await openSource(read);
  await writeToFile(source.body, path);
  const { bytes, sha256 } = source.result;
  if (sha256 === null) throw new Error('the source ended without a digest');
  return { bytes, sha256, contentType: source.contentType };
}
