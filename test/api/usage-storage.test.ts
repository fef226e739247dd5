import type { BucketView } from '../../models/bucket.ts';
import { domains, type Domain } from '../../models/domain.ts';
import { accounts } from '../../models/organization.ts';
import { scopeOf, systemScope } from '../../models/scope.ts';
import type { ResourceUsage } from '../../services/traffic/reading/resources.ts';
import { content, until } from './support/client.ts';
import { putObject } from './support/storage.ts';
import { startTrafficStage, type TrafficStage } from './support/traffic.ts';

/** Works of the program run every ten seconds. */
const waitMs = 40_000;

let stage: TrafficStage;
let bucket: BucketView;
beforeAll(async () => {
  stage = await startTrafficStage(Date.parse('2031-02-10T23:00:00Z'));
  bucket = await stage.createBucket();
});
afterAll(() => stage.end());

const rows = async (query = ''): Promise<unknown[]> =>
  (await stage.standard.get<ResourceUsage>(200, 'GET', `${content}/usage/resources${query}`)).items;
const row = (metric: string, day: string, quantity: number, unit: string): object => ({
  resourceId: bucket.id,
  resourceName: bucket.name,
  metric,
  day,
  dimension: 'in-west',
  quantity,
  unit,
  provisional: false,
});

it(
  'counts what clients write, also what replaces it, and what a bucket keeps at the end of a day',
  async () => {
    await putObject(stage.admin, bucket.id, 'a', Buffer.alloc(3000));
    await putObject(stage.admin, bucket.id, 'b', Buffer.alloc(0));
    const uploaded = row('upload_gb', '2031-02-10', 3000 / 2 ** 30, 'GB');
    await until(rows, (found) => found.length > 0, waitMs);
    expect(await rows()).toEqual([uploaded]);
    stage.setClock(Date.parse('2031-02-12T00:01:00Z'));
    await until(rows, (found) => found.length === 3, waitMs);
    expect(await rows()).toEqual([
      row('storage_gb_days', '2031-02-10', 3000 / 2 ** 30, 'GB-day'),
      uploaded,
      row('storage_gb_days', '2031-02-11', 3000 / 2 ** 30, 'GB-day'),
    ]);
    expect(await rows('?metric=upload_gb')).toEqual([uploaded]);
    expect(await rows(`?bucketId=${bucket.id}&from=2031-02-11`)).toHaveLength(1);
    const { lines } = await stage.standard.get<{ lines: { metric: string; dimension: string; quantity: number }[] }>(
      200,
      'GET',
      `${content}/usage`,
    );
    expect(lines.map(({ metric, quantity }) => [metric, quantity])).toEqual([
      ['storage_gb_days', 6000 / 2 ** 30],
      ['upload_gb', 3000 / 2 ** 30],
    ]);
  },
  3 * waitMs,
);

it(
  'counts the days of custom domains, and delivery in the account',
  async () => {
    const [account] = await stage.program.app.records.collection(accounts, systemScope).find({ filter: {}, limit: 1 });
    const { organizationId } = stage.admin;
    const domain = {
      _id: '3f2a9c10-0000-4000-8000-000000000000',
      organizationId,
      accountId: account?._id,
      bucketId: bucket.id,
      hostname: 'files.example.com',
      state: 'active',
      createdAt: 1,
      deletedAt: null,
    } as Domain;
    await stage.program.app.records.collection(domains, scopeOf(organizationId)).insert(domain);
    const found = await until(
      () => rows('?metric=custom_domain_days'),
      ({ length }) => length > 0,
      waitMs,
    );
    expect(found).toEqual([
      {
        resourceId: domain._id,
        resourceName: 'files.example.com',
        metric: 'custom_domain_days',
        day: '2031-02-12',
        dimension: null,
        quantity: 1,
        unit: 'day',
        provisional: false,
      },
    ]);
    expect(await rows(`?metric=custom_domain_days&bucketId=${bucket.id}`)).toEqual(found);
    await stage.deliver(bucket, [{ at: Date.parse('2031-02-11T10:00:00Z'), bytes: 500, country: 'DE' }]);
    const { metrics } = await until(
      () =>
        stage.standard.get<{ metrics: { metric: string; points: { day: string; quantity: number }[] }[] }>(
          200,
          'GET',
          `${content}/usage/daily`,
        ),
      (answer) => answer.metrics.some(({ metric }) => metric === 'requests_millions'),
      waitMs,
    );
    expect(metrics.filter(({ metric }) => /delivery|requests/.test(metric)).map(({ points }) => points)).toEqual([
      [{ day: '2031-02-11', quantity: 500 / 2 ** 30 }],
      [{ day: '2031-02-11', quantity: 1e-6 }],
    ]);
  },
  3 * waitMs,
);
