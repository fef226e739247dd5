import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { GuardedAnswer, GuardedClient } from '../../mixins/guarded-client/client.ts';
import { guardedClient } from '../../mixins/guarded-client/client.ts';
import { downloadSource } from '../../mixins/sources/download.ts';
import { sparingClient } from './spent-pieces.ts';

function clientOf(pieces: readonly Uint8Array[]): GuardedClient {
  async function* body(): AsyncGenerator<Uint8Array, void, undefined> {
    yield* pieces;
  }
  const answer = (): GuardedAnswer => ({ status: 200, header: () => null, body: body(), discard: () => undefined });
  return { request: async () => answer(), close: async () => undefined };
}

it('gives the memory of a piece back when the next is asked for, of those that are alone in theirs and are not kept', async () => {
  const shared = new Uint8Array(3000);
  const pieces = [new Uint8Array(2000), new Uint8Array(1000), shared.subarray(0, 1500), shared.subarray(1500), new Uint8Array(2000)];
  const { body } = await sparingClient(clientOf(pieces), 1000).request('https://files.example/a', { maxBytes: 10_000 });
  const seen: number[] = [];
  for await (const piece of body) seen.push(piece.byteLength);
  expect(seen).toEqual([2000, 1000, 1500, 1500, 2000]);
  expect(pieces.map(({ byteLength }) => byteLength)).toEqual([0, 1000, 1500, 1500, 0]);
});

it('leaves a file that is read through it as it is, in pieces of any size, held or not', async () => {
  const content = randomBytes(3_000_000);
  const server = createServer((request, response) => {
    const end = Number((request.url ?? '').replace(/\D/g, ''));
    response.setHeader('etag', '"1"');
    if (request.url?.startsWith('/whole') === true) response.setHeader('content-length', end);
    for (let at = 0, length = 1; at < end; at += length, length = (length * 3) % 200_003) response.write(content.subarray(at, Math.min(end, at + length)));
    response.end();
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', () => done()));
  const folder = mkdtempSync(join(tmpdir(), 'ply-pieces-'));
  const plain = guardedClient({ privateNetworks: 'allow' });
  const mostHeld = 32 * 1024;
  try {
    for (const bytes of [1000, mostHeld, mostHeld + 1, 65_536, 100_000, content.length]) {
      for (const way of ['whole', 'chunked']) {
        const path = join(folder, `${way}-${bytes}`);
        const read = { address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/${way}/${bytes}`, sourceVersion: '"1"', maxBytes: bytes, client: sparingClient(plain, mostHeld), isVerified: () => false };
        const { content: held } = await downloadSource(read, path, mostHeld);
        expect(held === null).toBe(bytes > mostHeld);
        expect((held ?? readFileSync(path)).equals(content.subarray(0, bytes))).toBe(true);
      }
    }
  } finally {
    await plain.close();
    server.closeAllConnections();
    server.close();
    await rm(folder, { recursive: true, force: true });
  }
});
