import { randomUUID } from 'node:crypto';
import type { BucketView } from '../../models/bucket.ts';
import type { DeliveryAnalytics } from '../../services/traffic/reading/delivery.ts';
import { content, expectRefused, type Client } from './support/client.ts';
import { startTrafficStage, type TrafficStage } from './support/traffic.ts';

const path = `${content}/delivery/analytics`;
const day = (text: string, hour = 0): number => Date.parse(`${text}T${String(hour).padStart(2, '0')}:00:00Z`);
const GiB = 2 ** 30;

let stage: TrafficStage;
let admin: Client;
beforeAll(async () => {
  stage = await startTrafficStage(day('2031-03-03', 12));
  ({ admin } = stage);
});
afterAll(() => stage.end());

const read = (query: string, client = stage.standard): Promise<DeliveryAnalytics> =>
  client.get(200, 'GET', `${path}?${query}`);

describe('GET /delivery/analytics', () => {
  let one: BucketView;
  let two: BucketView;
  beforeAll(async () => {
    one = await stage.createBucket();
    two = await stage.createBucket({ region: 'us-east' });
    await stage.deliver(one, [
      { at: day('2031-02-27', 23), bytes: GiB, country: 'IN' },
      { at: day('2031-02-28'), bytes: 1, country: 'DE' },
      { at: day('2031-02-28', 23), bytes: 0, status: 304, country: 'XK' },
      { at: day('2031-03-03', 11), bytes: 1074, country: null },
      { at: day('2031-03-03', 11), bytes: 3 * GiB + 537, country: 'BR', status: 404 },
    ]);
    await stage.deliver(two, [
      { at: day('2031-03-01', 5), bytes: 5 * GiB, country: null },
      { at: day('2031-03-01', 6), bytes: 5, country: 'IR' },
    ]);
  });

  it('answers each day, region group and bucket, with GB to six decimals', async () => {
    const { days, ...all } = await read('from=2031-02-26&to=2031-03-04');
    const group = (regionGroup: string, label: string, gb: number, requests: number): object => ({
      regionGroup,
      label,
      gb,
      requests,
    });
    const groups = (...volumes: [gb: number, requests: number][]): object[] =>
      [
        ['india-asia', 'India and Asia'],
        ['europe-north-america', 'Europe and North America'],
        ['latin-america', 'Latin America'],
        ['middle-east-africa', 'Middle East and Africa'],
      ].map(([name = '', label = ''], at) => group(name, label, ...(volumes[at] ?? [0, 0])));
    expect(all).toEqual({
      from: '2031-02-26',
      to: '2031-03-04',
      bucketId: null,
      // 9 GiB and 1,617 bytes.
      totals: { gb: 9.000002, requests: 7 },
      regionGroups: groups([1.000001, 2], [5, 3], [3.000001, 1], [0, 1]),
      buckets: [
        { bucketId: two.id, bucketName: two.name, gb: 5, requests: 2 },
        { bucketId: one.id, bucketName: one.name, gb: 4.000002, requests: 5 },
      ],
    });
    expect(days).toEqual([
      { day: '2031-02-26', gb: 0, requests: 0, provisional: false, regionGroups: groups() },
      { day: '2031-02-27', gb: 1, requests: 1, provisional: false, regionGroups: groups([1, 1]) },
      { day: '2031-02-28', gb: 0, requests: 2, provisional: false, regionGroups: groups([0, 0], [0, 2]) },
      {
        day: '2031-03-01',
        gb: 5,
        requests: 2,
        provisional: true,
        regionGroups: groups([0, 0], [5, 1], [0, 0], [0, 1]),
      },
      { day: '2031-03-02', gb: 0, requests: 0, provisional: true, regionGroups: groups() },
      {
        day: '2031-03-03',
        gb: 3.000002,
        requests: 2,
        provisional: true,
        regionGroups: groups([0.000001, 1], [0, 0], [3.000001, 1]),
      },
      { day: '2031-03-04', gb: 0, requests: 0, provisional: true, regionGroups: groups() },
    ]);
  });

  it('answers one bucket without the list of buckets', async () => {
    const answer = await read(`from=2031-03-01&to=2031-03-01&bucketId=${two.id.toUpperCase()}`);
    expect(answer).toMatchObject({ bucketId: two.id, totals: { gb: 5, requests: 2 }, buckets: [] });
    expect(answer.days).toHaveLength(1);
    expect((await read(`from=2031-03-01&to=2031-03-01&bucketId=${one.id}`)).totals).toEqual({ gb: 0, requests: 0 });
  });

  it('shows nothing of another organization', async () => {
    const other = await admin.createOrganization('other');
    const query = 'from=2031-02-26&to=2031-03-04';
    expect((await read(query, stage.standard.as(other.id))).totals).toEqual({ gb: 0, requests: 0 });
    for (const id of [one.id, randomUUID()])
      expectRefused(await stage.standard.as(other.id).ask('GET', `${path}?${query}&bucketId=${id}`), [
        404,
        'bucket_not_found',
      ]);
  });

  it.each([
    ['', 'from'],
    ['from=2031-02-01', 'to'],
    ['from=2031-02-30&to=2031-03-01', 'from'],
    ['from=2031-02-01&to=20310202', 'to'],
    ['from=2031-02-02&to=2031-02-01', 'to'],
    ['from=2031-01-01&to=2031-04-04', 'to'],
    ['from=2031-01-01&to=2031-01-02&bucketId=x', 'bucketId'],
    ['from=2031-01-01&from=2031-01-01&to=2031-01-02', 'from'],
  ])('refuses %s', async (query, field) => {
    expectRefused(await admin.ask('GET', `${path}?${query}`), [422, 'validation_error', ['query', field]]);
  });

  it('takes 93 days', async () => {
    expect((await read('from=2031-01-01&to=2031-04-03')).days).toHaveLength(93);
  });
});
