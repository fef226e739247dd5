import { open, type FileHandle } from 'node:fs/promises';
import type { GuardedAnswer } from '../guarded-client/client.ts';
import { SourceFailure, sourceFailureOf } from './failure.ts';
import { ask, asSourceFailure, declaredBytes, type SourceRead } from './read.ts';
import { startTally, type Tally } from './version.ts';

/** A file that was read whole. */
export interface DownloadedSource {
  bytes: number;
  /** Lower-case hexadecimal digits. */
  sha256: string;
  contentType: string | null;
}

/** Times that a broken read is taken up again. */
const mostContinuations = 5;

/** Where a download stands. */
interface Progress {
  file: FileHandle;
  tally: Tally;
  /** Size of the whole file as declared; null where it is not. */
  size: number | null;
}

/** An ETag with which a source can be asked for the rest; a weak one never matches `If-Match` (RFC 9110, 13.1.1). */
function strongEtag(answer: GuardedAnswer): string | null {
  const etag = answer.header('etag');
  return etag !== null && etag.startsWith('"') ? etag : null;
}

/** Whether a 206 carries exactly the rest that was asked for, of a file of the same size. */
function isTheRest(answer: GuardedAnswer, progress: Progress, etag: string): boolean {
  const range = /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15}|\*)$/.exec(answer.header('content-range') ?? '');
  if (range === null || Number(range[1]) !== progress.tally.bytes) return false;
  if (range[3] !== '*' && progress.size !== null && Number(range[3]) !== progress.size) return false;
  return answer.header('etag') === null || answer.header('etag') === etag;
}

async function append(answer: GuardedAnswer, progress: Progress, maxBytes: number): Promise<void> {
  try {
    for await (const piece of answer.body) {
      if (progress.tally.bytes + piece.byteLength > maxBytes) throw new SourceFailure('source_too_large', `the source sent more than ${maxBytes} bytes`);
      let written = 0;
      while (written < piece.byteLength) written += (await progress.file.write(piece, written, piece.byteLength - written, progress.tally.bytes + written)).bytesWritten;
      progress.tally.add(piece);
    }
  } catch (error) {
    throw asSourceFailure(error);
  }
}

function checkSize(progress: Progress): void {
  if (progress.size === null || progress.size === progress.tally.bytes) return;
  throw new SourceFailure('source_unreachable', `the source declared ${progress.size} bytes and sent ${progress.tally.bytes}`);
}

/**
 * Reads a source into a file with bounded memory; `path` is made or replaced. Where the connection breaks and the
 * source serves parts, the read goes on from where it broke, for the same version only (`If-Match`). The file's
 * content is not to be used when this rejects.
 * @throws SourceFailure, or RequestFailure `aborted`
 */
export async function downloadSource(read: SourceRead, path: string): Promise<DownloadedSource> {
  const file = await open(path, 'w');
  try {
    const answer = await ask(read, null);
    const progress: Progress = { file, tally: startTally(), size: declaredBytes(answer) };
    const etag = answer.header('accept-ranges')?.toLowerCase() === 'bytes' ? strongEtag(answer) : null;
    await readAll(read, answer, progress, etag);
    return { bytes: progress.tally.bytes, sha256: progress.tally.finish(read.sourceVersion), contentType: answer.header('content-type') };
  } finally {
    await file.close();
  }
}

async function readAll(read: SourceRead, first: GuardedAnswer, progress: Progress, etag: string | null): Promise<void> {
  let answer = first;
  let before = -1;
  for (let continuations = 0; ; continuations += 1) {
    try {
      await append(answer, progress, read.maxBytes);
      checkSize(progress);
      return;
    } catch (error) {
      const bytes = progress.tally.bytes;
      // A part that brought nothing new will not do so the next time either.
      const canGoOn = etag !== null && bytes > before && bytes > 0 && continuations < mostContinuations;
      if (!canGoOn || sourceFailureOf(error)?.outcome !== 'temporary') throw error;
      before = bytes;
      answer = await ask(read, { from: bytes, etag });
      if (answer.status !== 206 || !isTheRest(answer, progress, etag)) {
        answer.discard();
        throw new SourceFailure('source_unreachable', 'the read broke and the source does not go on from there', { cause: error });
      }
    }
  }
}
