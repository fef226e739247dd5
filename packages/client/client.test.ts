import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Ply, PlyConnectionError, PlyError } from './src/index.ts';

/** A server whose answers are given in turn; the last one is repeated. */
async function serve(
  ...answers: ((request: IncomingMessage, response: ServerResponse) => void)[]
): Promise<{ ply: Ply; requests: IncomingMessage[]; server: Server }> {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    request.resume();
    answers[Math.min(requests.length, answers.length) - 1]?.(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  servers.push(server);
  const { port } = server.address() as AddressInfo;
  const ply = new Ply({ url: `http://127.0.0.1:${port}`, key: 'k', organizationId: 'o', maxRetryAfter: 5 });
  return { ply, requests, server };
}

const servers: Server[] = [];
afterAll(() => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
});

const refuse =
  (status: number, code: string, headers: Record<string, string> = {}) =>
  (_: IncomingMessage, response: ServerResponse): void => {
    response.writeHead(status, { 'X-Request-Id': 'r-1', ...headers });
    response.end(JSON.stringify({ code, detail: 'why', ...(status === 503 ? { retryable: true } : {}) }));
  };
const answer = (body: object) => (_: IncomingMessage, response: ServerResponse) =>
  void response.end(JSON.stringify(body));
const drop = ({ socket }: IncomingMessage): void => void socket.destroy();

describe('a call', () => {
  it('waits as long as Retry-After says, and sends the same Idempotency-Key again', async () => {
    const { ply, requests } = await serve(
      refuse(503, 'content_service_unavailable', { 'Retry-After': '1' }),
      answer({ ok: 1 }),
    );
    const from = performance.now();
    const body = { sourceUrl: 'https://example.com/a.txt', sourceVersion: '1', externalId: 'a', filename: 'a.txt' };
    expect(await ply.call('registerAsset', { body: { ...body, kind: 'document' } })).toEqual({ ok: 1 });
    expect(performance.now() - from).toBeGreaterThan(990);
    const keys = requests.map(({ headers }) => headers['idempotency-key']);
    expect([keys.length, new Set(keys).size, keys[0]]).toEqual([2, 1, expect.stringMatching(/^[0-9a-f-]{36}$/)]);
  });

  it('that may not be repeated is repeated only after a rate limit', async () => {
    const limited = await serve(refuse(429, 'rate_limited', { 'Retry-After': '0' }), answer({ externalId: 'c' }));
    const body = { name: 'c', documents: [] };
    expect(await limited.ply.call('createCollection', { body })).toEqual({ externalId: 'c' });
    for (const failing of [refuse(503, 'content_service_unavailable'), drop]) {
      const { ply, requests } = await serve(failing, answer({}));
      const error = await ply.call('createCollection', { body }).catch((thrown: unknown) => thrown);
      expect([requests.length, error instanceof PlyError || error instanceof PlyConnectionError]).toEqual([1, true]);
    }
  });

  it('that reads is repeated after a lost connection', async () => {
    const { ply, requests } = await serve(drop, answer({ items: [] }));
    expect(await ply.call('readSynonyms')).toEqual({ items: [] });
    expect(requests).toHaveLength(2);
  });

  it('does not wait longer than asked, and ends with its signal', async () => {
    const { ply } = await serve(refuse(429, 'rate_limited', { 'Retry-After': '3600' }));
    await expect(ply.call('readPlan')).rejects.toMatchObject({
      code: 'rate_limited',
      retryAfter: 3600,
      requestId: 'r-1',
    });
    const slow = await serve(refuse(429, 'rate_limited', { 'Retry-After': '5' }));
    const from = performance.now();
    const aborted = slow.ply.call('readPlan', {}, { signal: AbortSignal.timeout(200) });
    await expect(aborted).rejects.toMatchObject({ name: 'TimeoutError' });
    expect(performance.now() - from).toBeLessThan(4000);
  });

  it('tells what is no answer of the API', async () => {
    const { ply } = await serve((_, response) => void response.writeHead(404).end('<html>'));
    await expect(ply.call('readPlan')).rejects.toMatchObject({ status: 404, code: 'unknown_answer' });
  });
});
