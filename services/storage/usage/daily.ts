import type { Collection, Filter } from '../../../adapters/records/port.ts';
import { pendUsage } from '../../../mixins/accounts/pending-usage.ts';
import type { AppContext } from '../../../mixins/app-context.ts';
import type { Intake } from '../../../mixins/lifecycle.ts';
import { periodicIntake } from '../../../mixins/periodic.ts';
import { assets } from '../../../models/asset.ts';
import { buckets } from '../../../models/bucket.ts';
import { calendarDay, dayText } from '../../../models/calendar-day.ts';
import { domains } from '../../../models/domain.ts';
import { measuredDays } from '../../../models/measured-days.ts';
import { accounts, organizations, type Account } from '../../../models/organization.ts';
import { RecentKeys } from '../../../models/recent-keys.ts';
import { systemScope } from '../../../models/scope.ts';
import type { NewUsageEvent } from '../../../models/usage-event.ts';
import { utcDay } from '../../../models/utc-days.ts';
import { startOfDay } from '../../../models/zoned-month.ts';
import { totalsOf } from '../totals.ts';

type Context = Pick<AppContext, 'records' | 'runtime'>;

const everyMs = 10_000;
const pageSize = 200;
/** Files whose sizes are added up in one read. */
const filesAtOnce = 5000;

/** What an account keeps, of which each day is charged, without its day. */
type Kept = Omit<NewUsageEvent, '_id' | 'day' | 'at'> & { cause: string };

/**
 * Measures what each account keeps when its day ends: the bytes of buckets, and of the passages that are searchable. Days
 * on which no program ran are measured at the next start: nothing changed meanwhile. Custom domains that are active are
 * counted for the running day, too. Event ids name what is measured and the day, so a day counts once.
 * @throws StoreUnavailable
 */
export async function measureAccounts(
  app: Context,
  recorded: RecentKeys,
  isStopping: () => boolean = () => false,
): Promise<void> {
  for (let after: string[] | null = null; ;) {
    const page: Account[] = await app.records
      .collection(accounts, systemScope)
      .find({ filter: {}, sort: [['_id', 1]], limit: pageSize, ...(after === null ? {} : { after }) });
    for (const account of page) if (!isStopping()) await measureAccount(app, account, recorded);
    const last = page.at(-1);
    if (last === undefined || page.length < pageSize || isStopping()) return;
    after = [last._id];
  }
}

/** Measures the days of one account that have ended since the last one that was measured. */
export async function measureAccount(app: Context, account: Account, recorded = noneRecorded()): Promise<void> {
  const { records, runtime } = app;
  const measured = records.collection(measuredDays, systemScope);
  const now = runtime.now();
  const today = calendarDay(now, account.timeZone);
  const created = Math.max(calendarDay(account.createdAt, account.timeZone) - 1, today - maxDays);
  const known = await measured.get(account._id);
  if (known === null) await measured.insertNew([{ _id: account._id, through: dayText(created) }]);
  const through = known?.through ?? dayText(created);
  const days: number[] = [];
  for (let day = (utcDay(through) ?? today) + 1; day < today; day += 1) days.push(day);
  const running = eventsOf(await activeDomains(app, account), account, [...days, today], now);
  const fresh = running.filter(({ _id }) => !recorded.has(_id));
  await pendUsage(app, fresh);
  for (const { _id } of fresh) recorded.add(_id);
  if (days.length === 0) return;
  const kept = [...(await keptInBuckets(app, account)), ...(await keptSearchable(app, account))];
  await pendUsage(app, eventsOf(kept, account, days, now));
  await measured.update(account._id, { through }, { set: { through: dayText(today - 1) } });
}

/** Days back that a program measures which did not measure before. */
const maxDays = 400;

/** The ids of events that this process has handed over of the running day: they are not handed over again. */
function noneRecorded(): RecentKeys {
  return new RecentKeys({ max: 100_000, ttlMs: 2 * 86_400_000 });
}

