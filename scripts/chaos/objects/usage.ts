import type { Records } from '../../../adapters/records/port.ts';
import { buckets } from '../../../models/bucket.ts';
import { domains } from '../../../models/domain.ts';
import { scopeOf, systemScope } from '../../../models/scope.ts';
import { trafficMonths } from '../../../models/traffic.ts';
import type { UsageEvent } from '../../../models/usage-event.ts';
import type { UsageMetric } from '../../../models/usage-metric.ts';
import { testDomain } from '../../../test/support/domain.ts';
import type { StoredFiles } from './stored-files.ts';

/**
 * What the ledger has of uploads and deliveries, compared with the answers that clients got, and with the totals of
 * traffic, which `checkTraffic` compares with the downloads.
 * @param events all of them
 */
export async function faultsOfObjectUsage(
  records: Records,
  events: readonly UsageEvent[],
  { uploaded }: Pick<StoredFiles, 'uploaded'>,
): Promise<string[]> {
  const ofMetric = (metric: UsageMetric): UsageEvent[] => events.filter((event) => event.metric === metric);
  const listOf = (items: readonly (readonly [bucketId: string | undefined, size: number])[]): string =>
    items
      .filter(([, size]) => size > 0)
      .map((item) => item.join(' '))
      .toSorted()
      .join(', ');
  const charged = listOf(ofMetric('upload_gb').map(({ resourceId, quantity }) => [resourceId, quantity]));
  const answered = listOf(uploaded.map(({ bucketId, size }) => [bucketId, size]));
  const faults = charged === answered ? [] : [`the uploads ${charged} are charged instead of ${answered}`];
  const totals = new Map<string, [bytes: number, requests: number]>();
  for (const { bucketId, days } of await records
    .collection(trafficMonths, systemScope)
    .find({ filter: {}, limit: 1000 }))
    for (const { groups } of Object.values(days))
      for (const [group, [bytes, requests]] of Object.entries(groups)) {
        const of = `${bucketId} ${group}`;
        const [sum, count] = totals.get(of) ?? [0, 0];
        totals.set(of, [sum + bytes, count + requests]);
      }
  for (const [of, wanted] of totals) {
    const sums = (['delivery_gb', 'requests_millions'] as const).map((metric) =>
      ofMetric(metric)
        .filter(({ resourceId, dimension }) => `${resourceId} ${dimension}` === of)
        .reduce((sum, { quantity }) => sum + quantity, 0),
    );
    if (sums.join() !== wanted.join()) faults.push(`${of} is charged ${sums.join()} instead of ${wanted.join()}`);
  }
  const others = [...ofMetric('delivery_gb'), ...ofMetric('requests_millions')].filter(
    ({ resourceId, dimension }) => !totals.has(`${resourceId} ${dimension}`),
  );
  return [...faults, ...others.map(({ _id }) => `${_id} is charged, but in no total of traffic`)];
}

/** The id of the custom domain that `addDomain` adds. */
export const chaosDomainId = '3f2a9c10-0000-4000-8000-000000000000';

/** Gives a bucket an active custom domain, whose days are counted. */
export async function addDomain(records: Records, bucketId: string): Promise<void> {
  const bucket = await records.collection(buckets, systemScope).get(bucketId);
  if (bucket === null) throw new Error(`there is no bucket ${bucketId}`);
  const { accountId, organizationId } = bucket;
  const added = testDomain();
  const domain = {
    ...added,
    _id: chaosDomainId,
    organizationId,
    accountId,
    bucketId,
    state: 'active' as const,
    createdAt: 1,
    nextCheckAt: null,
    run: { ...added.run, phase: 'ended' as const },
  };
  await records.collection(domains, scopeOf(organizationId)).insertNew([domain]);
}
