import { request as rawRequest } from 'node:http';
import { gzipSync } from 'node:zlib';
import type { ConnectorView } from '../../models/connector.ts';
import {
  content,
  expectRefused,
  until,
  type Answer,
  type Client,
  type ErrorBody,
  type Expected,
} from './support/client.ts';
import { startTestProgram, type TestProgram } from './support/program.ts';

const path = `${content}/connectors`;
const config = { endpoint: 'http://127.0.0.1:9', bucket: 'files', region: 'x', prefix: '', accessKeyId: 'k' };

let program: TestProgram;
let owner: Client;
beforeAll(async () => {
  // The proxy is trusted, so that each test can be another sender.
  program = await startTestProgram({ PLY_PUBLIC_URL: 'https://ply.example.com', PLY_TRUSTED_PROXIES: '127.0.0.0/8' });
  owner = program.standard;
});
afterAll(() => program.end());

let made = 0;
async function create(fields: { [name: string]: unknown } = {}): Promise<ConnectorView & { address: string }> {
  made += 1;
  const connector = await owner.get<ConnectorView>(201, 'POST', path, {
    body: { kind: 's3', name: `notified ${made}`, config, ...fields },
  });
  return { ...connector, address: new URL(connector.notifyUrl ?? '').pathname };
}
const read = ({ connectorId }: ConnectorView): Promise<ConnectorView> =>
  owner.get(200, 'GET', `${path}/${connectorId}`);
/** Whether a sync was requested: it is pending, or has failed because its bucket does not exist. */
const isSyncRequested = ({ syncPending, lastRunAt, lastError }: ConnectorView): boolean =>
  syncPending || lastRunAt !== null || lastError !== null;
const hasSynced = async (connector: ConnectorView): Promise<boolean> => isSyncRequested(await read(connector));

interface Sent {
  headers?: Record<string, string>;
  body?: string | Uint8Array<ArrayBuffer>;
  from?: string;
}

/** Sends a request without a key. */
async function send<T = ErrorBody>(
  method: string,
  address: string,
  { headers = {}, body, from = '203.0.113.1' }: Sent = {},
): Promise<Answer<T>> {
  const response = await fetch(`${program.url}${address}`, {
    method,
    headers: { 'X-Forwarded-For': from, ...headers },
    ...(body === undefined ? {} : { body }),
  });
  const text = await response.text();
  const parsed: T = text === '' ? {} : JSON.parse(text);
  return { status: response.status, headers: response.headers, body: parsed };
}

describe('a storage event', () => {
  it('requests a sync, regardless of its body', async () => {
    for (const sent of [
      {},
      { body: '{"Records":[]}', headers: { 'Content-Type': 'application/json' } },
      { body: '[not JSON', headers: { 'Content-Type': 'application/cloudevents-batch+json' } },
      { body: new Uint8Array(256 * 1024), headers: { 'Content-Type': 'application/octet-stream' } },
      { body: '{"apiKey":"x"}', headers: { 'aeg-event-type': 'Notification' } },
    ]) {
      const connector = await create();
      const answer = await send('POST', connector.address, sent);
      expect([answer.status, answer.body]).toEqual([202, { accepted: true }]);
      // While a sync runs, the connector shows no result.
      expect(isSyncRequested(await until(() => read(connector), isSyncRequested))).toBe(true);
    }
  });

  it('has no effect on a disabled connector, whose address stays valid', async () => {
    const connector = await create({ enabled: false });
    expect((await send('POST', connector.address)).status).toBe(202);
    expect(await hasSynced(connector)).toBe(false);
  });

  it('is refused at an altered address, and for a deleted connector', async () => {
    const connector = await create();
    const last = connector.address.at(-1) ?? '';
    const altered = Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_')
      .filter((letter) => letter !== last)
      .map((letter) => `${connector.address.slice(0, -1)}${letter}`);
    for (const address of [...altered, `${content}/notifications/${'A'.repeat(43)}`])
      expectRefused(await send('POST', address, { from: '203.0.113.2' }), [401, 'invalid_callback']);
    expect(await hasSynced(connector)).toBe(false);
    await owner.get(204, 'DELETE', `${path}/${connector.connectorId}`);
    expectRefused(await send('POST', connector.address), [401, 'invalid_callback']);
    expectRefused(
      await send('OPTIONS', connector.address, { headers: { 'WebHook-Request-Origin': 'events.example.com' } }),
      [401, 'invalid_callback'],
    );
  });

  const refused: [string, string, (address: string) => string, Sent, Expected][] = [
    ['a shorter address', 'POST', (address) => address.slice(0, -1), {}, [404, 'not_found']],
    ['a longer address', 'POST', (address) => `${address}A`, {}, [404, 'not_found']],
    ['an address with a slash', 'POST', (address) => `${address}/`, {}, [404, 'not_found']],
    ['an address with other characters', 'POST', (address) => `${address.slice(0, -1)}.`, {}, [404, 'not_found']],
    ['nothing behind the prefix', 'POST', () => `${content}/notifications/`, {}, [404, 'not_found']],
    ['another shape by any method', 'DELETE', () => `${content}/notifications/x`, {}, [404, 'not_found']],
    ['no key beside the prefix', 'POST', () => `${content}/notifications`, {}, [401, 'api_key_required']],
    ['a key in the address', 'POST', (address) => `${address}?API%5fkey=x`, {}, [401, 'api_key_required']],
    ['GET', 'GET', (address) => address, {}, [405, 'method_not_allowed']],
    ['PUT', 'PUT', (address) => address, { body: '{}' }, [405, 'method_not_allowed']],
    [
      'a compressed body',
      'POST',
      (address) => address,
      { body: new Uint8Array(gzipSync('{}')), headers: { 'Content-Encoding': 'gzip' } },
      [415, 'unsupported_media_type'],
    ],
    ['a large body', 'POST', (address) => address, { body: 'x'.repeat(256 * 1024 + 1) }, [413, 'payload_too_large']],
    [
      'a large body that is compressed',
      'POST',
      (address) => address,
      { body: 'x'.repeat(256 * 1024 + 1), headers: { 'Content-Encoding': 'gzip' } },
      [413, 'payload_too_large'],
    ],
  ];
  it.each(refused)('is refused with %s', async (_, method, addressOf, sent, expected) => {
    const connector = await create();
    const answer = await send(method, addressOf(connector.address), sent);
    expectRefused(answer, expected);
    if (expected[0] === 405) expect(answer.headers.get('allow')).toBe('POST, OPTIONS');
    expect(await hasSynced(connector)).toBe(false);
  });

  it('is refused with a large body without a length', async () => {
    const { address } = await create();
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const request = rawRequest(
        `${program.url}${address}`,
        { method: 'POST', headers: { 'Transfer-Encoding': 'chunked' } },
        (response) => resolve(response.resume().statusCode),
      );
      request.on('error', reject);
      for (let piece = 0; piece < 5; piece += 1) request.write('x'.repeat(65_536));
      request.end();
    });
    expect(status).toBe(413);
  });
});

