import type { BucketView } from '../../models/bucket.ts';
import type { PurgeView } from '../../models/purge.ts';
import { content, expectRefused, until, type Client, type Expected } from './support/client.ts';
import { startTestProgram, type TestProgram } from './support/program.ts';
import { createBucket } from './support/storage.ts';

let program: TestProgram;
let admin: Client;
let client: Client;
let bucket: BucketView;
beforeAll(async () => {
  program = await startTestProgram();
  ({ admin, standard: client } = program);
  bucket = await createBucket(admin);
});
afterAll(() => program.end());

const pathOf = ({ id }: BucketView): string => `${content}/buckets/${id}/purges`;
const order = (body: object, of = bucket): Promise<PurgeView> => client.get(202, 'POST', pathOf(of), { body });
const ended = ({ id }: PurgeView): Promise<PurgeView> =>
  until(
    () => client.get<PurgeView>(200, 'GET', `${content}/purges/${id}`),
    ({ state }) => state !== 'queued' && state !== 'running',
  );

describe('a purge', () => {
  it('is queued, and succeeds when every edge has dropped its copies', async () => {
    const host = bucket.defaultHostname;
    const made = await order({
      urls: [
        `https://${host}/a%20b/%61.txt?x=1`,
        `https://${host.toUpperCase()}/a%20b/a.txt#top`,
        `HTTPS://${host}./ü`,
      ],
    });
    expect(made).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      bucketId: bucket.id,
      bucketName: bucket.name,
      scope: 'urls',
      targets: ['a%20b/a.txt', '%C3%BC'],
      state: 'queued',
      failureReason: null,
      requestedBy: expect.stringMatching(/^api_key:/),
      createdAt: expect.stringMatching(/Z$/),
      startedAt: null,
      completedAt: null,
    });
    const done = await ended(made);
    expect(done).toEqual({
      ...made,
      state: 'succeeded',
      startedAt: expect.stringMatching(/Z$/),
      completedAt: expect.stringMatching(/Z$/),
    });
    expect(await order({ prefixes: ['a b/', 'ü', 'a b/'] })).toMatchObject({
      scope: 'prefixes',
      targets: ['a%20b/', '%C3%BC'],
    });
    expect(await order({ all: true })).toMatchObject({ scope: 'all', targets: [] });
  });

  const refusals: [string, (host: string) => object, Expected][] = [
    ['nothing', () => ({}), [422, 'validation_error', ['body']]],
    ['two kinds', (host) => ({ urls: [`https://${host}/a`], all: true }), [422, 'validation_error', ['body']]],
    ['all false', () => ({ all: false }), [422, 'validation_error', ['body', 'all']]],
    ['no urls', () => ({ urls: [] }), [422, 'validation_error', ['body', 'urls']]],
    ['null', () => ({ urls: null }), [422, 'validation_error', ['body', 'urls']]],
    ['http', (host) => ({ urls: [`http://${host}/a`] }), [422, 'validation_error', ['body', 'urls', 0]]],
    ['a path', () => ({ urls: ['/a'] }), [422, 'validation_error', ['body', 'urls', 0]]],
    ['no path', (host) => ({ urls: [`https://${host}/`] }), [422, 'validation_error', ['body', 'urls', 0]]],
    [
      'a path of dots',
      (host) => ({ urls: [`https://${host}/a`, `https://${host}/a/%2e%2e/b`] }),
      [422, 'validation_error', ['body', 'urls', 1]],
    ],
    ['another host', () => ({ urls: ['https://example.com/a'] }), [422, 'purge_url_not_in_bucket']],
    ['a port', (host) => ({ urls: [`https://${host}:443/a`] }), [422, 'purge_url_not_in_bucket']],
    ['a user', (host) => ({ urls: [`https://u@${host}/a`] }), [422, 'purge_url_not_in_bucket']],
    ...[
      '/a',
      'a//b',
      'a\\b',
      'a/../b',
      '.',
      '.p',
      '.PLYCDN',
      '.plycdn-x',
      '.plycdn\u2011',
      '.p\u00ady',
      'a\u200bb',
      'a\u0001',
      '',
    ].map((prefix): [string, () => object, Expected] => [
      `the prefix ${JSON.stringify(prefix)}`,
      () => ({ prefixes: ['ok', prefix] }),
      [422, 'validation_error', ['body', 'prefixes', 1]],
    ]),
    ['many prefixes', () => ({ prefixes: Array(21).fill('a') }), [422, 'validation_error', ['body', 'prefixes']]],
  ];
  it.each(refusals)('is refused with %s', async (_, body, expected) => {
    const answer = await client.ask('POST', pathOf(bucket), { body: body(bucket.defaultHostname) });
    expectRefused(answer, expected);
    const [, , fields] = expected;
    if (fields !== undefined) expect(answer.body.detail).toMatch(new RegExp(`^${fields.join('\\.')} .*\\.$`));
  });

  it("is the organization's own, and listed newest first", async () => {
    const other = admin.as((await admin.createOrganization('Other')).id);
    const [first, second] = [await order({ prefixes: ['1'] }), await order({ prefixes: ['2'] })];
    expectRefused(await other.ask('GET', `${content}/purges/${first.id}`), [404, 'purge_not_found']);
    expectRefused(await other.ask('POST', pathOf(bucket), { body: { all: true } }), [404, 'bucket_not_found']);
    expect(await other.get(200, 'GET', `${content}/purges?bucketId=${bucket.id}`)).toEqual({
      items: [],
      nextCursor: null,
    });
    type Page = { items: PurgeView[]; nextCursor: string | null };
    const page = await client.get<Page>(200, 'GET', `${content}/purges?bucketId=${bucket.id}&limit=1`);
    expect(page.items.map(({ id }) => id)).toEqual([second.id]);
    const next = await client.get<Page>(200, 'GET', `${content}/purges?limit=200&cursor=${page.nextCursor}`);
    expect([next.items[0]?.id, next.nextCursor]).toEqual([first.id, null]);
    for (const query of ['limit=0', 'limit=201'])
      expectRefused(await client.ask('GET', `${content}/purges?${query}`), [
        422,
        'validation_error',
        ['query', 'limit'],
      ]);
    expectRefused(await client.ask('GET', `${content}/purges?cursor=x`), [
      422,
      'validation_error',
      ['query', 'cursor'],
    ]);
  });

  it('is refused on a deleted bucket', async () => {
    const gone = await createBucket(admin);
    await admin.get(202, 'DELETE', `${content}/buckets/${gone.id}`);
    expectRefused(await client.ask('POST', pathOf(gone), { body: { all: true } }), [409, 'bucket_not_active']);
  });

  it('is limited to ten of whole buckets and sixty in all within an hour, counting what was accepted', async () => {
    const results = await Promise.all(
      Array.from({ length: 12 }, () => client.ask('POST', pathOf(bucket), { body: { all: true } })),
    );
    expect(results.filter(({ status }) => status === 202)).toHaveLength(9);
    const more = await Promise.all(
      Array.from({ length: 60 }, (_, index) =>
        client.ask('POST', pathOf(bucket), { body: { prefixes: [String(index)] } }),
      ),
    );
    expect(more.filter(({ status }) => status === 202)).toHaveLength(60 - 5 - 9);
    const refused = await client.ask('POST', pathOf(bucket), { body: { prefixes: ['x'] } });
    expectRefused(refused, [429, 'rate_limited']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3000);
  });
});
