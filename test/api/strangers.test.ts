import { request } from 'node:http';
import { routeTable } from '../../services/gateway/table.ts';
import { content, expectRefused, type ErrorBody } from './support/client.ts';
import { startTestProgram, type TestProgram } from './support/program.ts';

/** Mistakes of clients that only know the contract: each is refused as specified, with a clear message. */
let program: TestProgram;
beforeAll(async () => {
  program = await startTestProgram({ PLY_MAX_BODY_BYTES: '4000000' });
});
afterAll(() => program.end());

const unknown = '00000000-0000-4000-8000-000000000000';
const asset = {
  externalId: 'a',
  filename: 'a.txt',
  kind: 'document',
  sourceUrl: 'http://127.0.0.1:9/a.txt',
  sourceVersion: '"1"',
};

/** Sends a body in chunks, without a length. */
function sendChunks(path: string, body: string): Promise<{ status: number; body: ErrorBody }> {
  return new Promise((resolve, reject) => {
    const headers = {
      Authorization: `ApiKey ${program.standard.key}`,
      'X-Organization-Id': program.organizationId,
      'Content-Type': 'application/json',
      'Transfer-Encoding': 'chunked',
    };
    const sent = request(`${program.url}${path}`, { method: 'POST', headers }, (response) => {
      let text = '';
      response
        .setEncoding('utf8')
        .on('data', (piece: string) => (text += piece))
        .on('end', () => resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) }));
    });
    sent.on('error', reject);
    for (let at = 0; at < body.length; at += 65_536) sent.write(body.slice(at, at + 65_536));
    sent.end();
  });
}

describe('a path', () => {
  it.each(['%ff', '%zz', '%', '%C3', '%00', '%2F', '%252F', `${unknown}%00`, `%20${unknown}`])(
    'with the id %s is refused for its id',
    async (id) => {
      expectRefused(await program.standard.ask('GET', `${content}/assets/${id}`), [
        422,
        'validation_error',
        ['path', 'assetId'],
      ]);
      expectRefused(await program.standard.ask('DELETE', `${content}/collections/${id.replaceAll(unknown, 'x')}`), [
        422,
        'validation_error',
        ['path', 'externalId'],
      ]);
    },
  );

  it('may have an escaped id', async () => {
    expectRefused(await program.standard.ask('GET', `${content}/assets/${unknown.replaceAll('-', '%2D')}`), [
      404,
      'asset_not_found',
    ]);
  });
});

describe('a long text', () => {
  const long = 'x'.repeat(2_000_000);
  it.each<[string, string, string, unknown, (string | number)[]]>([
    ['query', 'POST', '/search', { query: long }, ['body', 'query']],
    ['filter', 'POST', '/search', { query: 'x', filter: { metadata: { a: long } } }, ['body', 'filter', 'metadata']],
    ['principal', 'POST', '/search', { query: 'x', principals: ['a', long] }, ['body', 'principals', 1]],
    ['address', 'POST', '/assets', { ...asset, sourceUrl: `http://127.0.0.1/${long}` }, ['body', 'sourceUrl']],
    ['digest', 'POST', '/assets', { ...asset, contentSha256: long }, ['body', 'contentSha256']],
    ['value of metadata', 'POST', '/assets', { ...asset, metadata: { a: ['b', long] } }, ['body', 'metadata', 'a', 1]],
    ['name', 'PUT', '/collections/c', { name: long }, ['body', 'name']],
    ['term', 'PUT', '/tuning/synonyms', [{ term: long, expansions: ['a'] }], ['body', 0, 'term']],
    ['query of a pin', 'PUT', '/tuning/pins', { query: long, assetIds: [] }, ['body', 'query']],
    ['host', 'PUT', '/settings', { sourceHosts: [long] }, ['body', 'sourceHosts', 0]],
    ['secret', 'PATCH', '/settings', { callbackSecret: long }, ['body', 'callbackSecret']],
  ])('names its field: %s', async (_, method, path, body, fields) => {
    expectRefused(await program.standard.ask(method, `${content}${path}`, { body }), [422, 'validation_error', fields]);
  });

  it('does not hide a key in the query or a body that is too large', async () => {
    expectRefused(await program.standard.ask('POST', `${content}/search`, { body: { query: long, apiKey: 'k' } }), [
      401,
      'api_key_required',
    ]);
    const chunked = await sendChunks(`${content}/search`, JSON.stringify({ query: long + long + long }));
    expect([chunked.status, chunked.body.code]).toEqual([413, 'payload_too_large']);
    expect(await sendChunks(`${content}/search`, JSON.stringify({ query: long }))).toMatchObject({
      status: 422,
      body: { fields: ['body', 'query'] },
    });
  });

  it('as a field name is shortened in the response', async () => {
    const { status, body } = await program.standard.ask('POST', `${content}/search`, {
      body: { query: 'x', [long]: 1 },
    });
    expect([status, body.fields?.length, JSON.stringify(body).length < 10_000]).toEqual([422, 2, true]);
    const metadata = await program.standard.ask('POST', `${content}/assets`, {
      body: { ...asset, metadata: { ['k'.repeat(129)]: 1 } },
    });
    expectRefused(metadata, [422, 'validation_error', ['body', 'metadata', 'k'.repeat(129)]]);
  });
});

