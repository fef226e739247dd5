import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { BucketView, RegionView } from '../../models/bucket.ts';
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

const path = `${content}/buckets`;
const instant = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

let program: TestProgram;
let admin: Client;
beforeAll(async () => {
  program = await startTestProgram();
  ({ admin } = program);
});
afterAll(() => program.end());

const newName = (): string => `b-${randomUUID()}`;
function ask(body: object, client = admin, key: string = randomUUID()): Promise<Answer<ErrorBody>> {
  return client.ask('POST', path, { body, headers: { 'Idempotency-Key': key } });
}
const read = (id: string): Promise<BucketView> => admin.get(200, 'GET', `${path}/${id}`);
const patch = (id: string, body: object): Promise<BucketView> => admin.get(200, 'PATCH', `${path}/${id}`, { body });
const reaches = (id: string, state: string): Promise<BucketView> =>
  until(
    () => read(id),
    (bucket) => bucket.state === state,
  );
async function create(fields: object = {}, client = admin): Promise<BucketView> {
  const { id } = await client.get<BucketView>(202, 'POST', path, {
    body: { name: newName(), region: 'in-west', ...fields },
    headers: { 'Idempotency-Key': randomUUID() },
  });
  return reaches(id, 'active');
}

describe('a bucket', () => {
  it('is creating, becomes active, and has defaults', async () => {
    const name = newName();
    const made = await admin.get<BucketView>(202, 'POST', path, {
      body: { name, region: 'in-west' },
      headers: { 'Idempotency-Key': 'defaults' },
    });
    expect(made).toEqual({
      id: expect.stringMatching(uuid),
      name,
      kind: 'files',
      region: 'in-west',
      strictResidency: false,
      visibility: 'private',
      state: 'creating',
      failureReason: null,
      suspended: false,
      delivery: {
        allowedDomains: [],
        blockNoReferrer: false,
        countriesAllow: [],
        countriesBlock: [],
        linkTtlSeconds: 900,
        ipBinding: false,
        rateLimitKbps: null,
      },
      uploadRules: { maxObjectBytes: null, allowedTypes: [], allowOverwrite: false },
      cache: { edgeTtlSeconds: null, browserCacheControl: null, rules: [] },
      cors: {
        allowedOrigins: [],
        allowedMethods: ['GET', 'HEAD'],
        allowedHeaders: [],
        exposeHeaders: [],
        maxAgeSeconds: 600,
        allowCredentials: false,
      },
      analytics: { enabled: false, dimensions: [], ceiling: null, effectiveCeiling: 100_000, since: null },
      defaultHostname: `${name}.localhost`,
      deliveryBaseUrl: `https://${name}.localhost`,
      storedBytes: 0,
      objectCount: 0,
      createdAt: expect.stringMatching(instant),
      updatedAt: made.createdAt,
      deletedAt: null,
      purgeAfter: null,
    });
    expect(await reaches(made.id, 'active')).toEqual({
      ...made,
      state: 'active',
      updatedAt: expect.stringMatching(instant),
    });
    const again = await ask({ name, region: 'in-west' }, admin, 'defaults');
    expect([again.status, again.body]).toEqual([202, made]);
    expect((await ask({ name, region: 'us-east' }, admin, 'defaults')).body.code).toBe('idempotency_conflict');
  });

  it.each<[string, object, Expected]>([
    ['no name', { region: 'in-west' }, [422, 'validation_error', ['body', 'name']]],
    ['a short name', { name: 'ab', region: 'in-west' }, [422, 'validation_error', ['body', 'name']]],
    ['a long name', { name: 'a'.repeat(64), region: 'in-west' }, [422, 'validation_error', ['body', 'name']]],
    ['a capital', { name: 'Abc', region: 'in-west' }, [422, 'validation_error', ['body', 'name']]],
    ['a hyphen at its end', { name: 'abc-', region: 'in-west' }, [422, 'validation_error', ['body', 'name']]],
    ['two hyphens in the middle', { name: 'ab--c', region: 'in-west' }, [422, 'validation_error', ['body', 'name']]],
    ['no region', { name: 'abc' }, [422, 'validation_error', ['body', 'region']]],
    ['an unknown region', { name: 'abc', region: 'moon' }, [422, 'region_not_available']],
    [
      'strict residency where there is none',
      { name: 'abc', region: 'us-east', strictResidency: true },
      [422, 'region_not_available'],
    ],
    [
      'another visibility',
      { name: 'abc', region: 'in-west', visibility: null },
      [422, 'validation_error', ['body', 'visibility']],
    ],
    [
      'an unknown field',
      { name: 'abc', region: 'in-west', kind: 'video' },
      [422, 'validation_error', ['body', 'kind']],
    ],
  ])('is refused with %s', async (_, body, expected) => {
    expectRefused(await ask(body), expected);
  });

  it('needs an admin key and an Idempotency-Key', async () => {
    const body = { name: newName(), region: 'in-west' };
    expectRefused(await ask(body, program.standard), [403, 'admin_key_required']);
    expectRefused(await admin.ask('POST', path, { body }), [400, 'idempotency_key_required']);
  });

  it("is seen in its own organization only, and its name is everybody's", async () => {
    const other = admin.as((await admin.createOrganization('Other')).id);
    const { id, name } = await create();
    for (const [method, suffix] of [
      ['GET', ''],
      ['PATCH', ''],
      ['DELETE', ''],
      ['POST', '/restore'],
      ['POST', '/retry'],
    ] as const)
      expectRefused(await other.ask(method, `${path}/${id}${suffix}`, method === 'PATCH' ? { body: {} } : {}), [
        404,
        'bucket_not_found',
      ]);
    expect(await other.get(200, 'GET', path)).toEqual({ items: [] });
    expectRefused(await ask({ name, region: 'in-west' }, other), [409, 'bucket_name_taken']);
    const mine = await admin.get<{ items: BucketView[] }>(200, 'GET', path);
    expect(mine.items.map((bucket) => bucket.createdAt)).toEqual(mine.items.map((bucket) => bucket.createdAt).sort());
    expect(mine.items).toContainEqual(await read(id));
  });

  it('is deleted, listed, restored, and keeps its name', async () => {
    const { id, name } = await create({ visibility: 'public' });
    const deleted = await admin.get<BucketView>(202, 'DELETE', `${path}/${id}`);
    expect(deleted).toMatchObject({ state: 'deleting', deletedAt: expect.stringMatching(instant) });
    expect(Date.parse(deleted.purgeAfter ?? '') - Date.parse(deleted.deletedAt ?? '')).toBe(7 * 86_400_000);
    // It does not come back by itself.
    const rotation = await admin.ask('POST', `${path}/${id}/signing-key/rotate`);
    expect([rotation.status, rotation.body.code, rotation.body.retryable]).toEqual([
      409,
      'bucket_not_active',
      undefined,
    ]);
    expect(await reaches(id, 'deleted')).toMatchObject({ deletedAt: deleted.deletedAt });
    expect(await admin.get(202, 'DELETE', `${path}/${id}`)).toEqual(await read(id));
    expect((await admin.get<{ items: BucketView[] }>(200, 'GET', path)).items.map((each) => each.id)).toContain(id);
    expectRefused(await ask({ name, region: 'in-west' }), [409, 'bucket_name_taken']);
    expectRefused(await admin.ask('PATCH', `${path}/${id}`, { body: {} }), [409, 'bucket_not_active']);
    expectRefused(await admin.ask('POST', `${path}/${id}/retry`), [409, 'bucket_not_active']);
    expect(await admin.get(200, 'POST', `${path}/${id}/restore`)).toMatchObject({
      state: 'active',
      deletedAt: null,
      purgeAfter: null,
    });
    const before = await read(id);
    expect(await admin.get(200, 'POST', `${path}/${id}/restore`)).toEqual(before);
    expect(await admin.get(202, 'POST', `${path}/${id}/retry`)).toEqual(before);
  });
});