describe('a handshake', () => {
  const event = (data: unknown, more: object = {}): object => ({
    id: '1',
    topic: '/t',
    subject: '',
    eventType: 'Microsoft.EventGrid.SubscriptionValidationEvent',
    eventTime: '2026-01-01T00:00:00Z',
    dataVersion: '1',
    data,
    ...more,
  });
  const validate = (address: string, body: unknown): Promise<Answer<ErrorBody>> =>
    send('POST', address, {
      body: JSON.stringify(body),
      headers: { 'Content-Type': 'application/json', 'aeg-event-type': 'SubscriptionValidation' },
    });

  it('of Event Grid returns its code without a sync', async () => {
    const connector = await create();
    const answer = await validate(connector.address, [
      event({ validationCode: '512d38b6-c7b8-40c8-89fe-f46f9e9622b6', validationUrl: 'http://127.0.0.1:9/validate' }),
    ]);
    expect([answer.status, answer.body]).toEqual([200, { validationResponse: '512d38b6-c7b8-40c8-89fe-f46f9e9622b6' }]);
    expect(await hasSynced(connector)).toBe(false);
  });

  it.each<[string, unknown, (string | number)[]]>([
    ['two events', [event({ validationCode: 'a' }), event({ validationCode: 'b' })], ['body']],
    ['none', [], ['body']],
    ['no list', event({ validationCode: 'a' }), ['body']],
    ['another event', [event({ validationCode: 'a' }, { eventType: 'Microsoft.Storage.BlobCreated' })], ['body']],
    ['no code', [event({})], ['body', 0, 'data', 'validationCode']],
    ['a code that is no text', [event({ validationCode: 5 })], ['body', 0, 'data', 'validationCode']],
  ])('of Event Grid is refused with %s', async (_, body, fields) => {
    expectRefused(await validate((await create()).address, body), [422, 'validation_error', fields]);
  });

  it('of Event Grid is refused at an altered address', async () => {
    expectRefused(await validate(`${content}/notifications/${'B'.repeat(43)}`, [event({ validationCode: 'a' })]), [
      401,
      'invalid_callback',
    ]);
  });

  it('of CloudEvents is accepted', async () => {
    const connector = await create();
    const answer = await send('OPTIONS', connector.address, {
      headers: {
        'WebHook-Request-Origin': 'eventgrid.azure.net',
        'WebHook-Request-Rate': '120',
        'WebHook-Request-Callback': 'http://127.0.0.1:9/',
      },
    });
    expect([
      answer.status,
      answer.headers.get('webhook-allowed-origin'),
      answer.headers.get('webhook-allowed-rate'),
      answer.headers.get('allow'),
    ]).toEqual([200, 'eventgrid.azure.net', '600', 'POST']);
    expect(await hasSynced(connector)).toBe(false);
    expectRefused(await send('OPTIONS', connector.address), [
      422,
      'validation_error',
      ['header', 'WebHook-Request-Origin'],
    ]);
  });

  it('is in the API description', async () => {
    const description = await owner.get<{ paths: { [path: string]: { [method: string]: { security?: unknown } } } }>(
      200,
      'GET',
      '/api/openapi.json',
    );
    const described = description.paths[`${content}/notifications/{token}`] ?? {};
    expect(Object.entries(described).map(([method, { security }]) => [method, security])).toEqual([
      ['post', []],
      ['options', []],
    ]);
  });
});

describe('a burst', () => {
  it('of one sender is limited to 600 events per minute', async () => {
    const connector = await create();
    const counts = new Map<number, number>();
    let retryAfter: string | null = null;
    const one = async (): Promise<void> => {
      const answer = await send('POST', connector.address, { from: '203.0.113.77' });
      counts.set(answer.status, (counts.get(answer.status) ?? 0) + 1);
      if (answer.status === 429) retryAfter = answer.headers.get('retry-after');
    };
    for (let round = 0; round < 14; round += 1) await Promise.all(Array.from({ length: 50 }, one));
    expect(Object.fromEntries(counts)).toEqual({ 202: 600, 429: 100 });
    expect(Number(retryAfter)).toBeGreaterThan(0);
    // Other senders are not limited, including one that prepends another address to the proxy's header.
    expect((await send('POST', connector.address, { from: '203.0.113.78' })).status).toBe(202);
    expectRefused(await send('POST', connector.address, { from: '198.51.100.9, 203.0.113.77' }), [429, 'rate_limited']);
  });
});
