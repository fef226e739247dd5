import { request as send, type ClientRequest, type IncomingMessage } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { ServiceBroker, type ServiceSchema } from 'moleculer';
import { pino } from 'pino';
import { readConfiguration } from '../../../models/configuration/configuration.ts';
import { Refusal } from '../../../models/errors.ts';
import { systemRuntime } from '../../../models/runtime.ts';
import { required } from '../../../models/schemas/schema.ts';
import { uuid } from '../../../models/schemas/values.ts';
import { Lifecycle } from '../../lifecycle.ts';
import { Metrics } from '../../metrics.ts';
import { noTracing } from '../../tracing.ts';
import { Listeners } from '../listeners.ts';
import { addByteListener, type ByteContext } from './byte-listener.ts';
import { byteRoute } from './byte-route.ts';

const mebibyte = 2 ** 20;
const id = 'aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa';
const organizationId = '11111111-1111-4111-8111-111111111111';
/** Length of the large file, and what may be ahead of its reader: buffers of the process and of both sockets. */
const largeBytes = 64 * mebibyte;
const maxAhead = 16 * mebibyte;

/** What the test service saw. */
interface Seen {
  /** Bytes read from the large file for downloads, and bytes taken from uploads. */
  read: number;
  taken: number;
  /** Downloads whose source was closed. */
  closed: number;
  failures: string[];
}

/** A service that keeps files in memory and serves their bytes at a listener of its own. */
function filesService(app: ByteContext, seen: Seen, takeNext: () => Promise<void>): ServiceSchema {
  const small = Buffer.from('0123456789');
  const lastModified = Date.parse('Tue, 03 Mar 2026 10:00:00 GMT');
  async function* large(from: number, to: number): AsyncGenerator<Buffer> {
    try {
      for (let sent = from; sent <= to; sent += 65_536) {
        const piece = Buffer.alloc(Math.min(65_536, to + 1 - sent), 1);
        seen.read += piece.length;
        yield piece;
      }
    } finally {
      seen.closed += 1;
    }
  }
  async function* part(from: number, to: number): AsyncGenerator<Buffer> {
    yield small.subarray(from, to + 1);
  }
  const params = { id: required(uuid) };
  return {
    name: 'files',
    created() {
      addByteListener(app, {
        name: 'files',
        host: '127.0.0.1',
        port: 0,
        authenticate: ({ request }) =>
          request.headers.authorization === 'Bearer good'
            ? Promise.resolve({ organizationId })
            : Promise.reject(new Refusal('invalid_api_key')),
        failureFormat: ({ type }) => ({ body: `<Error><Code>${type}</Code></Error>`, type: 'application/xml' }),
        routes: [
          byteRoute({
            method: 'GET',
            path: '/files/{id}',
            params,
            query: {},
            handle: () =>
              Promise.resolve({
                size: small.length,
                type: 'text/plain',
                etag: '"v1"',
                lastModified,
                headers: { 'Cache-Control': 'private' },
                read: ({ from, to }) => part(from, to),
              }),
          }),
          byteRoute({
            method: 'GET',
            path: '/large',
            params: {},
            query: {},
            handle: () =>
              Promise.resolve({
                size: largeBytes,
                type: 'application/octet-stream',
                read: ({ from, to }) => large(from, to),
              }),
          }),
          byteRoute({
            method: 'GET',
            path: '/short',
            params: {},
            query: {},
            handle: () => Promise.resolve({ size: 20, type: 'text/plain', read: () => part(0, 9) }),
          }),
          byteRoute({
            method: 'PUT',
            path: '/files/{id}',
            params,
            query: {},
            handle: async ({ body, request }, caller: { organizationId: string }) => {
              try {
                for await (const piece of body({ maxBytes: largeBytes, idleTimeoutMs: 500 })) {
                  await takeNext();
                  seen.taken += piece.length;
                }
              } catch (error) {
                seen.failures.push(error instanceof Error ? error.name : 'no error');
                throw error;
              }
              return { status: 201, body: JSON.stringify({ ...caller, type: request.headers['content-type'] }) };
            },
          }),
        ],
      });
    },
  };
}