describe('an error message', () => {
  const detailOf = async (body: unknown): Promise<string> =>
    (await program.standard.ask('POST', `${content}/search`, { body })).body.detail;
  it('about an unknown field lists the known ones', async () => {
    expect(await detailOf({ query: 'x', topK: 3 })).toBe(
      'body.topK is not a known field; known are query, kind, limit, offset, group, filter, principals.',
    );
  });

  it('about invalid JSON has the position', async () => {
    const broken = async (body: string): Promise<string> =>
      (await program.standard.ask('POST', `${content}/search`, { raw: { type: 'application/json', body } })).body
        .detail;
    expect(await broken('{"query":"x",}')).toBe('The body is not JSON: character 14 does not belong there.');
    expect(await broken('{"query":"x"')).toMatch(/^The body is not JSON: (it ends too early|character 13 )/);
  });
});

describe('a time', () => {
  const statusOf = async (createdAfter: string): Promise<number> =>
    (await program.standard.ask('POST', `${content}/search`, { body: { query: 'x', filter: { createdAfter } } }))
      .status;
  it('may have an offset, fractions of a second, and a leap second', async () => {
    for (const time of [
      '2026-01-01T00:00:00Z',
      '2026-01-01T05:30:00+05:30',
      '2026-01-01T00:00:00.123456-08:00',
      '2016-12-31T23:59:60Z',
      '2017-01-01T01:59:60.5+02:00',
    ])
      expect([time, await statusOf(time)]).toEqual([time, 200]);
    for (const time of [
      '2026-01-01',
      '2026-01-01T00:00:00',
      '2026-02-30T00:00:00Z',
      '2026-01-01T24:00:00Z',
      '2026-01-01T12:00:60Z',
      '2026-01-01T00:00:61Z',
      '2026-01-01T00:00:00+24:00',
    ])
      expect([time, await statusOf(time)]).toEqual([time, 422]);
  });
});

describe('the description', () => {
  it('contains the headers for retries', async () => {
    const { paths } = await program.standard.get<{
      paths: Record<string, Record<string, { responses: Record<string, { headers?: Record<string, object> }> }>>;
    }>(200, 'GET', '/api/openapi.json');
    for (const { path, method } of routeTable) {
      const { responses } = paths[path]![method.toLowerCase()]!;
      for (const status of ['429', '503'])
        expect([path, status, Object.keys(responses[status]!.headers!)]).toEqual([
          path,
          status,
          expect.arrayContaining(['Retry-After', 'RateLimit-Reset']),
        ]);
    }
    expect(routeTable.length).toBeGreaterThan(40);
  });
});
