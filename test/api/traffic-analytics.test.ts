import { randomUUID } from 'node:crypto';
import type { BucketView } from '../../models/bucket.ts';
import type { Breakdown } from '../../services/traffic/reading/breakdown.ts';
import type { Preview } from '../../services/traffic/reading/preview.ts';
import type { TrafficAnalytics } from '../../services/traffic/reading/series.ts';
import { trafficExports } from '../../models/traffic.ts';
import { systemScope } from '../../models/scope.ts';
import { content, expectRefused, until, type Client } from './support/client.ts';
import { startTrafficStage, type Delivered, type TrafficStage } from './support/traffic.ts';

const path = `${content}/analytics/delivery`;
const at = (text: string): number => Date.parse(`${text}:00Z`);
const dimensions = [
  { name: 'course', type: 'pathSegment', index: 1 },
  { name: 'customer', type: 'tag', tag: 'customer' },
  { name: 'constructor', type: 'queryParam', param: 'c' },
];

let stage: TrafficStage;
let admin: Client;
let branch: Client;
let branchName: string;
let one: BucketView;
let two: BucketView;
let off: BucketView;

async function counted(client: Client, analytics: object = {}): Promise<BucketView> {
  const { id } = await stage.createBucket({ visibility: 'public' }, client);
  const body = { analytics: { enabled: true, dimensions, ceiling: 100, ...analytics } };
  return client.get(200, 'PATCH', `${content}/buckets/${id}`, { body });
}

beforeAll(async () => {
  stage = await startTrafficStage(at('2031-02-27T10:20'));
  ({ admin } = stage);
  const other = await admin.createOrganization('Branch');
  branch = admin.as(other.id);
  branchName = other.name;
  [one, two, off] = [await counted(admin), await counted(branch), await stage.createBucket()];
  stage.setClock(at('2031-03-02T12:00'));
  await stage.deliver(one, [
    // Before the full hour: not counted.
    { at: at('2031-02-27T10:59'), bytes: 7, key: 'early/x', country: 'FR' },
    { at: at('2031-02-27T11:00'), bytes: 100, key: 'math/1', country: 'DE', cache: 'miss' },
    { at: at('2031-02-27T11:30'), bytes: 200, key: 'math/2', country: 'DE', cache: 'hit', query: 'c=x%20y&c=z' },
    {
      at: at('2031-02-28T00:00'),
      bytes: 30,
      key: 'art/1',
      country: 'IN',
      status: 206,
      isLinkValid: true,
      query: 'expires=1&tag.customer=c-1&token=t',
    },
    { at: at('2031-03-01T05:00'), bytes: 0, key: '', status: 404, query: 'tag.customer=forged' },
    { at: at('2031-03-01T06:00'), bytes: 5, key: '=bad/1', status: 503 },
  ]);
  await stage.deliver(two, [
    { at: at('2031-02-28T01:00'), bytes: 1000, key: 'math/9', status: 304, organizationId: other.id },
  ]);
  await stage.deliver(off, [{ at: at('2031-02-28T01:00'), bytes: 1 }]);
});
afterAll(() => stage.end());

const read = (query: string, client = admin): Promise<TrafficAnalytics> => client.get(200, 'GET', `${path}?${query}`);
const days = 'from=2031-02-27&to=2031-03-01';
const hour = (text: string): number => at(text) / 1000;
/** The points that count something. */
const seen = (series: TrafficAnalytics['series'][number] | undefined): number[][] =>
  (series?.points ?? []).filter(([, , requests]) => requests !== 0);

