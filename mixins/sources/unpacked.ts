import { createGunzip, type Gunzip } from 'node:zlib';
import { errorCodeOf } from '../../models/error-code.ts';
import { SourceFailure } from './failure.ts';

/** Whether a `Content-Encoding` declares gzip. */
export function declaresGzip(coding: string | null): boolean {
  return coding !== null && /^(x-)?gzip$/i.test(coding.trim());
}

/** The pieces up to the first two bytes, which identify gzip. */
async function beginningOf(body: AsyncGenerator<Uint8Array, void, undefined>): Promise<Uint8Array[]> {
  const pieces: Uint8Array[] = [];
  for (let bytes = 0; bytes < 2;) {
    const next = await body.next();
    if (next.done === true) break;
    // The body may reuse its buffer for the next piece.
    pieces.push(bytes + next.value.byteLength < 2 ? next.value.slice() : next.value);
    bytes += next.value.byteLength;
  }
  return pieces;
}

function isGzip(beginning: readonly Uint8Array[]): boolean {
  const [first, second] = Buffer.concat(beginning.map((piece) => piece.subarray(0, 2)));
  return first === 0x1f && second === 0x8b;
}

/** Writes a piece. Resolves when it is processed, or when the stream has ended. */
function write(gunzip: Gunzip, piece: Uint8Array): Promise<void> {
  return new Promise((resolve) => {
    if (gunzip.destroyed) {
      resolve();
      return;
    }
    gunzip.once('close', resolve);
    gunzip.write(piece, () => {
      gunzip.off('close', resolve);
      resolve();
    });
  });
}

/**
 * Writes all pieces, each after the previous one is processed, because its buffer may be reused then. Bytes after the
 * end of the compressed data are read and ignored, so that the whole file is counted and digested.
 * @throws what `body` throws
 */
async function feed(
  gunzip: Gunzip,
  beginning: readonly Uint8Array[],
  body: AsyncGenerator<Uint8Array, void, undefined>,
): Promise<void> {
  try {
    for (const piece of beginning) await write(gunzip, piece);
    for await (const piece of body) {
      // The stream failed, or its reader has stopped.
      if (gunzip.destroyed && !gunzip.readableEnded) return;
      await write(gunzip, piece);
    }
    gunzip.end();
  } catch (error) {
    gunzip.destroy(error instanceof Error ? error : new Error(String(error)));
    throw error;
  }
}

/** Maps a failure to unpack to the failure of the read; failures of the read itself are returned unchanged. */
function failureOf(error: unknown): unknown {
  const code = errorCodeOf(error);
  if (code === null || !code.startsWith('Z_')) return error;
  return new SourceFailure(
    'source_unreachable',
    `the source says that it sends gzip, and it cannot be unpacked (${code})`,
    { cause: error },
  );
}

/**
 * The content of a file that its storage has compressed (`Content-Encoding: gzip`) and sends so regardless of the
 * request. Bytes that are only declared as compressed are yielded unchanged.
 * @throws SourceFailure `source_too_large` as soon as the content exceeds `maxBytes`, and what `body` throws
 */
export async function* unpacked(
  body: AsyncGenerator<Uint8Array, void, undefined>,
  maxBytes: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  const beginning = await beginningOf(body);
  if (!isGzip(beginning)) {
    yield* beginning;
    yield* body;
    return;
  }
  const gunzip = createGunzip();
  const feeding = feed(gunzip, beginning, body);
  // The failure of the read takes precedence, so it is awaited first.
  feeding.catch(() => undefined);
  let bytes = 0;
  try {
    for await (const piece of gunzip) {
      if (!(piece instanceof Uint8Array)) throw new Error('gunzip answers bytes');
      bytes += piece.byteLength;
      if (bytes > maxBytes)
        throw new SourceFailure('source_too_large', `the source unpacks to more than ${maxBytes} bytes`);
      yield piece;
    }
    gunzip.destroy();
    await feeding;
  } catch (error) {
    throw failureOf(error);
  } finally {
    gunzip.destroy();
    // No read may continue after the consumer has stopped; a failure has been thrown above.
    await feeding.catch(() => undefined);
  }
}
