import type { House } from '../../../mixins/house.ts';
import { settingsOf } from '../../../mixins/settings/settings.ts';
import { calendarDay } from '../../../models/calendar-day.ts';
import { scopeOf, systemScope } from '../../../models/scope.ts';
import { loggedQueries, searchDays, searchLogs, type SearchLogState } from '../../../models/search-log.ts';
import { withoutDaysBefore } from './logged-query.ts';
import { timeZones } from './time-zone.ts';

/** Days that are counted without texts: the longest window of the analytics and some more, since zones may change. */
const countedDays = 370;
/** Documents that are looked at at a time. */
const atOnce = 200;

/** What the sweeper needs of the house. */
export type RetentionHouse = Pick<House, 'ambient' | 'records'>;

/** Takes days that are too old out of the queries of an organization. Each write is conditional on what was read, so several sweepers do no harm. */
async function forgetDays({ records }: RetentionHouse, organizationId: string, firstDay: number, goesOn: () => boolean): Promise<void> {
  const queries = records.collection(loggedQueries, scopeOf(organizationId));
  for (;;) {
    const old = await queries.find({ filter: { oldestDay: { $lt: firstDay } }, sort: [['oldestDay', 1], ['_id', 1]], limit: atOnce });
    await Promise.all(old.map(async (stored) => {
      const change = withoutDaysBefore(stored, firstDay);
      if (change === null) await queries.remove(stored._id, { version: stored.version });
      else await queries.update(stored._id, { version: stored.version }, change);
    }));
    if (old.length < atOnce || !goesOn()) return;
  }
}

async function removeAll(remove: () => Promise<number>, goesOn: () => boolean): Promise<void> {
  while ((await remove()) === atOnce && goesOn());
}

async function sweepOrganization(house: RetentionHouse, state: SearchLogState, today: number, goesOn: () => boolean): Promise<void> {
  const { records } = house;
  const { organizationId } = state;
  const scope = scopeOf(organizationId);
  const { searchLogDays } = await settingsOf(house, organizationId);
  await removeAll(() => records.collection(searchDays, scope).removeMany({ day: { $lt: today - countedDays } }, atOnce), goesOn);
  if (searchLogDays > 0) return forgetDays(house, organizationId, today - searchLogDays + 1, goesOn);
  await removeAll(() => records.collection(loggedQueries, scope).removeMany({}, atOnce), goesOn);
  if (state.recordingSince !== null) await records.collection(searchLogs, scope).update(organizationId, {}, { set: { recordingSince: null } });
}

/**
 * One round over all organizations: removes query texts that are older than `searchLogDays` calendar days (today is the
 * first of them; all of them where that is 0), and counts that no window reaches. Ends early once `goesOn` says no.
 * @throws StoreUnavailable
 */
export async function sweepSearchLogs(house: RetentionHouse, goesOn: () => boolean): Promise<void> {
  const states = house.records.collection(searchLogs, systemScope);
  const zones = timeZones(house);
  let after: string[] | null = null;
  for (;;) {
    const page: SearchLogState[] = await states.find({ filter: {}, sort: [['_id', 1]], limit: atOnce, ...(after === null ? {} : { after }) });
    for (const state of page) {
      if (!goesOn()) return;
      await sweepOrganization(house, state, calendarDay(house.ambient.now(), await zones.ofAccount(state.accountId)), goesOn);
    }
    const last = page.at(-1);
    if (last === undefined || page.length < atOnce) return;
    after = [last._id];
  }
}