describe('GET /analytics/delivery', () => {
  it('counts from the full hour after it was switched on', async () => {
    expect(one.analytics).toMatchObject({
      enabled: true,
      ceiling: 100,
      effectiveCeiling: 100,
      since: '2031-02-27T11:00:00.000Z',
    });
    const { series, notices, ...answer } = await read(`${days}&bucketId=${one.id}`);
    expect(answer).toEqual({
      from: '2031-02-27',
      to: '2031-03-01',
      resolution: 'hour',
      timezone: 'UTC',
      bucketId: one.id,
      dimension: null,
      groupBy: 'value',
      totals: {
        bytes: 335,
        requests: 5,
        cacheHits: 1,
        cacheMisses: 1,
        status: { '2xx': 3, '3xx': 0, '4xx': 1, '5xx': 1 },
      },
      topCountries: [
        { country: 'DE', requests: 2 },
        { country: 'IN', requests: 1 },
      ],
      provisional: true,
    });
    expect(notices).toEqual([]);
    expect(series).toHaveLength(1);
    expect(series[0]).toEqual({ key: 'total', points: expect.any(Array) });
    expect(series[0]?.points).toHaveLength(72);
    expect(series[0]?.points[0]).toEqual([hour('2031-02-27T00:00'), 0, 0, 0, 0, 0, 0, 0, 0]);
    expect(seen(series[0])).toEqual([
      [hour('2031-02-27T11:00'), 300, 2, 1, 1, 2, 0, 0, 0],
      [hour('2031-02-28T00:00'), 30, 1, 0, 0, 1, 0, 0, 0],
      [hour('2031-03-01T05:00'), 0, 1, 0, 0, 0, 0, 1, 0],
      [hour('2031-03-01T06:00'), 5, 1, 0, 0, 0, 0, 0, 1],
    ]);
  });

  it('has a point for each hour up to 14 days, day up to 400, month beyond', async () => {
    const shape = async (query: string): Promise<[string, number]> => {
      const { resolution, series } = await read(query);
      return [resolution, series[0]?.points.length ?? 0];
    };
    expect(await shape('from=2031-02-16&to=2031-03-01')).toEqual(['hour', 14 * 24]);
    expect(await shape('from=2031-02-15&to=2031-03-01')).toEqual(['day', 15]);
    expect(await shape('from=2030-01-27&to=2031-03-02')).toEqual(['day', 400]);
    expect(await shape('from=2030-01-26&to=2031-03-02')).toEqual(['month', 15]);
    const { series } = await read('from=2030-01-26&to=2031-03-02');
    expect(seen(series[0]).map(([start, bytes]) => [start, bytes])).toEqual([
      [hour('2031-02-01T00:00'), 1330],
      [hour('2031-03-01T00:00'), 5],
    ]);
  });

  it.each([
    ['hour', days],
    ['day', 'from=2031-02-01&to=2031-03-01'],
    ['month', 'from=2030-01-25&to=2031-03-01'],
  ])('has series of values, the rest in other: by %s', async (resolution, period) => {
    const sums = async (query: string, client = admin): Promise<[string, number, number][]> => {
      const answer = await read(`${period}&${query}`, client);
      expect(answer.resolution).toBe(resolution);
      return answer.series.map(({ key, points }) => [
        key,
        points.reduce((sum, [, bytes = 0]) => sum + bytes, 0),
        points.reduce((sum, [, , requests = 0]) => sum + requests, 0),
      ]);
    };
    expect(await sums(`dimension=course&bucketId=${one.id}`)).toEqual([
      ['math', 300, 2],
      ['art', 30, 1],
      ['=bad', 5, 1],
      ['(none)', 0, 1],
    ]);
    expect(await sums('dimension=course&top=1')).toEqual([
      ['math', 1300, 3],
      ['other', 35, 3],
    ]);
    expect(await sums(`dimension=customer&bucketId=${one.id}`)).toEqual([
      ['(none)', 305, 3],
      ['c-1', 30, 1],
      ['(unverified)', 0, 1],
    ]);
    expect(await sums(`dimension=constructor&bucketId=${one.id}`)).toEqual([
      ['x y', 200, 1],
      ['(none)', 135, 4],
    ]);
    expect(await sums('dimension=course', branch)).toEqual([['math', 1000, 1]]);
    expect(await sums('dimension=unknown')).toEqual([]);
    expect(await sums('groupBy=bucket&top=1')).toEqual([
      [two.id, 1000, 1],
      ['other', 335, 5],
    ]);
    expect(await sums('groupBy=organization')).toEqual([
      [branch.organizationId, 1000, 1],
      [admin.organizationId, 335, 5],
    ]);
  });

  it('labels buckets and organizations, and says where nothing is counted', async () => {
    const byBucket = await read(`${days}&groupBy=bucket`);
    expect(byBucket.series.map(({ label }) => label)).toEqual([two.name, one.name]);
    expect((await read(`${days}&groupBy=organization`)).series[0]?.label).toBe(branchName);
    expect(byBucket.notices).toEqual([
      {
        kind: 'logging_disabled',
        organization: admin.organizationId,
        dimension: null,
        from: '2031-02-27',
        to: '2031-03-01',
      },
    ]);
  });

  it('counts values beyond the ceiling as other, and says so', async () => {
    const full = await counted(branch);
    stage.setClock(at('2031-03-20T12:00'));
    const served = Array.from({ length: 103 }, (_, number): Delivered => ({
      at: at('2031-03-20T11:00'),
      bytes: 1,
      key: `v${String(number).padStart(3, '0')}/x`,
      organizationId: branch.organizationId,
    }));
    await stage.deliver(full, served.slice(0, 60));
    await stage.deliver(full, served.slice(50));
    const { series, notices } = await read(`from=2031-03-20&to=2031-03-20&dimension=course&top=50&bucketId=${full.id}`);
    expect(series).toHaveLength(51);
    expect(seen(series.at(-1))).toEqual([[hour('2031-03-20T11:00'), 53, 53, 0, 0, 53, 0, 0, 0]]);
    expect(notices).toEqual([
      {
        kind: 'ceiling_reached',
        organization: branch.organizationId,
        dimension: 'course',
        from: '2031-03-20',
        to: '2031-03-20',
      },
    ]);
    const { rows } = await admin.get<Breakdown>(
      200,
      'GET',
      `${path}/breakdown?month=2031-03&by=dimension&dimension=course&bucketId=${full.id}`,
    );
    expect(rows).toHaveLength(101);
    expect(rows.find(({ value }) => value === 'other')).toMatchObject({ bytes: 3, requests: 3 });
    stage.setClock(at('2031-03-02T12:00'));
  });

  it('is for admin keys, and shows an organization its own traffic alone', async () => {
    expectRefused(await stage.standard.ask('GET', `${path}?${days}`), [403, 'admin_key_required']);
    expect((await read(days, branch)).totals.bytes).toBe(1000);
    expectRefused(await branch.ask('GET', `${path}?${days}&bucketId=${one.id}`), [404, 'bucket_not_found']);
    expect((await read(`${days}&bucketId=${two.id}`)).totals.bytes).toBe(1000);
    expectRefused(await admin.ask('GET', `${path}?${days}&bucketId=${randomUUID()}`), [404, 'bucket_not_found']);
  });

  it.each([
    ['from=2031-02-27', 'to'],
    ['from=2031-02-27&to=2031-02-26', 'to'],
    ['from=2030-01-23&to=2031-03-02', 'to'],
    [`${days}&groupBy=country`, 'groupBy'],
    [`${days}&groupBy=bucket&dimension=course`, 'groupBy'],
    [`${days}&top=0`, 'top'],
    [`${days}&top=51`, 'top'],
    [`${days}&bucketId=1`, 'bucketId'],
  ])('refuses %s', async (query, field) => {
    expectRefused(await admin.ask('GET', `${path}?${query}`), [422, 'validation_error', ['query', field]]);
  });
});

