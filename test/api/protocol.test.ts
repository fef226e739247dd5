import { connect } from 'node:net';
import { routeTable } from '../../services/gateway/table.ts';
import { content, expectRefused, until, type Expected, type Sent } from './support/client.ts';
import { startTestProgram, type TestProgram } from './support/program.ts';

let program: TestProgram;
beforeAll(async () => {
  program = await startTestProgram({
    PLY_MAX_BODY_BYTES: '20000',
    PLY_REQUESTS_PER_MINUTE: '5000',
    PLY_SEARCH_REQUESTS_PER_MINUTE: '5',
    PLY_REGISTRATIONS_PER_MINUTE: '300',
  });
});
afterAll(() => program.end());

const unknown = '00000000-0000-4000-8000-000000000000';

function ask(method: string, path: string, sent: Sent = {}) {
  return program.standard.ask(method, path, sent);
}

describe('authentication', () => {
  const organization = { 'X-Organization-Id': '' };
  it.each<[string, Record<string, string>, Expected]>([
    ['no key', { Authorization: '' }, [401, 'api_key_required']],
    ['another scheme', { Authorization: 'Bearer ply_x' }, [401, 'api_key_required']],
    ['no key behind the scheme', { Authorization: 'ApiKey ' }, [401, 'api_key_required']],
    ['an unknown key', { Authorization: `ApiKey ply_${'x'.repeat(43)}` }, [401, 'invalid_api_key']],
    [
      'an unknown key and no organization',
      { Authorization: 'ApiKey nonsense', ...organization },
      [401, 'invalid_api_key'],
    ],
    ['no organization', organization, [400, 'organization_required']],
    ['an organization that is no UUID', { 'X-Organization-Id': 'mine' }, [400, 'organization_required']],
    ['an organization that nobody knows', { 'X-Organization-Id': unknown }, [403, 'organization_forbidden']],
  ])('with %s is refused before the route is looked at', async (_, headers, expected) => {
    for (const [method, path] of [
      ['GET', `${content}/assets`],
      ['GET', '/api/nowhere'],
      ['PATCH', `${content}/assets`],
    ] as const)
      expectRefused(await ask(method, path, { headers }), expected);
  });

  it('ignores the case of the organization id', async () => {
    expect(
      (
        await ask('GET', `${content}/capabilities`, {
          headers: { 'X-Organization-Id': program.organizationId.toUpperCase() },
        })
      ).status,
    ).toBe(200);
  });

  it.each([
    'apikey',
    'apiKey',
    'api_key',
    'API-KEY',
    'x-api-key',
    'Authorization',
    'access_key',
    '%61pikey',
    'api%5Fkey',
    'API%2DKEY',
  ])('refuses a key in the query parameter %s first', async (name) => {
    for (const path of [
      `${content}/assets?${name}=x`,
      `/api/nowhere?a=1&${name}=`,
      `/health/live?${name}`,
      `/api/openapi.json?${name}=x`,
    ])
      expectRefused(await ask('GET', path), [401, 'api_key_required']);
    expectRefused(
      await ask('GET', `${content}/assets?${name}=x`, { headers: { Authorization: '', 'X-Organization-Id': '' } }),
      [401, 'api_key_required'],
    );
  });
});

