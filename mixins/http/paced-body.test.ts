import { createServer, request as send, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { readPacedBody } from './paced-body.ts';

describe('a body that is read at a pace', () => {
  let server: Server;
  let port: number;
  let read: { bytes: number; outcome: string }[];
  let consume: () => Promise<void>;
  beforeEach(async () => {
    read = [];
    consume = () => Promise.resolve();
    server = createServer((request, response) => {
      const seen = { bytes: 0, outcome: '' };
      read.push(seen);
      void (async () => {
        try {
          for await (const piece of readPacedBody(request, response, { minBytes: 2000, seconds: 2 })) {
            seen.bytes += piece.length;
            await consume();
          }
          seen.outcome = 'read';
        } catch (error) {
          seen.outcome = error instanceof Error && 'type' in error ? String(error.type) : String(error);
        }
        response.end(seen.outcome);
      })();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    port = (server.address() as AddressInfo).port;
  });
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  /** Sends pieces with pauses, and returns the answer; null if it leaves without waiting for one. */
  function ask(pieces: readonly [bytes: number, pauseMs: number][], leaves = false): Promise<string | null> {
    const length = pieces.reduce((sum, [bytes]) => sum + bytes, 0);
    return new Promise((resolve, reject) => {
      const request = send(
        { host: '127.0.0.1', port, method: 'PUT', headers: { 'Content-Length': length + (leaves ? 1 : 0) } },
        (response) => {
          let text = '';
          response.on('data', (data) => (text += String(data))).on('end', () => resolve(text));
        },
      );
      request.on('error', (error) => (leaves ? resolve(null) : reject(error)));
      void (async () => {
        for (const [bytes, pauseMs] of pieces) {
          if (request.destroyed || request.writableEnded) return;
          request.write(Buffer.alloc(bytes));
          await pause(pauseMs);
        }
        if (leaves) request.destroy();
        else request.end();
      })();
    });
  }

  it('is read whole where enough comes in each span', async () => {
    expect(await ask(Array.from({ length: 8 }, () => [600, 400]))).toBe('read');
    expect(read[0]?.bytes).toBe(4800);
  });

  it('is refused where too little comes, or nothing', async () => {
    const trickle = Array.from({ length: 12 }, (): [number, number] => [100, 300]);
    const [slow, stuck] = await Promise.all([
      ask(trickle),
      ask([
        [1900, 4500],
        [10, 0],
      ]),
    ]);
    expect([slow, stuck]).toEqual(['upload_too_slow', 'upload_too_slow']);
  });

  it('is not refused for the time that its consumer takes', async () => {
    consume = () => pause(3000);
    expect(await ask([[1000, 0]])).toBe('read');
  });

  it('is lost with its client', async () => {
    expect(await ask([[1000, 50]], true)).toBe(null);
    await pause(100);
    expect(read[0]?.outcome).toContain('BodyLost');
  });
});