describe('settings of a bucket', () => {
  it('are kept in their normal form, and null restores defaults', async () => {
    const { id, ...made } = await create({ region: 'eu-central' });
    const changed = await patch(id, {
      visibility: 'public',
      delivery: {
        allowedDomains: ['Example.COM', '*.münchen.example:8080', 'example.com.'],
        blockNoReferrer: true,
        countriesAllow: ['IN', 'XK', 'IN'],
        linkTtlSeconds: 60,
        rateLimitKbps: 64,
      },
      uploadRules: { maxObjectBytes: 10, allowedTypes: ['image/*', 'text/plain', 'image/*'], allowOverwrite: true },
      cache: {
        edgeTtlSeconds: 0,
        browserCacheControl: 'PUBLIC,max-age=060',
        rules: [{ extensions: ['.JPG', 'png'], browserCacheControl: 'no-store' }],
      },
      cors: {
        allowedOrigins: ['HTTPS://Münch.example:443', 'http://localhost:3000'],
        allowedHeaders: ['X-One'],
        allowCredentials: true,
      },
      analytics: { enabled: true, dimensions: [{ name: 'a', type: 'pathSegment', index: 1 }], ceiling: 100 },
    });
    expect(changed.delivery).toEqual({
      allowedDomains: ['example.com', '*.xn--mnchen-3ya.example'],
      blockNoReferrer: true,
      countriesAllow: ['IN', 'XK'],
      countriesBlock: [],
      linkTtlSeconds: 60,
      ipBinding: false,
      rateLimitKbps: 64,
    });
    expect(changed.uploadRules).toEqual({
      maxObjectBytes: 10,
      allowedTypes: ['image/*', 'text/plain'],
      allowOverwrite: true,
    });
    expect(changed.cache).toEqual({
      edgeTtlSeconds: 0,
      browserCacheControl: 'public, max-age=60',
      rules: [{ extensions: ['jpg', 'png'], browserCacheControl: 'no-store' }],
    });
    expect(changed.cors).toMatchObject({
      allowedOrigins: ['https://xn--mnch-0ra.example', 'http://localhost:3000'],
      allowedHeaders: ['x-one'],
      allowCredentials: true,
    });
    expect(changed.analytics).toMatchObject({ enabled: true, ceiling: 100, effectiveCeiling: 100 });
    expect(Date.parse(changed.analytics.since ?? '') % 3_600_000).toBe(0);
    expect(await patch(id, {})).toEqual(changed);
    expect(await patch(id, { delivery: { blockNoReferrer: true } })).toEqual(changed);
    const restored = await patch(id, {
      visibility: 'private',
      delivery: {
        allowedDomains: null,
        blockNoReferrer: false,
        countriesAllow: null,
        countriesBlock: null,
        linkTtlSeconds: null,
        rateLimitKbps: null,
      },
      uploadRules: { maxObjectBytes: null, allowedTypes: null, allowOverwrite: false },
      cache: { edgeTtlSeconds: null, browserCacheControl: null, rules: null },
      cors: {
        allowedOrigins: null,
        allowedMethods: null,
        allowedHeaders: null,
        exposeHeaders: null,
        maxAgeSeconds: null,
        allowCredentials: false,
      },
      analytics: { enabled: false, dimensions: [], ceiling: null },
    });
    expect(restored).toEqual({
      id,
      ...made,
      updatedAt: restored.updatedAt,
      analytics: { ...made.analytics, since: changed.analytics.since },
    });
  });

  const body = (...names: (string | number)[]): Expected => [422, 'validation_error', ['body', ...names]];
  it.each<[object, Expected]>([
    [{ visibility: null }, body('visibility')],
    [{ delivery: null }, body('delivery')],
    [{ uploadRules: null }, body('uploadRules')],
    [{ cache: null }, body('cache')],
    [{ cors: null }, body('cors')],
    [{ delivery: { blockNoReferrer: null } }, body('delivery', 'blockNoReferrer')],
    [{ delivery: { ipBinding: null } }, body('delivery', 'ipBinding')],
    [{ delivery: { linkTtlSeconds: 59 } }, body('delivery', 'linkTtlSeconds')],
    [{ delivery: { rateLimitKbps: 63 } }, body('delivery', 'rateLimitKbps')],
    [{ delivery: { countriesBlock: ['IN', 'ZZ'] } }, body('delivery', 'countriesBlock', 1)],
    [{ delivery: { allowedDomains: ['a b'] } }, body('delivery', 'allowedDomains', 0)],
    [{ uploadRules: { allowOverwrite: null } }, body('uploadRules', 'allowOverwrite')],
    [{ uploadRules: { allowedTypes: ['image'] } }, body('uploadRules', 'allowedTypes', 0)],
    [{ uploadRules: { maxObjectBytes: 1_342_177_280_001 } }, body('uploadRules', 'maxObjectBytes')],
    [{ cache: { browserCacheControl: 'public, private' } }, body('cache', 'browserCacheControl')],
    [{ cache: { browserCacheControl: 'no-store, max-age=1' } }, body('cache', 'browserCacheControl')],
    [{ cache: { browserCacheControl: 'max-age=31536001' } }, body('cache', 'browserCacheControl')],
    [{ cache: { rules: [{ pathPrefix: 'a' }] } }, body('cache', 'rules', 0)],
    [{ cache: { rules: [{ edgeTtlSeconds: 1 }] } }, body('cache', 'rules', 0)],
    [{ cache: { rules: [{ pathPrefix: '.PLY', edgeTtlSeconds: 1 }] } }, body('cache', 'rules', 0, 'pathPrefix')],
    [{ cache: { rules: [{ pathPrefix: '/a', edgeTtlSeconds: 1 }] } }, body('cache', 'rules', 0, 'pathPrefix')],
    [{ cors: { allowCredentials: null } }, body('cors', 'allowCredentials')],
    [{ cors: { allowedOrigins: ['http://example.com'] } }, body('cors', 'allowedOrigins', 0)],
    [{ cors: { allowedOrigins: ['https://*.example.com'] } }, body('cors', 'allowedOrigins', 0)],
    [{ cors: { allowedOrigins: ['https://example.com/'] } }, body('cors', 'allowedOrigins', 0)],
    [{ cors: { allowedOrigins: ['*', 'https://example.com'] } }, body('cors', 'allowedOrigins')],
    [{ cors: { allowedOrigins: ['https://a.example', 'https://A.example'] } }, body('cors', 'allowedOrigins')],
    [{ cors: { allowedMethods: ['PUT'] } }, body('cors', 'allowedMethods', 0)],
    [{ cors: { allowedOrigins: ['*'], allowCredentials: true } }, body('cors', 'allowCredentials')],
    [{ analytics: { enabled: null } }, body('analytics', 'enabled')],
    [{ analytics: { dimensions: null } }, body('analytics', 'dimensions')],
    [{ analytics: { dimensions: [{}, {}, {}, {}] } }, body('analytics', 'dimensions')],
    [
      { analytics: { dimensions: [{ name: 'a', type: 'pattern', pattern: '(?=a)(b)' }] } },
      body('analytics', 'dimensions', 0, 'pattern'),
    ],
    [
      { analytics: { dimensions: [{ name: 'bucket', type: 'tag', tag: 'a' }] } },
      body('analytics', 'dimensions', 0, 'name'),
    ],
    [{ name: 'other' }, body('name')],
  ])('refuse %j', async (change, expected) => {
    expectRefused(await admin.ask('PATCH', `${path}/${randomUUID()}`, { body: change }), expected);
  });

  it('refuse credentials where links are pl1', async () => {
    const { id } = await create();
    expectRefused(await admin.ask('PATCH', `${path}/${id}`, { body: { cors: { allowCredentials: true } } }), [
      422,
      'validation_error',
      ['body', 'cors', 'allowCredentials'],
    ]);
  });
});

