import { dayText } from '../../../models/calendar-day.ts';
import type { Account } from '../../../models/organization.ts';
import { systemScope } from '../../../models/scope.ts';
import { usageMonths, type UsageMonth, type UsageSums } from '../../../models/usage-month.ts';
import { monthAfter, startOfMonth } from '../../../models/zoned-month.ts';
import { monthBounds, type Period } from '../period.ts';
import { eventsOfDays } from '../log.ts';
import { addEvent, addStored, addTo, type Sum, type Sums } from '../sums.ts';
import type { ReadingContext } from './account.ts';
import { dayNumber, isServed, partOfDay } from './service-window.ts';

/** Organizations that are read at a time: with all their days, or with their sums alone. */
const pageSize = 200;
const totalsAtOnce = 1000;

/** What an account, or one organization, used in a period. */
export interface PeriodUse {
  /** What may be charged, by month (YYYY-MM): inside the service. */
  sums: Map<string, Sums>;
  /** The same of each organization, by organization and month. Empty where one organization is asked for. */
  organizations: Map<string, Map<string, Sums>>;
  /** All use, also outside the service. */
  all: Sums;
}

type Filtered = Pick<Account, '_id' | 'serviceStartsAt' | 'serviceEndsAt'>;

/**
 * What was used in a period. Its cost grows with months and organizations, never with events; but those of the days on which
 * the service begins and ends are read.
 * @param organizationId null: the whole account, with each of its organizations @throws StoreUnavailable
 */
export async function useOf(
  app: ReadingContext,
  account: Filtered,
  period: Period,
  organizationId: string | null,
): Promise<PeriodUse> {
  const use: PeriodUse = { sums: new Map(), organizations: new Map(), all: new Map() };
  if (period.month !== null && isServedWhole(account, period.month, period.timeZone)) {
    await addTotals(app, use, account._id, period.month, organizationId);
    return use;
  }
  const boundaries = new Set<string>();
  for await (const month of monthsIn(app, account._id, period, organizationId))
    for (const [number, stored] of Object.entries(month.days)) {
      const day = `${month.month}-${number}`;
      if (dayNumber(day) >= period.from && dayNumber(day) <= period.to)
        addDay(use, account, period, month, day, stored, boundaries, organizationId);
    }
  for (const day of boundaries)
    for await (const page of eventsOfDays(app, account._id, day, day))
      for (const event of page)
        if (
          partOfDay(event.metric, dayNumber(day), account, period.timeZone) === 'events' &&
          isServed(event, account) &&
          (organizationId === null || organizationId === event.organizationId)
        ) {
          addEvent(sumsIn(use.sums, day.slice(0, 7)), event);
          if (organizationId === null) addEvent(sumsOf(use, event.organizationId, day.slice(0, 7)), event);
        }
  return use;
}

function isServedWhole({ serviceStartsAt, serviceEndsAt }: Filtered, month: string, timeZone: string): boolean {
  // Days of UTC, and those of a time zone that the account had before, reach up to two days beyond the account's.
  const beyond = 2 * 86_400_000;
  const [begins, ends] = [startOfMonth(month, timeZone) - beyond, startOfMonth(monthAfter(month), timeZone) + beyond];
  return (serviceStartsAt ?? begins) <= begins && (serviceEndsAt ?? ends) >= ends;
}

function sumsIn(all: Map<string, Sums>, name: string): Sums {
  const known = all.get(name) ?? new Map<string, Sum>();
  all.set(name, known);
  return known;
}

function sumsOf({ organizations }: PeriodUse, organizationId: string, month: string): Sums {
  const known = organizations.get(organizationId) ?? new Map<string, Sums>();
  organizations.set(organizationId, known);
  return sumsIn(known, month);
}

async function addTotals(
  { records }: ReadingContext,
  use: PeriodUse,
  accountId: string,
  month: string,
  organizationId: string | null,
): Promise<void> {
  const months = records.collection(usageMonths, systemScope);
  const only = organizationId === null ? {} : { organizationId };
  for (let after: (string | number)[] | null = null; ;) {
    const page = await months.pick(
      {
        filter: { accountId, month, ...only },
        sort: [['organizationId', 1]],
        limit: totalsAtOnce,
        ...(after === null ? {} : { after }),
      },
      ['organizationId', 'total'],
    );
    for (const [organization, total] of page) {
      const stored = JSON.parse(String(total)) as UsageSums;
      const isWhole = organization === '' || organizationId !== null;
      addStored(isWhole ? sumsIn(use.sums, month) : sumsOf(use, String(organization), month), stored);
      if (isWhole) addStored(use.all, stored);
    }
    const last = page.at(-1);
    if (last === undefined || page.length < totalsAtOnce) return;
    after = [String(last[0])];
  }
}

async function* monthsIn(
  { records }: ReadingContext,
  accountId: string,
  period: Period,
  organizationId: string | null,
): AsyncGenerator<Readonly<UsageMonth>> {
  const months = records.collection(usageMonths, systemScope);
  const { first, last } = monthBounds(period);
  for (let after: (string | number)[] | null = null; ;) {
    const page: UsageMonth[] = await months.find({
      filter: {
        accountId,
        month: { $gte: first, $lte: last },
        ...(organizationId === null ? {} : { organizationId }),
      },
      sort: [
        ['month', 1],
        ['organizationId', 1],
      ],
      limit: pageSize,
      ...(after === null ? {} : { after }),
    });
    yield* page;
    const end = page.at(-1);
    if (end === undefined || page.length < pageSize) return;
    after = [end.month, end.organizationId];
  }
}

function addDay(
  use: PeriodUse,
  account: Filtered,
  period: Period,
  { month, organizationId }: Readonly<UsageMonth>,
  day: string,
  stored: Readonly<UsageSums>,
  boundaries: Set<string>,
  asked: string | null,
): void {
  const isWhole = organizationId === '' || asked !== null;
  if (isWhole) addStored(use.all, stored);
  const sums = isWhole ? sumsIn(use.sums, month) : sumsOf(use, organizationId, month);
  for (const [key, [quantity, events, duplicates]] of Object.entries(stored)) {
    const part = partOfDay(key, dayNumber(day), account, period.timeZone);
    if (part === 'all') addTo(sums, key, { quantity: BigInt(quantity), events, duplicates });
    if (part === 'events') boundaries.add(dayText(dayNumber(day)));
  }
}
