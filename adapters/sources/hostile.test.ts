import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { guardedClient } from '../../mixins/guarded-client/client.ts';
import type { ConnectorKind } from '../../models/connector.ts';
import { openConnectorSource } from './open.ts';
import type { Source, SourcePage } from './port.ts';

/* Hostile answers of sources. Each leads to a SourceError or to a gap for one file, without a secret in the error. */

const secret = 'sig=TheSecretOfTheTests';
const client = guardedClient({ privateNetworks: 'allow' });
let server: Server;
let other: Server;
let answer: (response: ServerResponse, path: string) => void;
let asked: string[] = [];
let authorization: string | undefined;
let elsewhere = 0;

beforeAll(async () => {
  server = createServer((request, response) => {
    asked.push(request.url ?? '');
    authorization = request.headers.authorization;
    answer(response, request.url ?? '');
  }).listen(0, '127.0.0.1');
  other = createServer((_request, response) => {
    elsewhere += 1;
    response.end('[]');
  }).listen(0, '127.0.0.1');
  await Promise.all([once(server, 'listening'), once(other, 'listening')]);
});
beforeEach(() => {
  asked = [];
});
afterEach(() => {
  expect(elsewhere).toBe(0);
});
afterAll(async () => {
  await client.close();
  for (const one of [server, other]) {
    one.closeAllConnections();
    one.close();
  }
});

function originOf(one: Server): string {
  const address = one.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return `http://127.0.0.1:${address.port}`;
}

function open(kind: ConnectorKind, config: { [name: string]: string } = {}): Promise<Source> {
  const common = { credential: secret, client, runtime: { now: () => 0 } };
  const origin = originOf(server);
  if (kind === 's3')
    return openConnectorSource({
      ...common,
      source: {
        kind,
        config: { endpoint: origin, bucket: 'bucket', region: '', prefix: 'in/', accessKeyId: 'key', ...config },
      },
    });
  if (kind === 'azure_blob')
    return openConnectorSource({
      ...common,
      source: { kind, config: { blobService: `${origin}/account`, container: 'box', prefix: 'in/', ...config } },
    });
  return openConnectorSource({ ...common, source: { kind, config: { baseUrl: origin, ...config } } });
}

async function list(kind: ConnectorKind, cursor: string | null = null): Promise<SourcePage> {
  const source = await open(kind);
  try {
    return await source.list(cursor, new AbortController().signal);
  } finally {
    await source.close();
  }
}

async function failureOf(kind: ConnectorKind, cursor: string | null = null): Promise<unknown> {
  const error: unknown = await list(kind, cursor).then(
    (page) => page,
    (failure: unknown) => failure,
  );
  const listing =
    error instanceof Error
      ? `${error.message} ${error.stack} ${JSON.stringify(error)} ${String(error.cause)} ${JSON.stringify(error.cause)}`
      : '';
  expect(listing).not.toContain('TheSecretOfTheTests');
  return error;
}

const says =
  (text: string, status = 200, headers: { [name: string]: string } = {}) =>
  (response: ServerResponse): void =>
    void response.writeHead(status, { 'content-type': 'application/xml', ...headers }).end(text);

/** A listing in XML, with names and further elements. */
const listing: Record<
  's3' | 'azure_blob',
  (items: readonly { name: string; etag?: string; size?: string }[], next?: string) => string
> = {
  s3: (items, next) =>
    `<?xml version="1.0" encoding="UTF-8"?>\n<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>bucket</Name><IsTruncated>${next !== undefined}</IsTruncated>${items.map(({ name, etag = 'e', size = '1' }) => `<Contents><Key>${name}</Key><ETag>${etag}</ETag><Size>${size}</Size></Contents>`).join('')}</ListBucketResult>`,
  azure_blob: (items, next) =>
    `<?xml version="1.0" encoding="utf-8"?><EnumerationResults ServiceEndpoint="http://a/" ContainerName="box"><Blobs>${items.map(({ name, etag = 'e', size = '1' }) => `<Blob><Name>${name}</Name><Properties><Etag>${etag}</Etag><Content-Length>${size}</Content-Length></Properties></Blob>`).join('')}</Blobs><NextMarker>${next ?? ''}</NextMarker></EnumerationResults>`,
};