describe('a listener of bytes', () => {
  let app: ByteContext;
  let broker: ServiceBroker;
  let seen: Seen;
  let port: number;
  let takeNext: () => Promise<void>;
  beforeEach(async () => {
    seen = { read: 0, taken: 0, closed: 0, failures: [] };
    takeNext = () => Promise.resolve();
    app = {
      configuration: readConfiguration({}),
      runtime: systemRuntime,
      log: pino({ level: 'silent' }),
      metrics: new Metrics(),
      tracing: noTracing,
      lifecycle: new Lifecycle(),
      listeners: new Listeners(),
    };
    broker = new ServiceBroker({ logger: false, skipProcessEventRegistration: true });
    broker.createService(filesService(app, seen, () => takeNext()));
    await broker.start();
    await app.lifecycle.start();
    port = Number(new URL(app.listeners.url('files') ?? '').port);
  });
  afterEach(async () => {
    await app.lifecycle.stop(200);
    await broker.stop();
  });

  const open = (
    path: string,
    { method = 'GET', headers = {} }: { method?: string; headers?: { [name: string]: string | number } } = {},
  ): ClientRequest => {
    const all = { authorization: 'Bearer good', ...headers };
    const request = send({ host: '127.0.0.1', port, path, method, headers: all });
    request.on('error', () => undefined);
    return request;
  };
  const responseOf = (request: ClientRequest): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => request.once('response', resolve).once('error', reject));
  const textOf = async (response: IncomingMessage): Promise<string> => {
    const chunks: Buffer[] = [];
    for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk);
    return Buffer.concat(chunks).toString();
  };
  const get = async (
    path: string,
    headers: { [name: string]: string } = {},
    method = 'GET',
  ): Promise<{ status: number | undefined; headers: IncomingMessage['headers']; text: string }> => {
    const request = open(path, { method, headers });
    request.end();
    const response = await responseOf(request);
    return { status: response.statusCode, headers: response.headers, text: await textOf(response) };
  };
  /** Waits until a figure stays the same for a while. */
  const settled = async (figure: () => number): Promise<number> => {
    for (let last = -1; ; await pause(100)) {
      if (figure() === last) return last;
      last = figure();
    }
  };

  it('is listed with its name, address and state', async () => {
    expect(app.listeners.all).toEqual([{ name: 'files', scheme: 'http', host: '127.0.0.1', port, state: 'listening' }]);
    await app.lifecycle.stop(200);
    expect(app.listeners.all[0]?.state).toBe('stopped');
  });

  it('serves whole representations, ranges and HEAD', async () => {
    const whole = await get(`/files/${id}`);
    expect([whole.status, whole.text]).toEqual([200, '0123456789']);
    expect(whole.headers).toMatchObject({
      'accept-ranges': 'bytes',
      'cache-control': 'private',
      'content-length': '10',
      'content-type': 'text/plain',
      etag: '"v1"',
      'last-modified': 'Tue, 03 Mar 2026 10:00:00 GMT',
    });
    const part = await get(`/files/${id}`, { range: 'bytes=2-4' });
    expect([part.status, part.text, part.headers['content-range'], part.headers['content-length']]).toEqual([
      206,
      '234',
      'bytes 2-4/10',
      '3',
    ]);
    const head = await get(`/files/${id}`, { range: 'bytes=2-4' }, 'HEAD');
    expect([head.status, head.text, head.headers['content-length']]).toEqual([200, '', '10']);
  });

  it('refuses ranges outside of the representation, and answers conditional requests', async () => {
    const outside = await get(`/files/${id}`, { range: 'bytes=10-' });
    expect([outside.status, outside.headers['content-range'], outside.text]).toEqual([416, 'bytes */10', '']);
    const known = await get(`/files/${id}`, { 'if-none-match': '"v1"' });
    expect([known.status, known.headers.etag, known.text]).toEqual([304, '"v1"', '']);
    expect((await get(`/files/${id}`, { 'if-match': '"v0"' })).status).toBe(412);
    expect((await get(`/files/${id}`, { range: 'bytes=2-4', 'if-range': '"v0"' })).text).toBe('0123456789');
  });

  it('checks the client before the route, and the path, with errors in its own format', async () => {
    const stranger = await get('/nowhere', { authorization: 'Bearer bad' });
    expect([stranger.status, stranger.headers['content-type'], stranger.text]).toEqual([
      401,
      'application/xml',
      '<Error><Code>invalid_api_key</Code></Error>',
    ]);
    expect((await get('/nowhere')).status).toBe(404);
    const wrong = await get(`/files/${id}`, {}, 'DELETE');
    expect([wrong.status, wrong.headers.allow]).toEqual([405, 'GET, HEAD, PUT']);
    expect((await get('/files/x')).text).toContain('validation_error');
  });

  it('has backpressure for a slow reader, and closes the source of an aborted download', async () => {
    const request = open('/large');
    request.end();
    const response = await responseOf(request);
    expect(await settled(() => seen.read)).toBeLessThan(maxAhead);
    expect(seen.closed).toBe(0);
    response.destroy();
    while (seen.closed === 0) await pause(10);
    expect(seen.read).toBeLessThan(maxAhead);
  });

  it('sends a large range in full', async () => {
    const request = open('/large', { headers: { range: `bytes=${mebibyte}-` } });
    request.end();
    const response = await responseOf(request);
    let bytes = 0;
    for await (const chunk of response as AsyncIterable<Buffer>) bytes += chunk.length;
    expect([response.statusCode, bytes]).toEqual([206, largeBytes - mebibyte]);
    expect(seen.read).toBe(largeBytes - mebibyte);
  });

  it('closes the connection if the source ends early', async () => {
    await expect(get('/short')).rejects.toThrow(/aborted|socket hang up/);
  });

  it('has backpressure for a large upload', async () => {
    let write = (): void => undefined;
    const blocked = new Promise<void>((resolve) => (write = resolve));
    takeNext = () => blocked;
    const total = 32 * mebibyte;
    const request = open(`/files/${id}`, {
      method: 'PUT',
      headers: { 'content-length': total, 'content-type': 'application/json' },
    });
    let sent = 0;
    const chunk = Buffer.alloc(65_536, 2);
    const fill = (): void => {
      while (sent < total) {
        sent += chunk.length;
        if (!request.write(chunk)) return;
      }
      request.end();
    };
    request.on('drain', fill);
    fill();
    expect(await settled(() => sent)).toBeLessThan(maxAhead);
    expect(seen.taken).toBe(0);
    write();
    const response = await responseOf(request);
    expect([response.statusCode, JSON.parse(await textOf(response))]).toEqual([
      201,
      { organizationId, type: 'application/json' },
    ]);
    expect(seen.taken).toBe(total);
  });

  it('refuses a too large upload before its body is sent', async () => {
    const request = open(`/files/${id}`, {
      method: 'PUT',
      headers: { 'content-length': largeBytes + 1, expect: '100-continue' },
    });
    let continued = false;
    request.on('continue', () => (continued = true));
    request.flushHeaders();
    const response = await responseOf(request);
    expect([response.statusCode, continued]).toEqual([413, false]);
    request.destroy();
  });

  it.each(['hangs up', 'sends nothing more'])('ends an upload whose client %s', async (what) => {
    const request = open(`/files/${id}`, { method: 'PUT', headers: { 'content-length': mebibyte } });
    request.write(Buffer.alloc(1000));
    while (seen.taken === 0) await pause(10);
    if (what === 'hangs up') request.destroy();
    while (seen.failures.length === 0) await pause(10);
    expect(seen.failures).toEqual(['BodyLost']);
    const began = performance.now();
    await app.lifecycle.stop(5000);
    expect(performance.now() - began).toBeLessThan(2000);
  });

  it('stops with an open download after its timeout', async () => {
    const request = open('/large');
    request.end();
    const response = await responseOf(request);
    response.on('error', () => undefined);
    await settled(() => seen.read);
    const began = performance.now();
    await app.lifecycle.stop(500);
    const took = performance.now() - began;
    expect([took >= 450, took < 3000]).toEqual([true, true]);
    while (seen.closed === 0) await pause(10);
    expect(app.listeners.all[0]?.state).toBe('stopped');
  });
});