describe('regions and names', () => {
  it('lists the regions', async () => {
    const { items } = await program.standard.get<{ items: RegionView[] }>(200, 'GET', `${content}/regions`);
    expect(items.map(({ code, country, strictCapable }) => [code, country, strictCapable])).toEqual([
      ['in-west', 'IN', true],
      ['eu-central', 'DE', true],
      ['us-east', 'US', false],
    ]);
    expect(items[0]?.endpoints).toMatchObject({
      s3: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      s3VirtualHost: expect.stringMatching(/^http:\/\/\{bucket\}\.s3\.localhost:\d+$/),
      blob: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/\{account\}$/),
      blobGlobal: items[0]?.endpoints.blob,
    });
  });

  it('checks names', async () => {
    const names = `${content}/bucket-names`;
    const free = newName();
    const { name } = await create();
    const check = (given: string): Promise<unknown> =>
      program.standard.get(200, 'GET', `${names}?name=${encodeURIComponent(given)}`);
    expect(await check(free)).toEqual({ name: free, available: true, reason: null, hostname: `${free}.localhost` });
    expect(await check(name)).toEqual({ name, available: false, reason: 'taken', hostname: `${name}.localhost` });
    expect(await check('A')).toEqual({ name: 'A', available: false, reason: 'invalid', hostname: null });
    for (const query of ['', '?name=', `?name=${'a'.repeat(101)}`])
      expectRefused(await program.standard.ask('GET', `${names}${query}`), [
        422,
        'validation_error',
        ['query', 'name'],
      ]);
  });
});

describe('limits', () => {
  it('lets an account create 20 buckets a day, of which refused ones do not count', async () => {
    const narrow = await startTestProgram();
    try {
      const key = (): { 'Idempotency-Key': string } => ({ 'Idempotency-Key': randomUUID() });
      const send = (name: string): Promise<Answer<ErrorBody>> =>
        narrow.admin.ask('POST', path, { body: { name, region: 'in-west' }, headers: key() });
      expect((await send('taken')).status).toBe(202);
      for (let tries = 0; tries < 5; tries += 1) expect((await send('taken')).status).toBe(409);
      for (let made = 1; made < 20; made += 1) expect((await send(`name-${made}`)).status).toBe(202);
      const refused = await send('one-more');
      expectRefused(refused, [429, 'rate_limited']);
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(86_000);
      await narrow.process.kill();
      await narrow.start();
      expect((await send('one-more')).status).toBe(429);
      const { items } = await narrow.admin.get<{ items: BucketView[] }>(200, 'GET', path);
      expect(items).toHaveLength(20);
      expect(readFileSync(narrow.logFile, 'utf8')).not.toContain('"level":50');
    } finally {
      await narrow.end();
    }
  });
});
