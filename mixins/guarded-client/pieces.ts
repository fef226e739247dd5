import { finished, type Readable } from 'node:stream';

/**
 * The pieces of a body as they came from the network. A stream that is read by a loop hands on all that it holds by then
 * as one copy: of a source that sends fast every byte would take its room in memory twice.
 * @throws what the stream fails with
 */
export async function* piecesOf(body: Readable): AsyncGenerator<Uint8Array, void, undefined> {
  const arrived: Uint8Array[] = [];
  const end: { isThere: boolean; failure: Error | null } = { isThere: false, failure: null };
  let wake = (): void => undefined;
  body.on('data', (piece: Uint8Array) => {
    arrived.push(piece);
    body.pause();
    wake();
  });
  // Whoever waits is woken by the end and by a failure alike; what came before is handed on first.
  finished(body, { writable: false }, (error) => {
    end.isThere = true;
    end.failure = error ?? null;
    wake();
  });
  try {
    for (;;) {
      const piece = arrived.shift();
      if (piece !== undefined) yield piece;
      else if (end.isThere) break;
      else await new Promise<void>((resolve) => {
        wake = resolve;
        body.resume();
      });
    }
    if (end.failure !== null) throw end.failure;
  } finally {
    body.destroy();
  }
}