describe('routes', () => {
  it.each([
    '/api',
    '/api/content/v1',
    '/api/content/v2/assets',
    `${content}/assets/`,
    `${content}//assets`,
    '/API/content/v1/assets',
    `${content}/asset`,
    `${content}/assets/${unknown}/source`,
    '/api/content/v1/..%2f',
    '/registrar/listAssets',
    '/~node/health',
    '/metrics',
  ])('%s is not found', async (path) => {
    expectRefused(await ask('GET', path), [404, 'not_found']);
  });

  it('respond with 405 and the allowed methods', async () => {
    const methods = new Map<string, string[]>();
    for (const { path, method } of routeTable) methods.set(path, [...(methods.get(path) ?? []), method]);
    for (const [path, known] of methods) {
      const wrong = ['PATCH', 'DELETE', 'PUT', 'POST', 'GET'].find((method) => !known.includes(method))!;
      const answer = await program.admin.ask(
        wrong,
        path.replace(/\{\w+\}/g, unknown),
        wrong === 'GET' ? {} : { body: {} },
      );
      expectRefused(answer, [405, 'method_not_allowed']);
      expect(
        answer.headers
          .get('allow')
          ?.split(', ')
          .filter((method) => method !== 'HEAD')
          .sort(),
      ).toEqual([...known].sort());
    }
    expect(methods.size).toBeGreaterThanOrEqual(16);
  });

  it('of the dashboard refuse API keys', async () => {
    for (const path of [
      '/api/api-keys',
      '/api/api-keys/1/rotate',
      '/api/people',
      '/api/invitations',
      '/api/organization-profile',
    ]) {
      expectRefused(await ask('GET', path), [403, 'dashboard_session_required']);
      expectRefused(await program.admin.ask('POST', path, { body: {} }), [403, 'dashboard_session_required']);
    }
  });

  it('respond to HEAD as to GET without a body', async () => {
    const head = await fetch(`${program.url}${content}/assets`, {
      method: 'HEAD',
      headers: { Authorization: `ApiKey ${program.standard.key}`, 'X-Organization-Id': program.organizationId },
    });
    expect([head.status, await head.text()]).toEqual([200, '']);
    expect(Number(head.headers.get('content-length'))).toBeGreaterThan(0);
  });
});

describe('bodies', () => {
  const long = 'x'.repeat(20_001);
  it.each<[string, string, string, Sent, Expected]>([
    [
      'larger than the limit',
      'POST',
      `${content}/assets`,
      { raw: { type: 'application/json', body: long } },
      [413, 'payload_too_large'],
    ],
    [
      'larger than the limit and of another type',
      'POST',
      `${content}/assets`,
      { raw: { type: 'text/plain', body: long } },
      [413, 'payload_too_large'],
    ],
    [
      'larger than the limit on a path that is none',
      'POST',
      '/api/nowhere',
      { raw: { type: 'application/json', body: long } },
      [404, 'not_found'],
    ],
    [
      'of another type',
      'POST',
      `${content}/search`,
      { raw: { type: 'application/xml', body: '<query/>' } },
      [415, 'unsupported_media_type'],
    ],
    [
      'of no type',
      'POST',
      `${content}/search`,
      { raw: { type: null, body: Uint8Array.from([0x7b, 0x7d]) } },
      [415, 'unsupported_media_type'],
    ],
    [
      'compressed',
      'POST',
      `${content}/search`,
      { body: { query: 'x' }, headers: { 'Content-Encoding': 'gzip' } },
      [415, 'unsupported_media_type'],
    ],
    [
      'with a key before the path is checked',
      'PUT',
      `${content}/assets/x/metadata`,
      { body: { apiKey: 'k' } },
      [401, 'api_key_required'],
    ],
    [
      'broken before the path is checked',
      'PUT',
      `${content}/assets/x/metadata`,
      { raw: { type: 'application/json', body: '{' } },
      [422, 'validation_error', ['body']],
    ],
    [
      'where none is taken',
      'POST',
      `${content}/jobs/${unknown}/cancel`,
      { body: { force: true } },
      [422, 'validation_error', ['body', 'force']],
    ],
  ])('%s is refused', async (_, method, path, sent, expected) => {
    expectRefused(await ask(method, path, sent), expected);
  });

  it('may have a media type in upper case and with a charset', async () => {
    const answer = await program.standard.ask('POST', `${content}/jobs/${unknown}/cancel`, {
      raw: { type: 'Application/JSON; charset="UTF-8"', body: '{}' },
    });
    expectRefused(answer, [404, 'job_not_found']);
  });
});

