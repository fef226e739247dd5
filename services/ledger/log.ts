import type { AppContext } from '../../mixins/app-context.ts';
import { systemScope } from '../../models/scope.ts';
import { usageEvents } from '../../models/usage-event.ts';
import { usageMonths, type UsageMonth } from '../../models/usage-month.ts';
import { isBehind, type CountedEvent, type Place } from './fold.ts';

type Context = Pick<AppContext, 'records'>;

/** Events that are read at a time. */
const pageSize = 2000;
/** Organizations that are read at a time. */
const readTogether = 200;

/** Events of an account between two days (YYYY-MM-DD), both included, in the order of days, a page at a time. */
export async function* eventsOfDays(
  { records }: Context,
  accountId: string,
  from: string,
  to: string,
): AsyncGenerator<CountedEvent[]> {
  const events = records.collection(usageEvents, systemScope);
  for (let after: (string | number)[] | null = null; ;) {
    const page: Awaited<ReturnType<typeof events.find>> = await events.find({
      filter: { accountId, day: { $gte: from, $lte: to } },
      sort: [
        ['day', 1],
        ['_id', 1],
      ],
      limit: pageSize,
      ...(after === null ? {} : { after }),
    });
    yield page.map((event) => ({ ...event, day: event.day ?? from }));
    const last = page.at(-1);
    if (last === undefined || page.length < pageSize) return;
    after = [last.day ?? from, last._id];
  }
}

/** The roll-ups of an account's month: of each organization, and of the account. */
export async function* rollUpsOf({ records }: Context, accountId: string, month: string): AsyncGenerator<UsageMonth> {
  const months = records.collection(usageMonths, systemScope);
  for (let after: (string | number)[] | null = null; ;) {
    const page: UsageMonth[] = await months.find({
      filter: { accountId, month },
      sort: [['organizationId', 1]],
      limit: readTogether,
      ...(after === null ? {} : { after }),
    });
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < readTogether) return;
    after = [last.organizationId];
  }
}

/** The last event that a roll-up contains; one that is missing contains what was counted. */
export function placeOf(rollUp: Pick<UsageMonth, 'throughAt' | 'throughId'> | undefined, counted: Place): Place {
  if (rollUp === undefined || !isBehind({ receivedAt: rollUp.throughAt, _id: rollUp.throughId }, counted))
    return counted;
  return { receivedAt: rollUp.throughAt, eventId: rollUp.throughId };
}
