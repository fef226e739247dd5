import type { AppContext } from '../../../mixins/app-context.ts';
import { dayText } from '../../../models/calendar-day.ts';
import type { Statement } from '../../../models/statement.ts';
import { daysOfMonth } from '../../../models/utc-days.ts';
import type { MonthUse } from '../account-answer.ts';
import { adjustmentsIn, arrivedLate, countEvent, lateUse, type EventCount } from '../late-use.ts';
import { isServed } from '../reading/service-window.ts';
import { eventsOfDays } from '../log.ts';
import { addEvent, type Sum, type Sums } from '../sums.ts';

type Context = Pick<AppContext, 'records'>;

/** What a statement is computed from, besides the events and corrections themselves. */
export type Basis = Pick<Statement, 'accountId' | 'month' | 'terms' | 'since' | 'before'>;

/** A month as its statement says it, computed from events. */
export interface ComputedMonth extends MonthUse {
  /** All work, also outside the service: of the whole account, and of each organization. */
  all: Sums;
  allOfOrganizations: ReadonlyMap<string, Sums>;
  adjustmentIds: string[];
  events: EventCount & { late: number };
}

/**
 * Computes a month from its events: those of its days that were not late for it, those that were late for closed months and
 * received from `since` until `before`, and the corrections of that time. Computed again later it is the same: what is
 * recorded once the cutoff has passed is marked as late.
 * @throws StoreUnavailable
 */
export async function computeMonth(app: Context, basis: Basis): Promise<ComputedMonth> {
  const { accountId, month, terms, since, before } = basis;
  const sums: Sums = new Map();
  const organizations = new Map<string, Sums>();
  const all: Sums = new Map();
  const allOfOrganizations = new Map<string, Sums>();
  const ofMonth: EventCount = { count: 0, firstId: null, lastId: null };
  const { from, to } = daysOfMonth(month);
  for await (const page of eventsOfDays(app, accountId, dayText(from), dayText(to)))
    for (const event of page) {
      // What was late for it is charged by a later statement.
      if (event.lateFor !== undefined) continue;
      countEvent(ofMonth, event._id);
      addEvent(all, event);
      addEvent(sumsOf(allOfOrganizations, event.organizationId), event);
      if (!isServed(event, terms)) continue;
      addEvent(sums, event);
      addEvent(sumsOf(organizations, event.organizationId), event);
    }
  const window = { since, before };
  const arrived = await arrivedLate(app, accountId, window, month);
  const adjustments = await adjustmentsIn(app, accountId, window);
  return {
    month,
    terms,
    sums,
    organizations,
    late: await lateUse(app, accountId, arrived.sums, month),
    lateOfOrganizations: arrived.organizations,
    adjustments,
    all,
    allOfOrganizations,
    adjustmentIds: adjustments.map(({ _id }) => _id),
    events: { ...together(ofMonth, arrived.events), late: arrived.events.count },
  };
}

function sumsOf(organizations: Map<string, Sums>, organizationId: string): Sums {
  const known = organizations.get(organizationId) ?? new Map<string, Sum>();
  organizations.set(organizationId, known);
  return known;
}

function together(one: EventCount, other: EventCount): EventCount {
  const both = { ...one };
  for (const id of [other.firstId, other.lastId]) if (id !== null) countEvent(both, id);
  return { ...both, count: one.count + other.count };
}
