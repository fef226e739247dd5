import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { guardedClient, type GuardedClient, type GuardedClientOptions } from './client.ts';
import type { Resolve } from './connector.ts';
import { limitBody } from './body.ts';

const servers: { close(): unknown; closeAllConnections?(): void }[] = [];
const clients: GuardedClient[] = [];
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
  for (const server of servers.splice(0)) {
    server.closeAllConnections?.();
    server.close();
  }
});

async function serve(listener: RequestListener): Promise<{ url: string; port: number; server: Server }> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, port, server };
}

function client(options: Partial<GuardedClientOptions> = {}): GuardedClient {
  const made = guardedClient({ privateNetworks: 'allow', ...options });
  clients.push(made);
  return made;
}

async function textOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const piece of body) parts.push(piece);
  return Buffer.concat(parts).toString();
}

/** A client that may not reach private addresses, with a given name resolution. */
const outside = (answers: readonly string[] | Resolve) =>
  client({ privateNetworks: 'deny', resolve: typeof answers === 'function' ? answers : async () => answers });

const refused = { name: 'RequestFailure', reason: 'refused' };

describe('the guarded client', () => {
  it('sends a request and reads the response', async () => {
    const { url } = await serve((request, response) => {
      response.setHeader('x-two', ['a', 'b']);
      response.end(
        `${request.method} ${request.url} ${String(request.headers['x-mine'])} ${request.headers['accept-encoding']}`,
      );
    });
    const answer = await client().request(`${url}/path?q=1`, { headers: { 'x-mine': 'yes' }, maxBytes: 1000 });
    expect(answer.status).toBe(200);
    expect(answer.header('x-two')).toBe('a, b');
    expect(answer.header('x-none')).toBeNull();
    expect(await textOf(answer.body)).toBe('GET /path?q=1 yes identity');
  });

  it('sends a body', async () => {
    const { url } = await serve((request, response) => void request.pipe(response));
    const answer = await client().request(url, { method: 'POST', body: 'hello', maxBytes: 1000 });
    expect(await textOf(answer.body)).toBe('hello');
  });

  it.each([
    '127.0.0.1',
    '127.1',
    '0x7f.1',
    '2130706433',
    '017700000001',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '[64:ff9b::7f00:1]',
    '0.0.0.0',
    '169.254.169.254',
    '168.63.129.16',
    '10.0.0.1',
  ])('refuses the literal %s', async (host) => {
    const asked: string[] = [];
    const resolve: Resolve = async (name) => {
      asked.push(name);
      return ['8.8.8.8'];
    };
    await expect(outside(resolve).request(`https://${host}/`, { maxBytes: 10 })).rejects.toMatchObject(refused);
    expect(asked).toEqual([]);
  });

  it.each([
    [['127.0.0.1']],
    [['::1']],
    [['8.8.8.8', '10.0.0.1']],
    [['8.8.8.8', '::ffff:169.254.169.254']],
    [['fd00::1']],
    [['not an address']],
  ])('refuses a name that resolves to %j', async (answers) => {
    await expect(outside(answers).request('https://example.com/', { maxBytes: 10 })).rejects.toMatchObject(refused);
  });

  it('refuses localhost in every spelling by its address', async () => {
    for (const host of ['localhost', 'LOCALHOST', 'localhost.', 'sub.localhost']) {
      const outcome = client({ privateNetworks: 'deny' }).request(`https://${host}/`, { maxBytes: 10 });
      await expect(outcome).rejects.toMatchObject({ reason: expect.stringMatching(/refused|unresolved/) });
    }
    await expect(
      client({ privateNetworks: 'deny' }).request('https://localhost/', { maxBytes: 10 }),
    ).rejects.toMatchObject(refused);
  });

  it('connects to the checked address, even if the name resolves to another one later', async () => {
    const { port } = await serve((_request, response) => response.end('inside'));
    const asked: string[] = [];
    // Only the first look-up returns the allowed private address, so a second look-up would fail the test.
    const resolve: Resolve = async (name) => {
      asked.push(name);
      return asked.length === 1 ? ['127.0.0.1'] : ['169.254.169.254'];
    };
    const rebinding = client({ resolve });
    const answer = await rebinding.request(`http://rebind.example:${port}/`, { maxBytes: 100 });
    expect(await textOf(answer.body)).toBe('inside');
    expect(asked).toEqual(['rebind.example']);

    let round = 0;
    const flipping = outside(async () => ((round += 1) === 1 ? ['127.0.0.1'] : ['8.8.8.8']));
    await expect(flipping.request('https://rebind.example/', { maxBytes: 100 })).rejects.toMatchObject(refused);
    expect(round).toBe(1);
  });

  it('tries the next address of a name if one does not respond', async () => {
    const { port } = await serve((_request, response) => response.end('second'));
    const both = client({ resolve: async () => ['127.0.0.2', '127.0.0.1'] });
    const answer = await both.request(`http://two.example:${port}/`, { maxBytes: 100 });
    expect(await textOf(answer.body)).toBe('second');
  });

  it('refuses http, other ports and user info for public hosts', async () => {
    const public_ = outside(['8.8.8.8']);
    await expect(public_.request('http://example.com/', { maxBytes: 10 })).rejects.toMatchObject(refused);
    await expect(public_.request('https://example.com:8443/', { maxBytes: 10 })).rejects.toMatchObject(refused);
    await expect(client().request('http://user:secret@127.0.0.1/', { maxBytes: 10 })).rejects.toMatchObject(refused);
    await expect(client().request('file:///etc/passwd', { maxBytes: 10 })).rejects.toMatchObject(refused);
    await expect(client().request('not an address', { maxBytes: 10 })).rejects.toMatchObject({ reason: 'malformed' });
  });

  it('follows no redirects', async () => {
    let asked = 0;
    const { url } = await serve((_request, response) => {
      asked += 1;
      response.writeHead(302, { location: '/elsewhere' }).end();
    });
    const answer = await client().request(url, { maxBytes: 10 });
    expect(answer.status).toBe(302);
    await textOf(answer.body);
    expect(asked).toBe(1);
  });

  it('ignores proxies of the environment', async () => {
    const proxied: string[] = [];
    const proxy = await serve((request, response) => {
      proxied.push(request.url ?? '');
      response.end('proxy');
    });
    const { url } = await serve((_request, response) => response.end('direct'));
    const before = { ...process.env };
    Object.assign(process.env, {
      HTTP_PROXY: proxy.url,
      http_proxy: proxy.url,
      ALL_PROXY: proxy.url,
      NODE_USE_ENV_PROXY: '1',
    });
    try {
      expect(await textOf((await client().request(url, { maxBytes: 100 })).body)).toBe('direct');
    } finally {
      process.env = before;
    }
    expect(proxied).toEqual([]);
  });

  it('limits the bytes of a response', async () => {
    const { url } = await serve((_request, response) => response.end('x'.repeat(1000)));
    const answer = await client().request(url, { maxBytes: 999 });
    await expect(textOf(answer.body)).rejects.toMatchObject({ name: 'RequestFailure', reason: 'too_large' });
    expect(await textOf((await client().request(url, { maxBytes: 1000 })).body)).toHaveLength(1000);
  });

  it('limits the headers of a response', async () => {
    const { url } = await serve((_request, response) =>
      response.setHeader('x-long', 'x'.repeat(15_000)).setHeader('y-long', 'y'.repeat(5000)).end(),
    );
    await expect(client().request(url, { maxBytes: 10 })).rejects.toMatchObject({ reason: 'malformed' });
  });

  it('refuses headers with line breaks', async () => {
    const { url } = await serve((_request, response) => response.end());
    await expect(
      client().request(url, { headers: { 'x-mine': 'a\r\nx-other: b' }, maxBytes: 10 }),
    ).rejects.toMatchObject({ reason: 'malformed' });
  });

  it('limits the time for headers, bytes and look-ups', async () => {
    const { url } = await serve((request, response) => {
      if (request.url === '/body') response.write('begun');
    });
    await expect(
      client({ limits: { headersMs: 300 } }).request(`${url}/headers`, { maxBytes: 10 }),
    ).rejects.toMatchObject({ reason: 'timeout' });
    await expect(
      textOf((await client({ limits: { idleMs: 300 } }).request(`${url}/body`, { maxBytes: 10 })).body),
    ).rejects.toMatchObject({ reason: 'timeout' });
    await expect(
      client({ limits: { connectMs: 300 }, resolve: () => new Promise(() => {}) }).request('http://slow.example/', {
        maxBytes: 10,
      }),
    ).rejects.toMatchObject({ reason: 'timeout' });
  });

  it('aborts a source that sends too slowly', async () => {
    const { url } = await serve((_request, response) => {
      const drip = setInterval(() => response.write('.'), 50);
      response.on('close', () => clearInterval(drip));
    });
    const answer = await client({ limits: { throughputMs: 500, minBytesPerSecond: 1000 } }).request(url, {
      maxBytes: 1e6,
    });
    await expect(textOf(answer.body)).rejects.toMatchObject({ reason: 'slow' });
  });

  it('does not count the time of a slow reader', async () => {
    let now = 0;
    const source = async function* (): AsyncGenerator<Uint8Array, void, undefined> {
      for (let piece = 0; piece < 8; piece += 1) yield Buffer.alloc(1000);
    };
    let bytes = 0;
    for await (const piece of limitBody(
      source(),
      { maxBytes: 1e6, throughputMs: 200, minBytesPerSecond: 100_000 },
      { host: 'source.example', now: () => now },
    )) {
      bytes += piece.byteLength;
      // The reader takes a second per thousand bytes; the source is immediate.
      now += 1000;
    }
    expect(bytes).toBe(8000);
  });

  it('reports each request once, by outcome', async () => {
    const { url } = await serve((request, response) => response.writeHead(request.url === '/' ? 204 : 404).end());
    const observed: string[] = [];
    const observing = client({
      observe: (outcome, seconds) => {
        expect(seconds).toBeGreaterThan(0);
        observed.push(outcome);
      },
    });
    for (const path of ['/', '/none']) await textOf((await observing.request(`${url}${path}`, { maxBytes: 10 })).body);
    await expect(observing.request('http://127.0.0.1:1/', { maxBytes: 10 })).rejects.toThrow();
    expect(observed).toEqual(['2xx', '4xx', 'failed']);
  });

  it('distinguishes broken responses from refused ones', async () => {
    const { url } = await serve((request, response) => {
      if (request.url === '/early') {
        response.writeHead(200, { 'content-length': 100 });
        response.write('only this', () => response.destroy());
      } else response.destroy();
    });
    await expect(client().request(url, { maxBytes: 10 })).rejects.toMatchObject({ reason: 'unreachable' });
    const answer = await client().request(`${url}/early`, { maxBytes: 1000 });
    await expect(textOf(answer.body)).rejects.toMatchObject({ reason: 'unreachable' });
    await expect(client().request('http://127.0.0.1:1/', { maxBytes: 10 })).rejects.toMatchObject({
      reason: 'unreachable',
    });
    await expect(
      client({ resolve: async () => Promise.reject(Object.assign(new Error('no'), { code: 'ENOTFOUND' })) }).request(
        'http://none.example/',
        { maxBytes: 10 },
      ),
    ).rejects.toMatchObject({ reason: 'unresolved' });

    const nonsense = createTcpServer((socket) =>
      socket.once('data', () => socket.end('this is no HTTP\r\n\r\n')),
    ).listen(0, '127.0.0.1');
    servers.push(nonsense);
    await once(nonsense, 'listening');
    await expect(
      client().request(`http://127.0.0.1:${(nonsense.address() as AddressInfo).port}/`, { maxBytes: 10 }),
    ).rejects.toMatchObject({ reason: 'malformed' });
  });

  it('can be aborted before and during a request', async () => {
    const { url } = await serve((_request, response) => void response.write('begun'));
    await expect(client().request(url, { maxBytes: 10, signal: AbortSignal.abort() })).rejects.toMatchObject({
      reason: 'aborted',
    });
    const control = new AbortController();
    const answer = await client().request(url, { maxBytes: 10, signal: control.signal });
    setTimeout(() => control.abort(), 50);
    await expect(textOf(answer.body)).rejects.toMatchObject({ reason: 'aborted' });
  });

  it('closes the connection of a discarded response', async () => {
    const { url, server } = await serve((_request, response) => void response.write('begun'));
    const answer = await client().request(url, { maxBytes: 10 });
    answer.discard();
    for (let i = 0; i < 100; i += 1) {
      const open = await new Promise<number>((resolve, reject) =>
        server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
      );
      if (open === 0) break;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    expect(await new Promise((resolve) => server.getConnections((_error, count) => resolve(count)))).toBe(0);
  });
});