const refused = { name: 'SourceError', reason: 'refused' };

it('a hierarchical container is reported as the reason', async () => {
  answer = says(listing.azure_blob([{ name: 'in/a/z.txt' }, { name: 'in/a-b.txt' }]));
  expect(await failureOf('azure_blob')).toMatchObject({
    ...refused,
    message: expect.stringContaining('hierarchical namespace') as string,
  });
});

describe.each(['s3', 'azure_blob'] as const)('a hostile %s', (kind) => {
  const make = listing[kind];

  it('is listed if the generated response is valid', async () => {
    answer = says(make([{ name: 'in/a.txt' }, { name: 'in/b.txt' }]));
    expect(
      (await list(kind)).entries.map(({ filename, sourceVersion, bytes }) => [filename, sourceVersion, bytes]),
    ).toEqual([
      ['a.txt', '"e"', 1],
      ['b.txt', '"e"', 1],
    ]);
  });

  it.each([
    ['names out of order', make([{ name: 'in/b.txt' }, { name: 'in/a.txt' }])],
    ['a name twice', make([{ name: 'in/a.txt' }, { name: 'in/a.txt' }])],
    ['names in the order of UTF-16', make([{ name: 'in/\u{1f600}.txt' }, { name: 'in/\uff5e.txt' }])],
    ['a name without the prefix', make([{ name: 'out/a.txt' }])],
    ['a name that is too long for any', make([{ name: `in/${'n'.repeat(10_000)}.txt` }])],
    ['a list that breaks off', make([{ name: 'in/a.txt' }]).slice(0, -40)],
    [
      'an error under a 200',
      `<?xml version="1.0"?><Error><Code>InternalError</Code><Message>${secret}</Message></Error>`,
    ],
    ['a page of another kind', `<html><body>Sign in ${secret}</body></html>`],
    ['nothing', ''],
    ['entities', make([{ name: 'in/&a;.txt' }]).replace('?>', '?><!DOCTYPE x [<!ENTITY a "aaaa">]>')],
    ['tags that cross', make([{ name: 'in/a.txt' }]).replace(/<\/(Key|Name)>/, '</Wrong>')],
  ])('with %s is refused', async (_what, text) => {
    answer = says(text);
    expect(await failureOf(kind)).toMatchObject(refused);
  });

  it('with a body without end is refused', async () => {
    answer = (response) => {
      response.writeHead(200, { 'content-type': 'application/xml' });
      const more = (): void => {
        while (!response.destroyed && response.write('x'.repeat(65_536)));
        if (!response.destroyed) response.once('drain', more);
      };
      more();
    };
    expect(await failureOf(kind)).toMatchObject(refused);
  });

  it.each([301, 302, 307, 308])('is not followed if it redirects with %i', async (status) => {
    answer = says('', status, { location: `${originOf(other)}/?${secret}` });
    expect(await failureOf(kind)).toMatchObject(refused);
    expect(asked).toHaveLength(1);
  });

  it.each([
    [400, 'refused'],
    [401, 'credential'],
    [403, 'credential'],
    [404, 'absent'],
    [429, 'temporary'],
    [500, 'temporary'],
    [503, 'temporary'],
  ])('that responds with %i is %s after one request', async (status, reason) => {
    answer = says(`<?xml version="1.0"?><Error><Code>${secret}</Code><Message>${secret}</Message></Error>`, status, {
      'x-ms-error-code': secret,
    });
    expect(await failureOf(kind)).toMatchObject({ name: 'SourceError', reason });
    answer = says(`${secret}<`, status);
    expect(await failureOf(kind)).toMatchObject({ name: 'SourceError', reason });
    expect(asked).toHaveLength(2);
  });

  it('gets all requests, regardless of environment variables', async () => {
    const before = { ...process.env };
    const away = originOf(other);
    Object.assign(process.env, {
      AWS_ENDPOINT_URL: away,
      AWS_ENDPOINT_URL_S3: away,
      AWS_REGION: 'eu-west-9',
      AWS_USE_FIPS_ENDPOINT: 'true',
      AWS_USE_DUALSTACK_ENDPOINT: 'true',
      AWS_MAX_ATTEMPTS: '9',
      AWS_ACCESS_KEY_ID: 'foreign',
      AWS_SECRET_ACCESS_KEY: 'foreign',
      HTTP_PROXY: away,
      HTTPS_PROXY: away,
    });
    try {
      answer = says('', 503);
      expect(await failureOf(kind)).toMatchObject({ reason: 'temporary' });
    } finally {
      process.env = before;
    }
    expect(asked).toHaveLength(1);
    if (kind === 's3') expect(authorization).toMatch(/Credential=key\/\d{8}\/us-east-1\/s3\//);
  });

  it('has a gap for a name whose address is of another object', async () => {
    answer = says(make([{ name: 'in/../b.txt' }, { name: 'in/./c.txt' }, { name: 'in/a.txt' }]));
    const { entries, gaps } = await list(kind);
    expect(entries.map(({ filename }) => filename)).toEqual(['a.txt']);
    expect(gaps.map(({ prefix, errorCode }) => [prefix.replace(/.*(bucket|box)\//, ''), errorCode])).toEqual([
      ['in/../b.txt', 'validation_error'],
      ['in/./c.txt', 'validation_error'],
    ]);
  });

  it('has a gap for an invalid file', async () => {
    answer = says(
      make([
        { name: 'in/a.txt', etag: '' },
        { name: 'in/b.txt', size: '-1' },
        { name: `in/c${'n'.repeat(300)}.txt` },
        { name: 'in/d.txt', etag: 'e'.repeat(600) },
        { name: 'in/e.txt' },
      ]),
    );
    const { entries, gaps } = await list(kind);
    expect(entries.map(({ filename }) => filename)).toEqual(['e.txt']);
    expect(gaps.map(({ errorCode }) => errorCode)).toEqual([
      'validation_error',
      'validation_error',
      'validation_error',
      'validation_error',
    ]);
  });

  it('is refused if its pages repeat', async () => {
    answer = says(make([{ name: 'in/a.txt' }], 'again'));
    const { next } = await list(kind);
    expect(await failureOf(kind, next)).toMatchObject(refused);
    answer = says(make([], 'again'));
    expect(kind === 's3' ? await failureOf(kind) : await failureOf(kind, (await list(kind)).next)).toMatchObject(
      refused,
    );
  });

  it.each([
    'not an address',
    'ftp://127.0.0.1',
    'http://user:pass@127.0.0.1',
    'http://127.0.0.1/?x=1',
    'http://127.0.0.1/#x',
  ])('has no address like %s', async (address) => {
    await expect(open(kind, { endpoint: address, blobService: address })).rejects.toMatchObject(refused);
  });

  it.each(['', 'a/b', '../other', 'arn:aws:s3:eu-west-1:1:accesspoint/a', 'a?b', 'a b', 'a%2fb'])(
    'has no bucket or container like %j',
    async (name) => {
      await expect(open(kind, { bucket: name, container: name })).rejects.toMatchObject(refused);
    },
  );
});

describe('a hostile cursor', () => {
  it.each([
    ['azure_blob', 'x'],
    ['azure_blob', '[1]'],
    ['azure_blob', '{}'],
    ['canvas', '../x'],
    ['canvas', '1/2/3'],
    ['canvas', ''],
  ] as const)('of %s is not %j', async (kind, cursor) => {
    answer = says('[]');
    expect(await failureOf(kind, cursor)).toMatchObject(refused);
  });
});

describe('a hostile canvas', () => {
  const json =
    (value: unknown, headers: { [name: string]: string } = {}) =>
    (response: ServerResponse): void =>
      void response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value));
  /** One course with these answers for its files. */
  const withFiles =
    (files: unknown) =>
    (response: ServerResponse, path: string): void =>
      json(
        /courses\?/.test(path)
          ? [{ id: '1', workflow_state: 'available' }]
          : /folders/.test(path)
            ? []
            : /enrollments/.test(path)
              ? [{ user_id: '1', type: 'StudentEnrollment', enrollment_state: 'active' }]
              : files,
      )(response);

  it.each([
    ['another host', () => `${originOf(other)}/api/v1/courses?page=2`],
    ['https', () => originOf(server).replace('http:', 'https:') + '/api/v1/courses?page=2'],
    ['user info', () => originOf(server).replace('//', '//user:pass@') + '/api/v1/courses?page=2'],
    ['another path', () => `${originOf(server)}/login?page=2`],
    ['a path that climbs out', () => `${originOf(server)}/api/v1/../../login`],
    ['no address', () => 'http://['],
    ['itself', () => `${originOf(server)}/api/v1/courses?page=2`],
    ['more than an address can hold', () => `${originOf(server)}/api/v1/courses?page=${'2'.repeat(9000)}`],
  ])('whose next page is %s is refused', async (_what, link) => {
    answer = json([], { link: `<${link()}>; rel="next"` });
    expect(await failureOf('canvas')).toMatchObject(refused);
    expect(asked.length).toBeLessThanOrEqual(2);
  });

  it('whose pages never end is refused', async () => {
    let pages = 0;
    answer = (response) =>
      json([], { link: `<${originOf(server)}/api/v1/courses?page=${(pages += 1)}>; rel="next"` })(response);
    expect(await failureOf('canvas')).toMatchObject(refused);
    expect(pages).toBe(5000);
  });

  it.each([
    ['an error under a 200', JSON.stringify({ errors: [{ message: secret }] })],
    ['JSON that breaks off', `[{"id":"1","name":"${secret}`],
    ['no JSON', `<html>${secret}</html>`],
    ['nothing', ''],
    ['a list of texts', '["1"]'],
    ['an id that is a path', '[{"id":"../../users"}]'],
    ['no id', '[{}]'],
    ['an id beyond exact numbers', '[{"id":12345678901234567890}]'],
  ])('with %s is refused', async (_what, text) => {
    answer = says(text);
    expect(await failureOf('canvas')).toMatchObject(refused);
  });

  it('that redirects is not followed, and a refused token is reported', async () => {
    answer = says('', 302, { location: `${originOf(other)}/api/v1/courses` });
    expect(await failureOf('canvas')).toMatchObject(refused);
    answer = says(secret, 401);
    expect(await failureOf('canvas')).toMatchObject({ name: 'SourceError', reason: 'credential' });
  });

  it('with a body without end is refused', async () => {
    answer = (response) => {
      response.writeHead(200);
      const more = (): void => {
        while (!response.destroyed && response.write(' '.repeat(65_536)));
        if (!response.destroyed) response.once('drain', more);
      };
      more();
    };
    expect(await failureOf('canvas')).toMatchObject(refused);
  });

  it('has a gap for an invalid file', async () => {
    const file = { id: '1', display_name: 'a.txt', size: 1, modified_at: '2026-01-01T00:00:00Z' };
    answer = withFiles([
      file,
      { ...file, id: '2', display_name: 'n'.repeat(10_000) },
      { ...file, id: '3', display_name: 'a\0b.txt' },
      { ...file, id: '4', size: -1 },
      { ...file, id: '5', size: 1.5 },
      { ...file, id: '6', display_name: null },
      { ...file, id: '7', display_name: 'line\nbreak.txt' },
    ]);
    const { entries, gaps } = await list('canvas');
    expect(entries.map(({ filename }) => filename)).toEqual(['a.txt', 'line\nbreak.txt']);
    expect(gaps.map(({ prefix, errorCode }) => [prefix.slice(-2), errorCode])).toEqual(
      ['2', '3', '4', '5', '6'].map((id) => [`/${id}`, 'validation_error']),
    );
  });

  it.each(['javascript:alert(1)', 'file:///etc/passwd', 'http://user:pass@127.0.0.1/x', 'x', `//${secret}`])(
    'that gives %s as an address gives none',
    async (url) => {
      const file = { id: '1', display_name: 'a.txt', size: 1, modified_at: '2026-01-01T00:00:00Z', url };
      answer = json(file);
      const source = await open('canvas');
      const externalId = `canvas:${new URL(originOf(server)).host}/1/1`;
      const listing = source.addressOf(
        { externalId, sourceUrl: '', sourceVersion: '"canvas-1-1767225600000-1"' },
        new AbortController().signal,
      );
      await expect(listing).rejects.toMatchObject(refused);
      await expect(listing).rejects.not.toThrow('TheSecretOfTheTests');
      expect(asked).toEqual(['/api/v1/courses/1/files/1']);
    },
  );
});