describe('GET /analytics/delivery/breakdown', () => {
  const counts = (bytes: number, requests: number, cacheHits = 0, cacheMisses = 0): object => ({
    bytes,
    requests,
    cacheHits,
    cacheMisses,
  });
  const csv = (query: string): Promise<Response> =>
    fetch(`${admin.url}${path}/breakdown?${query}&format=csv`, {
      headers: { Authorization: `ApiKey ${admin.key}`, 'X-Organization-Id': admin.organizationId },
    });

  it('lists organizations and buckets', async () => {
    const rows = [
      {
        organization: admin.organizationId,
        bucketId: one.id,
        bucket: one.name,
        dimension: '',
        value: '',
        ...counts(330, 3, 1, 1),
      },
      {
        organization: branch.organizationId,
        bucketId: two.id,
        bucket: two.name,
        dimension: '',
        value: '',
        ...counts(1000, 1),
      },
    ].toSorted((a, b) => (a.organization < b.organization ? -1 : 1));
    expect(await admin.get(200, 'GET', `${path}/breakdown?month=2031-02`)).toEqual({
      month: '2031-02',
      by: 'organization',
      timezone: 'UTC',
      bucketId: null,
      dimension: null,
      rows,
      provisional: true,
    });
    expect(await admin.get(200, 'GET', `${path}/breakdown?month=2031-01`)).toMatchObject({
      rows: [],
      provisional: false,
    });
  });

  it('lists values, and downloads them without formulas', async () => {
    const query = `month=2031-03&by=dimension&dimension=course&bucketId=${one.id}`;
    const row = (value: string, bytes: number): object => ({
      organization: admin.organizationId,
      bucketId: one.id,
      bucket: one.name,
      dimension: 'course',
      value,
      ...counts(bytes, 1),
    });
    expect(await admin.get(200, 'GET', `${path}/breakdown?${query}`)).toMatchObject({
      by: 'dimension',
      dimension: 'course',
      bucketId: one.id,
      rows: [row('(none)', 0), row('=bad', 5)],
    });
    const response = await csv(query);
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="delivery-2031-03.csv"');
    expect(await response.text()).toBe(
      'organization,bucket,dimension,value,bytes,requests,cache_hits,cache_misses\r\n' +
        `${admin.organizationId},${one.name},course,(none),0,1,0,0\r\n` +
        `${admin.organizationId},${one.name},course,'=bad,5,1,0,0\r\n`,
    );
  });

  it('downloads many rows in parts, one download of an account at a time', async () => {
    const many = await counted(branch, { ceiling: 100_000 });
    stage.setClock(at('2031-03-25T12:00'));
    const served = Array.from({ length: 4500 }, (_, number): Delivered => ({
      at: at('2031-03-25T11:00'),
      bytes: number,
      key: `k${String(number).padStart(5, '0')}/x`,
      organizationId: branch.organizationId,
    }));
    await stage.deliver(many, served);
    const query = `month=2031-03&by=dimension&dimension=course&bucketId=${many.id}`;
    const good = await csv(query);
    expect(good.status).toBe(200);
    const lines = (await good.text()).trimEnd().split('\r\n').slice(1);
    expect(lines.map((line) => line.split(',').slice(3, 5).join())).toEqual(
      served.map(({ key = '', bytes }) => `${key.slice(0, 6)},${bytes}`),
    );
    const exports = stage.program.app.records.collection(trafficExports, systemScope);
    const held = (): Promise<number> => exports.count({});
    await until(held, (count) => count === 0);
    const { accountId } = stage.program.firstStart ?? { accountId: '' };
    await exports.insert({ _id: accountId, exportId: 'other', until: stage.program.app.runtime.now() + 20_000 });
    const busy = await csv(query);
    expect(busy.status).toBe(429);
    expect(busy.headers.get('retry-after')).toBe('5');
    expect(await busy.json()).toMatchObject({ code: 'export_busy', retryable: true });
    // One that was abandoned is in nobody's way, and a client that goes away frees its place.
    await exports.update(accountId, {}, { set: { until: 0 } });
    await (await csv(query)).body?.cancel();
    await until(held, (count) => count === 0);
    stage.setClock(at('2031-03-02T12:00'));
  });

  it.each([
    ['', 'month'],
    ['month=2031-13', 'month'],
    ['month=2031-02&by=bucket', 'by'],
    ['month=2031-02&by=dimension', 'dimension'],
    ['month=2031-02&format=xml', 'format'],
  ])('refuses %s', async (query, field) => {
    expectRefused(await admin.ask('GET', `${path}/breakdown?${query}`), [422, 'validation_error', ['query', field]]);
  });
});

