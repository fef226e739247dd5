import { open } from 'node:fs/promises';
import { errorCodeOf } from '../../models/error-code.ts';
import { StoreUnavailable } from '../records/port.ts';
import { giveBack, WrongLength } from './port.ts';

/** Makes a folder's entries durable: a rename or a new file is on disk once its folder is flushed. */
export async function flushFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * A new file with exactly these bytes, flushed. Pieces are released when they are written.
 * @throws WrongLength; what the body throws
 */
export async function writeFlushed(path: string, bytes: number, body: AsyncIterable<Uint8Array>): Promise<void> {
  const handle = await open(path, 'wx');
  try {
    let written = 0;
    for await (const piece of body) {
      written += piece.byteLength;
      if (written > bytes) throw new WrongLength(bytes);
      for (let at = 0; at < piece.byteLength;) at += (await handle.write(piece, at)).bytesWritten;
      giveBack(piece);
    }
    if (written !== bytes) throw new WrongLength(bytes);
    await handle.datasync();
  } finally {
    await handle.close();
  }
}

const maxPieceBytes = 2 ** 18;

/**
 * The bytes from `from` to `to` of a file, both included, in pieces.
 * @param into what the pieces are read into, one after another: a piece is valid until the next one is asked for
 * @throws Error if the file is shorter
 */
export async function* readPieces(path: string, from: number, to: number, into?: Buffer): AsyncGenerator<Uint8Array> {
  const handle = await open(path, 'r');
  try {
    for (let at = from; at <= to;) {
      const length = Math.min(into?.length ?? maxPieceBytes, to + 1 - at);
      const buffer = into ?? Buffer.allocUnsafe(length);
      const { bytesRead } = await handle.read(buffer, 0, length, at);
      if (bytesRead === 0) throw new Error(`${path} is shorter than its record says`);
      at += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await handle.close();
  }
}

/** The error of a full disk as that of a store that is away: the client may try again. Other errors are unchanged. */
export function asUnavailable(error: unknown): unknown {
  const code = errorCodeOf(error);
  return code === 'ENOSPC' || code === 'EDQUOT' || code === 'EROFS'
    ? new StoreUnavailable(`the object store (${code})`, { cause: error })
    : error;
}
