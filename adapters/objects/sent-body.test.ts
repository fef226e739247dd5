import { randomBytes } from 'node:crypto';
import { createServer, request, type IncomingMessage } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { SentBody } from './sent-body.ts';

describe('a body that is sent to a store', () => {
  /** Pipes a body into a request to a server. @returns what the server read of it, and the error of the body */
  async function send(
    pieces: AsyncIterable<Uint8Array>,
    bytes: number,
    take: (received: IncomingMessage) => Promise<void>,
  ): Promise<{ status: number | null; failure: Error | null }> {
    const server = createServer((received, response) => {
      void take(received).then(() => response.end());
    });
    const port = await new Promise<number>((resolve, reject) => {
      server.listen(0, '127.0.0.1', () => {
        const address = server.address();
        if (typeof address === 'object' && address !== null) resolve(address.port);
        else reject(new Error('the server has no port'));
      });
    });
    try {
      return await new Promise((resolve) => {
        const sent = request({ port, host: '127.0.0.1', method: 'PUT', headers: { 'Content-Length': bytes } });
        const body = new SentBody(pieces);
        let failure: Error | null = null;
        const end = (status: number | null): void => resolve({ status, failure });
        body.once('error', (error) => {
          failure = error;
          sent.destroy();
        });
        sent.once('response', ({ statusCode = 0 }) => end(statusCode)).once('error', () => undefined);
        sent.once('close', () => end(null));
        body.pipe(sent);
      });
    } finally {
      server.closeAllConnections();
      server.close();
    }
  }

  const bytes = Array.from({ length: 12 }, () => randomBytes(100_000));
  const given: Uint8Array[] = [];
  async function* pieces(times = 1): AsyncGenerator<Uint8Array> {
    given.length = 0;
    for (let time = 0; time < times; time += 1)
      for (const each of bytes) {
        const piece = new Uint8Array(each);
        given.push(piece);
        yield piece;
      }
  }

  it('arrives whole where it is read slowly, and gives each piece back', async () => {
    const received: Buffer[] = [];
    const { status, failure } = await send(pieces(), 1_200_000, async (incoming) => {
      for await (const piece of incoming as AsyncIterable<Buffer>) {
        received.push(piece);
        await pause(2);
      }
    });
    expect([status, failure]).toEqual([200, null]);
    expect(Buffer.concat(received).equals(Buffer.concat(bytes))).toBe(true);
    expect(given.map(({ byteLength }) => byteLength)).toEqual(bytes.map(() => 0));
  });

  it('fails where its pieces do', async () => {
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield randomBytes(100_000);
      throw new Error('the client went away');
    }
    const { status, failure } = await send(broken(), 200_000, async (incoming) => {
      await incoming.toArray().catch(() => undefined);
    });
    expect(status).toBeNull();
    expect(failure?.message).toBe('the client went away');
  });

  it('takes no more pieces when the connection has ended', async () => {
    const times = 20;
    const { status, failure } = await send(pieces(times), times * 1_200_000, async (incoming) => {
      incoming.socket.destroy();
      await pause(1);
    });
    expect([status, failure]).toEqual([null, null]);
    await pause(20);
    expect(given.length).toBeLessThan(times * bytes.length);
  });
});
