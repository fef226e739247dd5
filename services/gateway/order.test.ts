import { request as rawRequest } from 'node:http';
import { ask, headersWith, played, startStage, type Stage } from './testing/stage.ts';

const assetId = 'aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa';
const api = '/api/content/v1';

describe('the order of checks', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await startStage({ environment: { PLY_MAX_BODY_BYTES: '2048' } });
  });
  afterAll(() => stage.stop());

  const raw = async (
    method: string,
    path: string,
    headers: { [name: string]: string } = {},
    body?: string,
  ): Promise<{ status: number; body: { code?: string; fields?: unknown }; headers: Headers }> => {
    const response = await fetch(stage.url + path, { method, headers, ...(body === undefined ? {} : { body }) });
    const text = await response.text();
    return { status: response.status, body: text === '' ? {} : JSON.parse(text), headers: response.headers };
  };
  const good = headersWith(played.standard);
  const json = { ...good, 'content-type': 'application/json' };

  it.each([
    'apikey=x',
    'API_KEY',
    'a=1&Api-Key=x',
    '%61pikey=x',
    '%2561pikey=x',
    'X-API-KEY=',
    'authorization=x',
    'ACCESS%5FKEY=x',
    'apikey%3D1',
    '?apikey=1',
    '%252525252525252525256Fa=1&%25252525252525252561pikey',
  ])('refuses a key in the query first: %s', async (query) => {
    expect(await raw('GET', `${api}/nowhere?${query}`, good)).toMatchObject({
      status: 401,
      body: { code: 'api_key_required' },
    });
    expect((await raw('GET', `/health/live?${query}`)).status).toBe(401);
  });

  it('reports the earliest fault', async () => {
    expect((await raw('GET', `${api}/nowhere`)).body.code).toBe('api_key_required');
    expect((await raw('GET', `${api}/nowhere`, { authorization: 'Bearer x' })).body.code).toBe('api_key_required');
    expect((await raw('GET', `${api}/nowhere`, { authorization: 'ApiKey unknown' })).body.code).toBe('invalid_api_key');
    expect((await raw('GET', `${api}/nowhere`, { authorization: `ApiKey ${played.standard}` })).body.code).toBe(
      'organization_required',
    );
    expect((await raw('GET', `${api}/nowhere`, headersWith(played.standard, played.closed))).body.code).toBe(
      'organization_forbidden',
    );
    expect((await raw('GET', `${api}/nowhere`, good)).body.code).toBe('not_found');
    expect((await raw('GET', `${api}/nowhere`, headersWith(played.standard, played.branch))).body.code).toBe(
      'not_found',
    );
    expect((await raw('PATCH', `${api}/assets`, { ...good, 'content-type': 'text/plain' }, 'x')).body.code).toBe(
      'method_not_allowed',
    );
    expect(
      (await raw('POST', '/api/sub-organizations', { ...good, 'content-type': 'text/plain' }, 'x')).body.code,
    ).toBe('admin_key_required');
    expect(
      (
        await raw(
          'PUT',
          `${api}/assets/x/metadata`,
          { ...headersWith(played.planned), 'content-type': 'text/plain' },
          'x',
        )
      ).body.code,
    ).toBe('not_included_in_plan');
    expect(
      (await raw('POST', `${api}/assets`, { ...good, 'content-type': 'text/plain' }, 'x'.repeat(3000))).body.code,
    ).toBe('payload_too_large');
    expect((await raw('POST', `${api}/assets`, { ...good, 'content-type': 'text/plain' }, 'x')).body.code).toBe(
      'unsupported_media_type',
    );
    expect((await raw('POST', `${api}/assets`, { ...json, 'content-encoding': 'gzip' }, 'x')).body.code).toBe(
      'unsupported_media_type',
    );
    expect((await raw('POST', `${api}/assets`, json, '{')).body).toMatchObject({
      code: 'validation_error',
      fields: ['body'],
      field: 'body',
    });
    expect((await raw('PUT', `${api}/assets/x/metadata`, json, '{"apiKey":1}')).body.code).toBe('api_key_required');
    expect((await raw('PUT', `${api}/assets/x/metadata`, json, '{}')).body).toMatchObject({
      fields: ['path', 'assetId'],
    });
    expect((await raw('POST', `${api}/assets/x/reindex`, good)).body).toMatchObject({ fields: ['path', 'assetId'] });
    expect((await raw('POST', `${api}/assets/${assetId}/reindex`, json, '{"a":1}')).body.code).toBe(
      'idempotency_key_required',
    );
    expect(
      (await raw('POST', `${api}/assets/${assetId}/reindex`, { ...json, 'idempotency-key': 'k' }, '{"a":1}')).body,
    ).toMatchObject({ fields: ['body', 'a'] });
    expect(
      (await raw('POST', `${api}/assets`, { ...json, 'idempotency-key': 'k'.repeat(256) }, '{}')).body,
    ).toMatchObject({ fields: ['header', 'Idempotency-Key'] });
  });

  it('lists the methods of a path, and treats HEAD as GET without a body', async () => {
    const refused = await raw('OPTIONS', `${api}/assets`, good);
    expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'POST, GET, HEAD']);
    expect(refused.headers.get('access-control-allow-origin')).toBeNull();
    const head = await fetch(`${stage.url}${api}/assets`, { method: 'HEAD', headers: good });
    expect([head.status, await head.text(), head.headers.get('content-length')]).toEqual([200, '', '2']);
  });

  it.each([
    '/foo',
    `${api}/assets/`,
    `${api}//assets`,
    `/api/content/V1/assets`,
    `${api}/assets/${assetId}/picture`,
    '/~node/list',
    '/gateway/rest',
    '/api/%zz',
  ])('does not find %s', async (path) => {
    expect(await raw('GET', path, good)).toMatchObject({ status: 404, body: { code: 'not_found' } });
  });

  it('decodes paths', async () => {
    expect((await raw('GET', `${api}/%61ssets`, good)).status).toBe(200);
  });

  it('refuses keys for dashboard routes', async () => {
    for (const path of [
      '/api/api-keys',
      '/api/api-keys/1/rotate',
      '/api/people',
      '/api/invitations/2',
      '/api/organization-profile',
    ]) {
      expect((await raw('POST', path, headersWith(played.admin))).body.code).toBe('dashboard_session_required');
    }
    expect((await raw('GET', '/api/api-keysx', headersWith(played.admin))).body.code).toBe('not_found');
  });

  it("requires the account's own organization for sub-organizations", async () => {
    expect((await raw('GET', '/api/sub-organizations', headersWith(played.admin, played.branch))).body.code).toBe(
      'organization_forbidden',
    );
    expect((await raw('GET', '/api/sub-organizations', headersWith(played.admin))).status).toBe(200);
  });

  it('refuses a body without a length as soon as it is too large', async () => {
    const status = await new Promise((resolve, reject) => {
      const request = rawRequest(`${stage.url}${api}/assets`, { method: 'POST', headers: json }, (response) =>
        resolve(response.resume().statusCode),
      );
      request.on('error', reject);
      for (let part = 0; part < 10; part += 1) request.write('x'.repeat(1000));
    });
    expect(status).toBe(413);
  });

  it('treats empty chunked bodies, as proxies send them, as no body', async () => {
    const ended = (
      method: string,
      path: string,
      headers: { [name: string]: string } = {},
      body = '',
    ): Promise<number | undefined> =>
      new Promise((resolve, reject) => {
        const request = rawRequest(
          stage.url + api + path,
          { method, headers: { ...good, 'transfer-encoding': 'chunked', ...headers } },
          (response) => resolve(response.resume().statusCode),
        );
        request.on('error', reject).end(body);
      });
    expect(await ended('POST', `/jobs/${assetId}/cancel`)).toBe(202);
    expect(await ended('DELETE', `/assets/${assetId}`)).toBe(202);
    expect(await ended('GET', '/assets')).toBe(200);
    expect(await ended('POST', '/search')).toBe(422);
    expect(await ended('POST', `/jobs/${assetId}/cancel`, {}, '{}')).toBe(415);
    expect(await ended('POST', '/search', {}, '{"query":"x"}')).toBe(415);
    expect(await ended('POST', `/jobs/${assetId}/cancel`, { 'content-type': 'text/plain' })).toBe(415);
    expect(await ended('POST', `/jobs/${assetId}/cancel`, { 'content-encoding': 'gzip' })).toBe(415);
  });

  it('responds to expensive requests', async () => {
    const sent = async (body: string): Promise<unknown> => (await raw('POST', `${api}/search`, json, body)).body;
    expect(await sent('{"query":{"toString":1}}')).toMatchObject({ fields: ['body', 'query'] });
    expect(await sent('{"query":"x","principals":{"valueOf":1,"toString":2}}')).toMatchObject({
      fields: ['body', 'principals'],
    });
    expect(await sent(`{"query":${'['.repeat(400)}${']'.repeat(400)}}`)).toMatchObject({ fields: ['body', 'query'] });
    expect(await sent(`{"query":${'['.repeat(600)}${']'.repeat(600)}}`)).toMatchObject({
      code: 'validation_error',
      fields: ['body'],
    });
  });

  it('limits the memory of bodies, and frees it', async () => {
    const open = Array.from({ length: 20 }, () => {
      const request = rawRequest(`${stage.url}${api}/search`, {
        method: 'POST',
        headers: { ...json, 'content-length': '2000' },
      });
      const status = new Promise<number | undefined>((resolve, reject) =>
        request.on('response', (response) => resolve(response.resume().statusCode)).on('error', reject),
      );
      request.write('x'.repeat(1999));
      return { request, status };
    });
    const refused = await Promise.race(open.map(({ status }) => status));
    expect(refused).toBe(503);
    for (const { request, status } of open) {
      request.end('x');
      expect([422, 503]).toContain(await status);
    }
    for (let round = 0; round < 20; round += 1)
      expect((await raw('POST', `${api}/search`, json, `{"query":"${'x'.repeat(1900)}"}`)).status).toBe(200);
  });

  it('accepts targets in absolute form, and one Authorization header', async () => {
    const statusOf = (target: string, headers: { [name: string]: string | string[] }): Promise<number | undefined> =>
      new Promise((resolve, reject) => {
        const { hostname, port } = new URL(stage.url);
        const request = rawRequest({ hostname, port, path: target, headers }, (response) =>
          resolve(response.resume().statusCode),
        );
        request.on('error', reject).end();
      });
    expect(await statusOf(`http://ply.example${api}/assets?limit=5`, good)).toBe(200);
    expect(await statusOf(`http://ply.example${api}/assets?api%5Fkey=5`, good)).toBe(401);
    expect(await statusOf(`${api}/assets`, { ...good, authorization: [`ApiKey ${played.standard}`, 'Bearer x'] })).toBe(
      401,
    );
  });

  it('repeats printable request ids and sends security headers with every response', async () => {
    const named = await raw('GET', `${api}/assets`, { ...good, 'x-request-id': 'my request' });
    expect(named.headers.get('x-request-id')).toBe('my request');
    const unnamed = await raw('GET', `${api}/nowhere`, { ...good, 'x-request-id': 'x'.repeat(129) });
    expect(unnamed.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    expect(unnamed.body).toMatchObject({ requestId: unnamed.headers.get('x-request-id') });
    for (const { headers } of [named, unnamed, await raw('GET', `${api}/assets`)]) {
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
      expect(headers.get('ratelimit-limit')).toMatch(/^\d+$/);
      expect(headers.get('ratelimit-remaining')).toMatch(/^\d+$/);
      expect(headers.get('ratelimit-reset')).toMatch(/^\d+$/);
    }
  });

  it('reports unavailable parts, and only logs other failures', async () => {
    stage.acts.set('registrar.listAssets', () => {
      throw Object.assign(new Error('secret reason'), { name: 'StoreUnavailable' });
    });
    const away = await ask(stage, 'GET', `${api}/assets`);
    expect([away.status, away.headers.get('retry-after')]).toEqual([503, '2']);
    expect(away.body).toMatchObject({ code: 'content_service_unavailable', retryable: true });
    stage.acts.set('registrar.listAssets', () => {
      throw new TypeError('secret reason');
    });
    const broken = await ask(stage, 'GET', `${api}/assets`, { headers: { 'x-request-id': 'find-me' } });
    expect(broken.status).toBe(500);
    expect(JSON.stringify(broken.body)).not.toContain('secret');
    expect(stage.log.some((line) => line.includes('secret reason') && line.includes('find-me'))).toBe(true);
    stage.acts.delete('registrar.listAssets');
  });

  it('needs no key for health, description and reference', async () => {
    expect((await raw('GET', '/health/live')).status).toBe(200);
    stage.readiness.report = { ready: false, parts: { records: { state: 'down' } } };
    expect((await raw('GET', '/health/ready')).status).toBe(503);
    const page = await fetch(`${stage.url}/docs`);
    expect([page.status, page.headers.get('content-security-policy')?.includes("script-src 'self'")]).toEqual([
      200,
      true,
    ]);
    for (const file of ['swagger-ui.css', 'swagger-ui-bundle.js', 'start.js', 'favicon-32x32.png'])
      expect((await fetch(`${stage.url}/docs/${file}`)).status).toBe(200);
    expect((await raw('POST', '/health/live')).status).toBe(405);
    expect((await raw('GET', '/docs/index.html')).status).toBe(401);
  });
});

describe('rate limits', () => {
  it('are counted for each class and organization, and in headers', async () => {
    const stage = await startStage({ limits: { requests: 2, search: 1, registrations: 1 } });
    try {
      expect((await ask(stage, 'GET', `${api}/assets`)).headers.get('ratelimit-remaining')).toBe('1');
      expect((await ask(stage, 'GET', `${api}/nowhere`)).status).toBe(404);
      const refused = await ask(stage, 'GET', `${api}/nowhere`);
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '30']);
      expect(refused.body).toMatchObject({ code: 'rate_limited', retryable: true });
      expect((await ask(stage, 'POST', `${api}/search`, { body: { query: 'x' } })).status).toBe(200);
      expect(
        (await ask(stage, 'GET', `${api}/assets`, { headers: { 'x-organization-id': played.branch } })).status,
      ).toBe(200);
    } finally {
      await stage.stop();
    }
  });
});
