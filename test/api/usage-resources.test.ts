import { randomUUID } from 'node:crypto';
import type { BucketView } from '../../models/bucket.ts';
import type { ResourceUsage } from '../../services/traffic/reading/resources.ts';
import { content, expectRefused } from './support/client.ts';
import { startTrafficStage, type TrafficStage } from './support/traffic.ts';

const path = `${content}/usage/resources`;
const at = (text: string): number => Date.parse(`${text}T10:00:00Z`);

let stage: TrafficStage;
let buckets: BucketView[];
beforeAll(async () => {
  stage = await startTrafficStage(at('2031-02-28'));
  buckets = [await stage.createBucket(), await stage.createBucket()].toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const [one, two] = buckets;
  await stage.deliver(two!, [
    { at: at('2031-02-26'), bytes: 3, country: 'ZA' },
    { at: at('2031-02-01'), bytes: 2 ** 30, country: 'DE' },
  ]);
  await stage.deliver(one!, [
    { at: at('2031-02-26'), bytes: 5, country: 'DE' },
    { at: at('2031-02-26'), bytes: 0, country: 'DE' },
    { at: at('2031-02-26'), bytes: 0, country: 'BR' },
    { at: at('2031-01-31'), bytes: 7, country: 'DE' },
  ]);
});
afterAll(() => stage.end());

const read = (query = ''): Promise<ResourceUsage> => stage.standard.get(200, 'GET', `${path}${query}`);

it('lists what was used by day, resource, metric and dimension, for the running month', async () => {
  const [one, two] = buckets;
  const row = (bucket: BucketView | undefined, metric: string, day: string, dimension: string, quantity: number) => ({
    resourceId: bucket?.id,
    resourceName: bucket?.name,
    metric,
    day,
    dimension,
    quantity,
    unit: metric === 'delivery_gb' ? 'GB' : 'million',
    provisional: day > '2031-02-25',
  });
  const [europe, latin, africa] = ['europe-north-america', 'latin-america', 'middle-east-africa'];
  expect(await read()).toEqual({
    items: [
      row(two, 'delivery_gb', '2031-02-01', europe, 1),
      row(two, 'requests_millions', '2031-02-01', europe, 1e-6),
      row(one, 'delivery_gb', '2031-02-26', europe, 5 / 2 ** 30),
      row(one, 'requests_millions', '2031-02-26', europe, 2e-6),
      row(one, 'requests_millions', '2031-02-26', latin, 1e-6),
      row(two, 'delivery_gb', '2031-02-26', africa, 3 / 2 ** 30),
      row(two, 'requests_millions', '2031-02-26', africa, 1e-6),
    ],
  });
});

it('gives pages that follow each other', async () => {
  const all = await read('?from=2031-01-01&to=2031-03-01');
  expect(all.items).toHaveLength(9);
  expect(Object.keys(all)).toEqual(['items']);
  const items: ResourceUsage['items'] = [];
  const query = '?from=2031-01-01&to=2031-03-01&limit=2';
  for (let cursor: string | undefined = ''; cursor !== undefined;) {
    const page: ResourceUsage = await read(cursor === '' ? query : `${query}&cursor=${cursor}`);
    expect(page.items.length).toBeLessThanOrEqual(2);
    items.push(...page.items);
    cursor = page.nextCursor;
  }
  expect(items).toEqual(all.items);
});

it('takes filters; unknown ids and metrics without use give empty lists', async () => {
  const [one] = buckets;
  expect((await read(`?metric=delivery_gb&bucketId=${one!.id}`)).items.map(({ day }) => day)).toEqual(['2031-02-26']);
  expect(await read(`?bucketId=${randomUUID()}`)).toEqual({ items: [] });
  expect(await read('?metric=encoding_minutes')).toEqual({ items: [] });
  // Without `to` it ends with the month of `from`.
  expect((await read('?from=2031-01-15')).items.map(({ day }) => day)).toEqual(['2031-01-31', '2031-01-31']);
  const other = await stage.admin.createOrganization('other');
  expect(await stage.standard.as(other.id).get(200, 'GET', path)).toEqual({ items: [] });
});

it.each([
  ['from=x', 'from'],
  ['from=2031-03-01&to=2031-02-01', 'to'],
  ['to=2031-01-31', 'to'],
  ['from=2031-01-01&to=2031-04-04', 'to'],
  ['metric=searches', 'metric'],
  ['bucketId=1', 'bucketId'],
  ['limit=0', 'limit'],
  ['limit=5001', 'limit'],
  ['cursor=x', 'cursor'],
  [`cursor=${Buffer.from('["a","b","c"]').toString('base64url')}`, 'cursor'],
])('refuses %s', async (query, field) => {
  expectRefused(await stage.standard.ask('GET', `${path}?${query}`), [422, 'validation_error', ['query', field]]);
});
