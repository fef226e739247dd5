import type { AppContext } from '../../../mixins/app-context.ts';
import type { Intake } from '../../../mixins/lifecycle.ts';
import { periodicIntake } from '../../../mixins/periodic.ts';
import { settingsOf } from '../../../mixins/settings/settings.ts';
import { calendarDay } from '../../../models/calendar-day.ts';
import { scopeOf, systemScope } from '../../../models/scope.ts';
import { loggedQueries, searchDays, searchLogs, type SearchLogState } from '../../../models/search-log.ts';
import { withoutDaysBefore } from './logged-query.ts';
import { timeZones } from './time-zone.ts';

/** Days for which counts are kept: the longest window of the analytics, plus a few since time zones may change. */
const countedDays = 370;
/** Maximum documents of one page. */
const pageSize = 200;

/** The parts of the app context that retention uses. */
export type RetentionContext = Pick<AppContext, 'runtime' | 'records'>;

/**
 * Removes expired days from the queries of an organization. Each write is conditional on the version read, so that
 * several sweepers may run concurrently.
 */
async function forgetDays(
  { records }: RetentionContext,
  organizationId: string,
  firstDay: number,
  shouldContinue: () => boolean,
): Promise<void> {
  const queries = records.collection(loggedQueries, scopeOf(organizationId));
  for (;;) {
    const old = await queries.find({
      filter: { oldestDay: { $lt: firstDay } },
      sort: [
        ['oldestDay', 1],
        ['_id', 1],
      ],
      limit: pageSize,
    });
    await Promise.all(
      old.map(async (stored) => {
        const change = withoutDaysBefore(stored, firstDay);
        if (change === null) await queries.remove(stored._id, { version: stored.version });
        else await queries.update(stored._id, { version: stored.version }, change);
      }),
    );
    if (old.length < pageSize || !shouldContinue()) return;
  }
}

async function removeAll(remove: () => Promise<number>, shouldContinue: () => boolean): Promise<void> {
  while ((await remove()) === pageSize && shouldContinue());
}

async function sweepOrganization(
  app: RetentionContext,
  state: SearchLogState,
  today: number,
  shouldContinue: () => boolean,
): Promise<void> {
  const { records } = app;
  const { organizationId } = state;
  const scope = scopeOf(organizationId);
  const { searchLogDays } = await settingsOf(app, organizationId);
  await removeAll(
    () => records.collection(searchDays, scope).removeMany({ day: { $lt: today - countedDays } }, pageSize),
    shouldContinue,
  );
  if (searchLogDays > 0) return forgetDays(app, organizationId, today - searchLogDays + 1, shouldContinue);
  await removeAll(() => records.collection(loggedQueries, scope).removeMany({}, pageSize), shouldContinue);
  if (state.recordingSince !== null)
    await records.collection(searchLogs, scope).update(organizationId, {}, { set: { recordingSince: null } });
}

/**
 * Sweeps the search logs of all organizations once: removes query texts that are older than `searchLogDays` calendar
 * days (today is the first of them; all texts if it is 0), and counts beyond every window. Ends early once
 * `shouldContinue` returns false.
 * @throws StoreUnavailable
 */
export async function sweepSearchLogs(app: RetentionContext, shouldContinue: () => boolean): Promise<void> {
  const states = app.records.collection(searchLogs, systemScope);
  const zones = timeZones(app);
  let after: string[] | null = null;
  for (;;) {
    const page: SearchLogState[] = await states.find({
      filter: {},
      sort: [['_id', 1]],
      limit: pageSize,
      ...(after === null ? {} : { after }),
    });
    for (const state of page) {
      if (!shouldContinue()) return;
      await sweepOrganization(
        app,
        state,
        calendarDay(app.runtime.now(), await zones.ofAccount(state.accountId)),
        shouldContinue,
      );
    }
    const last = page.at(-1);
    if (last === undefined || page.length < pageSize) return;
    after = [last._id];
  }
}

/** Milliseconds between two sweeps. */
const intervalMs = 10 * 60_000;
/** Milliseconds within which the first sweep starts, at a random time in each process. */
const maxFirstMs = 60_000;

/** Sweeps the search logs periodically until it is stopped. A failed sweep is logged. Several processes may do so. */
export function startRetention(app: RetentionContext & Pick<AppContext, 'log'>): Pick<Intake, 'stop'> {
  const retention = periodicIntake({
    name: 'search logs',
    everyMs: intervalMs,
    firstMs: app.runtime.random() * maxFirstMs,
    round: (isStopping) => sweepSearchLogs(app, () => !isStopping()),
    failed: (error) => app.log.warn({ err: error }, 'sweeping the search logs failed, will retry'),
  });
  void retention.start();
  return retention;
}
