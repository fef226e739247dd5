import { Readable } from 'node:stream';
import { giveBack } from './port.ts';

/**
 * The body of a request, for clients that pipe it into the connection: a piece is written when the connection has taken the
 * one before, which is given back then. A pipe would leave up to 64 MiB of them to the garbage collector. It ends with an
 * error where the pieces do.
 */
export class SentBody extends Readable {
  readonly #pieces: AsyncIterable<Uint8Array>;

  constructor(pieces: AsyncIterable<Uint8Array>) {
    // Nothing is read from it: a pipe takes the pieces themselves.
    super({ read: () => undefined });
    this.#pieces = pieces;
  }

  override pipe<T extends NodeJS.WritableStream>(connection: T): T {
    this.#writeTo(connection).catch((error: unknown) => {
      this.destroy(error instanceof Error ? error : new Error(String(error)));
    });
    return connection;
  }

  async #writeTo(connection: NodeJS.WritableStream): Promise<void> {
    for await (const piece of this.#pieces) {
      if (this.destroyed || !(await isTaken(connection, piece))) return;
      giveBack(piece);
    }
    connection.end();
  }
}

/** Writes a piece; false if the connection has ended, of which whoever made the request is told. */
function isTaken(connection: NodeJS.WritableStream, piece: Uint8Array): Promise<boolean> {
  return new Promise((resolve) => {
    const closed = (): void => resolve(false);
    connection.once('close', closed);
    connection.write(piece, (error) => {
      connection.off('close', closed);
      resolve(error === null || error === undefined);
    });
  });
}
