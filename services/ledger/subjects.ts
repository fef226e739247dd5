import type { AppContext } from '../../mixins/app-context.ts';
import { assets } from '../../models/asset.ts';
import type { CollectionDefinition } from '../../models/collection.ts';
import { dayText } from '../../models/calendar-day.ts';
import { systemScope } from '../../models/scope.ts';
import type { UsageMetric } from '../../models/usage-metric.ts';
import {
  usageFileMonths,
  usageFiles,
  usageResourceMonths,
  type UsageDays,
  type UsageFileMonth,
  type UsageResourceMonth,
} from '../../models/usage-month.ts';
import { utcDayOf } from '../../models/utc-days.ts';
import type { CountedEvent } from './fold.ts';

/** What every roll-up of a month begins with. */
export const unread: { throughAt: number; throughId: string; days: UsageDays } = {
  throughAt: 0,
  throughId: '',
  days: {},
};

/** What usage is for, besides an organization: it has roll-ups of its own, whose ids are `<subject>:<month>`. */
export interface SubjectKind<T> {
  definition: CollectionDefinition<T & { _id: string }>;
  field: 'assetId' | 'resourceId';
  /** The event with the day on which its subject shows it; null where no subject does. */
  counted: (event: CountedEvent) => CountedEvent | null;
  /** A month without use. @param createdAt when the subject was registered, in milliseconds */
  empty: (first: CountedEvent, createdAt: number) => T;
}

/** The month of a subject that an event is in. @param event as its subject counts it */
export function subjectMonthId({ field }: Pick<SubjectKind<unknown>, 'field'>, event: CountedEvent): string {
  return `${event[field] ?? ''}:${event.day.slice(0, 7)}`;
}

/** Files, as `GET /usage/assets` shows them. */
export const fileKind: SubjectKind<UsageFileMonth> = {
  definition: usageFileMonths,
  field: 'assetId',
  counted: (event) => (event.assetId === null ? null : event),
  empty: (first, createdAt) => ({
    _id: subjectMonthId({ field: 'assetId' }, first),
    accountId: first.accountId,
    organizationId: first.organizationId,
    assetId: first.assetId ?? '',
    month: first.day.slice(0, 7),
    createdAt,
    duplicateOf: null,
    ...unread,
  }),
};

/** Files that are read at a time. */
const readTogether = 500;

/**
 * When files were registered, by id, in milliseconds. A file that is deleted and was never remembered is not among them: it
 * has no name to be shown by, so it has no roll-up either. @throws StoreUnavailable
 */
export async function registrationTimes(
  { records }: Pick<AppContext, 'records'>,
  ids: readonly string[],
): Promise<Map<string, number>> {
  const times = new Map<string, number>();
  for (let start = 0; start < ids.length; start += readTogether) {
    const some = ids.slice(start, start + readTogether);
    for (const { _id, createdAt } of await records.collection(usageFiles, systemScope).getMany(some))
      times.set(_id, createdAt);
    const others = some.filter((id) => !times.has(id));
    if (others.length === 0) continue;
    for (const { _id, createdAt } of await records.collection(assets, systemScope).getMany(others))
      times.set(_id, createdAt);
  }
  return times;
}

/** Metrics whose use of a resource is shown elsewhere: its traffic has totals of its own. */
const ofTraffic: ReadonlySet<UsageMetric> = new Set(['delivery_gb', 'requests_millions']);
/** Metrics that count what a day of the account ended with. All others are shown by days of UTC. */
const ofAccountDays: ReadonlySet<UsageMetric> = new Set(['storage_gb_days', 'custom_domain_days']);

/** Buckets, libraries and domains, as `GET /usage/resources` shows them. */
export const resourceKind: SubjectKind<UsageResourceMonth> = {
  definition: usageResourceMonths,
  field: 'resourceId',
  counted: (event) => {
    if (event.resourceId === undefined || ofTraffic.has(event.metric)) return null;
    return ofAccountDays.has(event.metric) ? event : { ...event, day: dayText(utcDayOf(event.at)) };
  },
  empty: (first) => ({
    _id: subjectMonthId({ field: 'resourceId' }, first),
    accountId: first.accountId,
    organizationId: first.organizationId,
    resourceId: first.resourceId ?? '',
    month: first.day.slice(0, 7),
    ...unread,
  }),
};
