import { createGunzip, type Gunzip } from 'node:zlib';
import { errorCodeOf } from '../../models/error-code.ts';
import { SourceFailure } from './failure.ts';

/** Whether a `Content-Encoding` says that the bytes are compressed by gzip. */
export function saysGzip(coding: string | null): boolean {
  return coding !== null && /^(x-)?gzip$/i.test(coding.trim());
}

/** The pieces up to the first two bytes, by which gzip is told. */
async function beginningOf(body: AsyncGenerator<Uint8Array, void, undefined>): Promise<Uint8Array[]> {
  const pieces: Uint8Array[] = [];
  for (let bytes = 0; bytes < 2;) {
    const next = await body.next();
    if (next.done === true) break;
    // What was read is not to be changed by reading on.
    pieces.push(bytes + next.value.byteLength < 2 ? next.value.slice() : next.value);
    bytes += next.value.byteLength;
  }
  return pieces;
}

function isGzip(beginning: readonly Uint8Array[]): boolean {
  const [first, second] = Buffer.concat(beginning.map((piece) => piece.subarray(0, 2)));
  return first === 0x1f && second === 0x8b;
}

/** Hands a piece on. Fulfilled when it is done with, and when nobody unpacks any more. */
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
 * Hands all pieces on, each when the one before is done with: its memory may be used again then. What stands behind the
 * end of what is packed is read past, so that the whole file is counted and compared.
 * @throws what `body` throws
 */
async function feed(gunzip: Gunzip, beginning: readonly Uint8Array[], body: AsyncGenerator<Uint8Array, void, undefined>): Promise<void> {
  try {
    for (const piece of beginning) await write(gunzip, piece);
    for await (const piece of body) {
      // Broken, or given up by its reader.
      if (gunzip.destroyed && !gunzip.readableEnded) return;
      await write(gunzip, piece);
    }
    gunzip.end();
  } catch (error) {
    gunzip.destroy(error instanceof Error ? error : new Error(String(error)));
    throw error;
  }
}

/** What a failure to unpack means for the read; failures of the read itself stay as they are. */
function failureOf(error: unknown): unknown {
  const code = errorCodeOf(error);
  if (code === null || !code.startsWith('Z_')) return error;
  return new SourceFailure('source_unreachable', `the source says that it sends gzip, and it cannot be unpacked (${code})`, { cause: error });
}

/**
 * The content of a file that its storage keeps compressed (`Content-Encoding: gzip`) and sends so, whatever is asked for.
 * Bytes that are only said to be compressed are handed on as they are.
 * @throws SourceFailure `source_too_large` as soon as more than `mostBytes` have come out, and what `body` throws
 */
export async function* unpacked(body: AsyncGenerator<Uint8Array, void, undefined>, mostBytes: number): AsyncGenerator<Uint8Array, void, undefined> {
  const beginning = await beginningOf(body);
  if (!isGzip(beginning)) {
    yield* beginning;
    yield* body;
    return;
  }
  const gunzip = createGunzip();
  const feeding = feed(gunzip, beginning, body);
  // Its failure is that of the reading, which is waited for first.
  feeding.catch(() => undefined);
  let bytes = 0;
  try {
    for await (const piece of gunzip) {
      if (!(piece instanceof Uint8Array)) throw new Error('gunzip answers bytes');
      bytes += piece.byteLength;
      if (bytes > mostBytes) throw new SourceFailure('source_too_large', `the source unpacks to more than ${mostBytes} bytes`);
      yield piece;
    }
    gunzip.destroy();
    await feeding;
  } catch (error) {
    throw failureOf(error);
  } finally {
    gunzip.destroy();
    await feeding.catch(() => undefined);
  }
}