describe('headers', () => {
  it('repeat a request id of up to 128 printable characters, or have a new one', async () => {
    const idOf = async (id: string) =>
      (await ask('GET', `${content}/assets`, { headers: { 'X-Request-Id': id } })).headers.get('x-request-id');
    expect(await idOf('my request/1 ~!')).toBe('my request/1 ~!');
    expect(await idOf('x'.repeat(128))).toBe('x'.repeat(128));
    expect(await idOf('x'.repeat(129))).toMatch(/^[0-9a-f-]{36}$/);
    expect(await idOf('')).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('have the remaining rate limit', async () => {
    // A new organization, so that no capacity becomes free from requests of a minute ago.
    const counted = program.standard.as((await program.admin.createOrganization('counted')).id);
    const first = await counted.ask('GET', `${content}/assets`);
    const second = await counted.ask('GET', '/api/nowhere');
    for (const answer of [
      first,
      second,
      await counted.ask('GET', `${content}/assets`, { headers: { Authorization: '' } }),
    ]) {
      for (const name of ['limit', 'remaining', 'reset'])
        expect(answer.headers.get(`ratelimit-${name}`)).toMatch(/^\d+$/);
    }
    expect(first.headers.get('ratelimit-limit')).toBe('5000');
    expect(Number(second.headers.get('ratelimit-remaining'))).toBeLessThan(
      Number(first.headers.get('ratelimit-remaining')),
    );
  });

  it('have no length or type with status 204', async () => {
    const { status, headers } = await ask('DELETE', `${content}/tuning/boosts/none`);
    expect([status, headers.get('content-length'), headers.get('content-type')]).toEqual([204, null, null]);
    expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('forbid caching and sniffing', async () => {
    const { headers } = await ask('GET', `${content}/assets`);
    expect([
      headers.get('cache-control'),
      headers.get('x-content-type-options'),
      headers.get('x-powered-by'),
      headers.get('server'),
    ]).toEqual(['no-store', 'nosniff', null, null]);
  });
});

describe('the rate limit', () => {
  it('applies to each organization and rate class separately', async () => {
    const { id } = await program.admin.createOrganization('busy');
    const busy = program.standard.as(id);
    const search = () => busy.ask('POST', `${content}/search`, { body: { query: 'x' } });
    const answers = await Promise.all(Array.from({ length: 8 }, search));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 200, 429, 429, 429]);
    const refused = await search();
    expectRefused(refused, [429, 'rate_limited']);
    expect(refused.body.retryable).toBe(true);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(60);
    expect([refused.headers.get('ratelimit-limit'), refused.headers.get('ratelimit-remaining')]).toEqual(['5', '0']);
    expect((await busy.ask('GET', `${content}/assets`)).status).toBe(200);
    expect((await program.standard.ask('POST', `${content}/search`, { body: { query: 'x' } })).status).toBe(200);
    expectRefused(await busy.ask('POST', `${content}/search`, { raw: { type: 'text/plain', body: 'x' } }), [
      429,
      'rate_limited',
    ]);
  });
});

describe('without a key', () => {
  it('only health, API description and reference are available', async () => {
    for (const path of ['/health/live', '/health/ready', '/api/openapi.json', '/docs'])
      expect([path, (await fetch(`${program.url}${path}`)).status]).toEqual([path, 200]);
    const description = await program.standard.get<{ openapi: string; paths: Record<string, object> }>(
      200,
      'GET',
      '/api/openapi.json',
    );
    expect(description.openapi).toMatch(/^3\.1\./);
    for (const { path, method } of routeTable)
      expect(Object.keys(description.paths[path] ?? {})).toContain(method.toLowerCase());
  });
});

describe('a connection', () => {
  function raw(bytes: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const socket = connect(Number(new URL(program.url).port), '127.0.0.1');
      let answer = '';
      socket
        .on('data', (data) => (answer += data.toString('latin1')))
        .on('error', reject)
        .on('close', () => resolve(answer));
      socket.end(bytes);
    });
  }

  it.each<[string, string, RegExp]>([
    ['no HTTP', 'hello\r\n\r\n', /^HTTP\/1\.1 400/],
    ['headers that are too large', `GET / HTTP/1.1\r\nHost: x\r\nA: ${'x'.repeat(70_000)}\r\n\r\n`, /^HTTP\/1\.1 431/],
    [
      'two lengths',
      'POST /api/content/v1/search HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx',
      /^HTTP\/1\.1 400/,
    ],
    [
      'a length and chunks',
      'POST /api/content/v1/search HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      /^HTTP\/1\.1 400/,
    ],
    [
      'an absolute target',
      'GET http://x/health/live HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
      /^HTTP\/1\.1 (200|401|404)/,
    ],
    ['the target *', 'OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n', /^HTTP\/1\.1 (401|404)/],
  ])('with %s is answered and the program goes on', async (_, bytes, expected) => {
    expect(await raw(bytes)).toMatch(expected);
    expect(
      await until(
        () => program.process.isReady(),
        (ready) => ready,
      ),
    ).toBe(true);
  });
});
