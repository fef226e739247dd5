import { lendBuffer } from './response-body.ts';

/** Pieces that are being read. Whoever does not take them to their end calls `return`. */
export type BegunPieces = AsyncIterableIterator<Uint8Array, undefined> & {
  return(): Promise<IteratorResult<Uint8Array, undefined>>;
};

/**
 * Begins to read bytes into a buffer that is lent until their end. The first piece has been read before this returns, so
 * that bytes that are gone can still be answered otherwise. A piece is valid until the next one is asked for.
 * @param read reads the bytes, in pieces of the buffer
 * @throws what reading throws
 */
export async function beginPieces(read: (buffer: Buffer) => AsyncIterable<Uint8Array>): Promise<BegunPieces> {
  const lent = lendBuffer();
  let isOver = false;
  const end = (): void => {
    if (!isOver) lent.giveBack();
    isOver = true;
  };
  const pieces = read(lent.buffer)[Symbol.asyncIterator]();
  const next = async (): Promise<IteratorResult<Uint8Array, undefined>> => {
    try {
      const read = await pieces.next();
      if (read.done !== true) return read;
    } catch (error) {
      end();
      throw error;
    }
    end();
    return { done: true, value: undefined };
  };
  let first: IteratorResult<Uint8Array, undefined> | null = await next();
  const begun: BegunPieces = {
    [Symbol.asyncIterator]: () => begun,
    next: () => {
      if (first === null) return next();
      const taken = first;
      first = null;
      return Promise.resolve(taken);
    },
    return: async () => {
      try {
        await pieces.return?.();
      } finally {
        end();
      }
      return { done: true, value: undefined };
    },
  };
  return begun;
}
