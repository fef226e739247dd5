import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeOperatorFile } from '../app/operator-file.ts';
import { readConfiguration, type Configuration } from '../models/configuration/configuration.ts';
import { connect, type RetryPolicy } from './connection.ts';

const folder = mkdtempSync(join(tmpdir(), 'ply-connection-'));
const organizationId = '7d3c2b1a-0000-4000-8000-000000000001';
let server: Server;
let url = '';
let answer: (response: ServerResponse) => void;

beforeAll(async () => {
  server = createServer((_request, response) => answer(response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

function configuration(apiUrl: string): Configuration {
  return readConfiguration({
    PLY_DATA_DIR: folder,
    PLY_API_URL: apiUrl,
    PLY_API_KEY: 'ply_0123456789012345678901',
    PLY_ORGANIZATION_ID: organizationId,
  });
}

describe('errors of the command line', () => {
  it('without a key', async () => {
    await expect(connect(readConfiguration({ PLY_DATA_DIR: folder }))).rejects.toThrow(
      /npm start .* or set PLY_API_URL, PLY_API_KEY and PLY_ORGANIZATION_ID/,
    );
  });

  it('without a server', async () => {
    const connection = await connect(configuration('http://127.0.0.1:9'));
    await expect(connection.ask('GET', '/assets')).rejects.toThrow(
      /does not respond at http:\/\/127\.0\.0\.1:9 .*Start it with: npm start/,
    );
  });

  it('with another server', async () => {
    answer = (response) => response.end('<html>');
    const connection = await connect(configuration(url));
    await expect(connection.ask('GET', '/assets')).rejects.toThrow(/is not Ply \(status 200\)\. Set PLY_API_URL/);
  });

  it('with a refused key', async () => {
    answer = (response) =>
      response.writeHead(401).end('{"code":"invalid_api_key","detail":"The API key is unknown.\\u001b[2J"}');
    const connection = await connect(configuration(url));
    await expect(connection.ask('GET', '/assets')).rejects.toThrow(
      'GET /assets was answered 401 invalid_api_key: The API key is unknown. [2J Set PLY_API_KEY and PLY_ORGANIZATION_ID; npm run ply -- keys lists the keys, and keys create adds one.',
    );
  });
});

describe('a connection', () => {
  it('waits for Retry-After after too many requests', async () => {
    let asked = 0;
    answer = (response) => {
      asked++;
      if (asked === 1)
        response.writeHead(429, { 'Retry-After': '1' }).end('{"code":"rate_limited","detail":"Too many"}');
      else response.end('{"total":3}');
    };
    const connection = await connect(configuration(url));
    expect(await connection.ask('GET', '/assets')).toEqual({ total: 3 });
    expect(asked).toBe(2);
  });

  const retrying = (forMs: number): { said: (string | null)[]; retries: RetryPolicy } => {
    const said: (string | null)[] = [];
    return {
      said,
      retries: { forMs, signal: new AbortController().signal, report: (reason) => void said.push(reason) },
    };
  };
  const away = '{"code":"content_service_unavailable","detail":"A store is away.","retryable":true}';

  it('with retries repeats what can be retried, with the same Idempotency-Key, and says so once', async () => {
    const answers: ((response: ServerResponse) => void)[] = [
      (response) => response.end('{"first":true}'),
      (response) => response.writeHead(503, { 'Retry-After': '1' }).end(away),
      (response) => response.writeHead(502).end('<html>Bad gateway'),
      // The response is lost.
      (response) => response.socket?.destroy(),
      (response) =>
        response.writeHead(409).end('{"code":"idempotency_conflict","detail":"It still runs.","retryable":true}'),
      (response) => response.end('{"total":3}'),
    ];
    const keys: unknown[] = [];
    const note = (request: IncomingMessage): void => void keys.push(request.headers['idempotency-key']);
    server.on('request', note);
    answer = (response) => answers.shift()?.(response);
    const { said, retries } = retrying(60_000);
    const connection = await connect(configuration(url), retries);
    expect(await connection.ask('GET', '/capabilities')).toEqual({ first: true });
    expect(await connection.ask('POST', '/imports', {}, 'key')).toEqual({ total: 3 });
    server.off('request', note);
    expect(keys).toEqual([undefined, 'key', 'key', 'key', 'key', 'key']);
    expect(said).toEqual(['POST /imports was answered 503 content_service_unavailable: A store is away.', null]);
  });

  it('with retries ends in time, and does not wait for a program that never responded', async () => {
    answer = (response) => response.writeHead(503).end(away);
    const { retries } = retrying(1500);
    const began = performance.now();
    await expect((await connect(configuration(url), retries)).ask('GET', '/assets')).rejects.toThrow(/503/);
    expect(performance.now() - began).toBeGreaterThan(1500);
    const stopped = new AbortController();
    stopped.abort();
    const none = { ...retrying(60_000).retries, signal: stopped.signal };
    await expect((await connect(configuration(url), none)).ask('GET', '/assets')).rejects.toThrow(/503/);
    const absent = await connect(configuration('http://127.0.0.1:9'), retrying(60_000).retries);
    await expect(absent.ask('GET', '/assets')).rejects.toThrow(/Start it with: npm start/);
  });

  it('without retries reports an unavailable service at once', async () => {
    let asked = 0;
    answer = (response) => {
      asked++;
      response.writeHead(503, { 'Retry-After': '1' }).end(away);
    };
    await expect((await connect(configuration(url))).ask('GET', '/assets')).rejects.toThrow(/503/);
    expect(asked).toBe(1);
  });

  it('reports an exhausted quota, which no waiting changes', async () => {
    answer = (response) => response.writeHead(429).end('{"code":"quota_exceeded","detail":"The quota is reached."}');
    const { retries } = retrying(60_000);
    await expect((await connect(configuration(url), retries)).ask('GET', '/assets')).rejects.toThrow(/quota_exceeded/);
  });

  it('uses the address and key in the data folder', async () => {
    const data = join(folder, 'data');
    await writeOperatorFile(data, { apiUrl: url, organizationId, key: 'ply_the_first_standard_key' });
    server.once('request', (request) =>
      expect(request.headers['authorization']).toBe('ApiKey ply_the_first_standard_key'),
    );
    answer = (response) => response.end('{}');
    const connection = await connect(readConfiguration({ PLY_DATA_DIR: data }));
    expect(connection).toMatchObject({ apiUrl: url, organizationId });
    expect(await connection.ask('GET', '/assets')).toEqual({});
  });
});
