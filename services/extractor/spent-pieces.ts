import { isArrayBuffer } from 'node:util/types';
import type { GuardedClient } from '../../mixins/guarded-client/client.ts';

/**
 * A client for who is done with a piece of an answer when the next is asked for: its memory is given back then. Pieces of
 * up to `mostKept` bytes may be kept. To the engine the memory of pieces is growth of its heap. Where it is left to be
 * collected as garbage, a source that sends fast has the whole heap looked through several times a second: each time
 * requests stand still for some milliseconds, and go on beside a thread that takes a processor of its own.
 */
export function sparingClient(client: GuardedClient, mostKept: number): GuardedClient {
  async function* sparing(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
    for await (const piece of body) {
      yield piece;
      if (piece.byteLength > mostKept) giveBack(piece);
    }
  }
  return {
    request: async (url, options) => {
      const answer = await client.request(url, options);
      return { ...answer, body: sparing(answer.body) };
    },
    close: () => client.close(),
  };
}

/** Gives the memory of a piece back that nobody reads again. */
export function giveBack({ buffer, byteLength }: Uint8Array): void {
  // Where a piece is not alone in its memory, the others there are still to come, or somebody else's.
  if (byteLength === buffer.byteLength && isArrayBuffer(buffer)) buffer.transfer(0);
}
