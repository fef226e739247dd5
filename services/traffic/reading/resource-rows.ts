import { domains } from '../../../models/domain.ts';
import { scopeOf, systemScope } from '../../../models/scope.ts';
import { resourceMetrics } from '../../../models/schemas/delivery-analytics.ts';
import { metricOf } from '../../../models/usage-metric.ts';
import { usageResourceMonths, type UsageResourceMonth } from '../../../models/usage-month.ts';
import { utcDay, type UtcPeriod } from '../../../models/utc-days.ts';
import { pagesOf, type FiguresContext } from './figures.ts';
import type { ResourceUsage } from './resources.ts';

type Row = ResourceUsage['items'][number];

/** Domains whose buckets are looked up at a time. */
const domainsAtOnce = 500;

/**
 * What the buckets and domains of an organization used in a month (YYYY-MM), besides their traffic.
 * @param onlyBucket one bucket alone, with its domains @throws StoreUnavailable
 */
export async function resourceRows(
  app: FiguresContext,
  organizationId: string,
  month: string,
  period: UtcPeriod,
  onlyBucket: string | undefined,
): Promise<Row[]> {
  const { records } = app;
  const months = pagesOf(
    records.collection(usageResourceMonths, systemScope),
    { filter: { organizationId, month }, sort: [['resourceId', 1]] },
    ({ resourceId }: UsageResourceMonth) => [resourceId],
  );
  const rows: Row[] = [];
  for await (const used of months) rows.push(...rowsOfMonth(used, period));
  if (onlyBucket === undefined) return rows;
  const own = new Set([onlyBucket]);
  const ids = [...new Set(rows.map(({ resourceId }) => resourceId))];
  for (let start = 0; start < ids.length; start += domainsAtOnce)
    for (const { _id, bucketId } of await records
      .collection(domains, scopeOf(organizationId))
      .getMany(ids.slice(start, start + domainsAtOnce)))
      if (bucketId === onlyBucket) own.add(_id);
  return rows.filter(({ resourceId }) => own.has(resourceId));
}

function rowsOfMonth({ resourceId, month, days }: Readonly<UsageResourceMonth>, { from, to }: UtcPeriod): Row[] {
  return Object.entries(days).flatMap(([number, sums]) => {
    const day = `${month}-${number}`;
    const at = utcDay(day) ?? 0;
    if (at < from || at > to) return [];
    return Object.entries(sums).flatMap(([key, [baseUnits]]): Row[] => {
      const [name, dimension = null] = key.split('/');
      const metric = resourceMetrics.find((each) => each === name);
      if (metric === undefined) return [];
      const { perUnit, unit } = metricOf(metric);
      const quantity = Number(baseUnits) / Number(perUnit);
      return [{ resourceId, resourceName: null, metric, day, dimension, quantity, unit, provisional: false }];
    });
  });
}

/** Hostnames of domains, by id. */
export async function hostnamesOf(
  { records }: FiguresContext,
  organizationId: string,
  ids: readonly string[],
): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const found = await records.collection(domains, scopeOf(organizationId)).getMany(ids);
  return new Map(found.map(({ _id, hostname }) => [_id, hostname]));
}