/** Measures what accounts keep while the program runs. Several processes may do so. */
export function measureIntake(app: Context & Pick<AppContext, 'log'>): Intake {
  const recorded = noneRecorded();
  return periodicIntake({
    name: 'daily measures',
    everyMs,
    firstMs: 0,
    round: (isStopping) => measureAccounts(app, recorded, isStopping),
    failed: (err) => app.log.warn({ err }, 'what accounts keep could not be measured, will retry'),
  });
}

function eventsOf(kept: readonly Kept[], { timeZone }: Account, days: readonly number[], now: number): NewUsageEvent[] {
  return kept.flatMap(({ cause, ...event }) =>
    days.map((number) => {
      const day = dayText(number);
      return {
        ...event,
        _id: `${cause}:${day}:${event.metric}`,
        day,
        at: Math.min(now, startOfDay(number + 1, timeZone)),
      };
    }),
  );
}

async function keptInBuckets({ records }: Context, { _id: accountId }: Account): Promise<Kept[]> {
  const kept: Kept[] = [];
  for await (const page of pagesOf(records.collection(buckets, systemScope), { accountId })) {
    const byOrganization = Map.groupBy(
      page.filter(({ purgedAt }) => purgedAt === undefined),
      ({ organizationId }) => organizationId,
    );
    for (const [organizationId, own] of byOrganization)
      for (const [bucketId, { bytes }] of await totalsOf({ records }, own)) {
        const bucket = own.find(({ _id }) => _id === bucketId);
        if (bucket !== undefined && bytes > 0)
          kept.push({
            ...use(accountId, organizationId, bucketId),
            metric: 'storage_gb_days',
            dimension: bucket.region,
            quantity: bytes,
          });
      }
  }
  return kept;
}

async function activeDomains({ records }: Context, { _id: accountId }: Account): Promise<Kept[]> {
  const kept: Kept[] = [];
  for await (const page of pagesOf(records.collection(domains, systemScope), { accountId, deletedAt: null }))
    for (const { _id, organizationId, state } of page)
      if (state === 'active')
        kept.push({ ...use(accountId, organizationId, _id), metric: 'custom_domain_days', quantity: 1 });
  return kept;
}

/** The bytes of the passages of active revisions, by organization. */
async function keptSearchable({ records }: Context, { _id: accountId }: Account): Promise<Kept[]> {
  const kept: Kept[] = [];
  const files = records.collection(assets, systemScope);
  for await (const page of pagesOf(records.collection(organizations, systemScope), { accountId }))
    for (const { _id: organizationId } of page) {
      let quantity = 0;
      for (let after: (string | number)[] | null = null; ;) {
        const sizes = await files.pick(
          {
            filter: { organizationId, deletedAt: null },
            sort: [
              ['createdAt', 1],
              ['_id', 1],
            ],
            limit: filesAtOnce,
            ...(after === null ? {} : { after }),
          },
          ['createdAt', '_id', 'activeRevision', 'facts.textBytes'],
        );
        for (const [, , revision, bytes] of sizes) if (revision !== null) quantity += Number(bytes ?? 0);
        const [createdAt, id] = sizes.at(-1) ?? [];
        if (sizes.length < filesAtOnce) break;
        after = [Number(createdAt), String(id)];
      }
      if (quantity > 0)
        kept.push({
          accountId,
          organizationId,
          assetId: null,
          cause: organizationId,
          metric: 'index_gigabyte_months',
          quantity,
        });
    }
  return kept;
}

/** All documents that match a filter, oldest first, page by page. */
async function* pagesOf<T extends { _id: string; createdAt: number }>(
  collection: Collection<T>,
  filter: Filter,
): AsyncGenerator<T[]> {
  for (let after: (string | number)[] | null = null; ;) {
    const page: T[] = await collection.find({
      filter,
      sort: [
        ['createdAt', 1],
        ['_id', 1],
      ],
      limit: pageSize,
      ...(after === null ? {} : { after }),
    });
    yield page;
    const last = page.at(-1);
    if (last === undefined || page.length < pageSize) return;
    after = [last.createdAt, last._id];
  }
}

/** What all events of a resource have. */
function use(accountId: string, organizationId: string, resourceId: string): Omit<Kept, 'metric' | 'quantity'> {
  return { accountId, organizationId, assetId: null, resourceId, cause: resourceId };
}