describe('POST /buckets/{bucketId}/analytics/preview', () => {
  const preview = (bucket: BucketView, rule: object): Promise<Preview> =>
    admin.get(200, 'POST', `${content}/buckets/${bucket.id}/analytics/preview`, { body: { rule } });

  it('tries a rule on the last requests', async () => {
    expect(await preview(one, { name: 'part', type: 'pattern', pattern: '/(?:math|art)/(\\d)$' })).toEqual({
      sampleSize: 6,
      distinctValues: 3,
      basis: 'traffic',
      note: null,
      examples: [
        { value: '(none)', count: 3 },
        { value: '1', count: 2 },
        { value: '2', count: 1 },
      ],
      estimatedValuesPerMonth: 3,
      estimatedMonthlyPrice: null,
    });
    expect(await preview(one, { name: 'a', type: 'tag', tag: 'a' })).toMatchObject({
      sampleSize: 0,
      basis: 'traffic',
      note: expect.any(String),
    });
  });

  it('tries it on file names where there are no requests', async () => {
    const empty = await stage.createBucket();
    for (const rule of [
      { name: 'a', type: 'pathSegment', index: 1 },
      { name: 'a', type: 'queryParam', param: 'a' },
      { name: 'a', type: 'tag', tag: 'a' },
    ])
      expect(await preview(empty, rule)).toMatchObject({
        basis: 'files',
        sampleSize: 0,
        examples: [],
        note: expect.any(String),
      });
  });

  it('refuses what is no rule, and unknown buckets', async () => {
    const ask = (id: string, body: object, client = admin) =>
      client.ask('POST', `${content}/buckets/${id}/analytics/preview`, { body });
    const rule = { name: 'a', type: 'pathSegment', index: 1 };
    const refused = async (body: object, ...fields: (string | number)[]): Promise<void> =>
      expectRefused(await ask(one.id, body), [422, 'validation_error', ['body', ...fields]]);
    await refused({}, 'rule');
    await refused({ rule: { ...rule, index: 9 } }, 'rule', 'index');
    await refused({ rule: { ...rule, name: 'bucket' } }, 'rule', 'name');
    await refused({ rule: { name: 'a', type: 'pattern', pattern: '(?=a)(b)' } }, 'rule', 'pattern');
    expectRefused(await ask(randomUUID(), { rule }), [404, 'bucket_not_found']);
    expectRefused(await ask(two.id, { rule }), [404, 'bucket_not_found']);
    expectRefused(await ask(one.id, { rule }, stage.standard), [403, 'admin_key_required']);
  });
});
