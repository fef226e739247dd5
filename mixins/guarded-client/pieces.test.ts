import { Readable } from 'node:stream';
import { piecesOf } from './pieces.ts';

/** A body that has three pieces before it is read; then it fails, or ends. */
function bodyOf(failure: Error | null): { body: Readable; sent: Buffer[] } {
  const sent = [1, 2, 3].map((each) => Buffer.alloc(1000, each));
  const body = new Readable({ read: () => undefined });
  for (const piece of sent) body.push(piece);
  if (failure === null) body.push(null);
  else setTimeout(() => body.destroy(failure), 20);
  return { body, sent };
}

describe('the pieces of a body', () => {
  it('are those that came, and no copies of several', async () => {
    const { body, sent } = bodyOf(null);
    const seen: Uint8Array[] = [];
    for await (const piece of piecesOf(body)) {
      // Whoever is slow gets them one by one as well.
      await new Promise((resolve) => setTimeout(resolve, 5));
      seen.push(piece);
    }
    expect(seen.map(({ buffer }) => sent.findIndex((piece) => piece.buffer === buffer))).toEqual([0, 1, 2]);
  });

  it('come before the failure of their stream', async () => {
    const { body } = bodyOf(new Error('broken'));
    const seen: number[] = [];
    const reading = (async () => {
      for await (const piece of piecesOf(body)) seen.push(piece[0] ?? 0);
    })();
    await expect(reading).rejects.toThrow('broken');
    expect(seen).toEqual([1, 2, 3]);
  });

  it('end the stream when their reader leaves', async () => {
    const { body } = bodyOf(null);
    for await (const piece of piecesOf(body)) if (piece[0] === 1) break;
    expect(body.destroyed).toBe(true);
  });
});
