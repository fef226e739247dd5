import type { Account } from '../../../models/organization.ts';
import { systemScope } from '../../../models/scope.ts';
import { statementId, statements, type UsageLine } from '../../../models/statement.ts';
import { dayText } from '../../../models/calendar-day.ts';
import { daysOfMonth } from '../../../models/utc-days.ts';
import type { CountedEvent } from '../fold.ts';
import { lateEvents, type Window } from '../late-use.ts';
import { eventsOfDays } from '../log.ts';
import type { Service } from '../period.ts';
import { priceKeyOf, type Terms } from '../pricing/lines.ts';
import type { ReadingContext } from '../reading/account.ts';
import { isServed } from '../reading/service-window.ts';
import { openTerms } from '../reading/terms.ts';
import { readUsage } from '../reading/usage.ts';
import { ledgerOf, openMonthOf } from '../state.ts';
import { keyOf } from '../sums.ts';
import { statementOf } from './read.ts';

/** A line of a month, closed or open, with what its events are chosen by. */
export interface ChosenLine {
  line: UsageLine;
  /** The price key, and the closed month (YYYY-MM) that a late line belongs to. */
  key: string;
  lateFor: string | null;
  /** What the month of the events is charged by, and when it is served. */
  prices: Terms['prices'];
  service: Service;
  timeZone: string;
  /** When late events were received that are charged here. */
  window: Window;
}

/**
 * A line of a month.
 * @param dimension as the line shows it, such as `delivery_gb/latin-america` or `searches/late-2031-04`
 * @throws Error that names the lines of the month, if none of them is this one; StoreUnavailable
 */
export async function chosenLine(
  app: ReadingContext,
  account: Account,
  month: string,
  dimension: string,
): Promise<ChosenLine> {
  const { _id: accountId, organizationId } = account;
  const { lines } = await readUsage(app, { accountId, organizationId }, { month });
  const metered = lines.filter(({ metric }) => metric !== 'adjustment' && metric !== 'monthly_minimum');
  const line = metered.find((each) => each.dimension === dimension);
  if (line === undefined) {
    const names = metered.map((each) => each.dimension).join(', ');
    throw new Error(`${month} has no line ${dimension}; its lines with events are: ${names || 'none'}`);
  }
  const statement = await statementOf(app, accountId, month);
  const ledger = await ledgerOf(app, account);
  const isNext = openMonthOf(ledger) === month;
  const open = { since: isNext ? ledger.cutoff : 0, before: isNext ? Number.MAX_SAFE_INTEGER : 0 };
  const lateFor = line.lateFor ?? null;
  const closed =
    lateFor === null
      ? statement
      : await app.records.collection(statements, systemScope).get(statementId(accountId, lateFor));
  const terms = closed?.terms ?? (await openTerms(app, account, month));
  return {
    line,
    key: lateFor === null ? dimension : dimension.slice(0, -`/late-${lateFor}`.length),
    lateFor,
    prices: terms.prices,
    service: terms,
    timeZone: terms.timeZone,
    window: statement === null ? open : { since: statement.since, before: statement.before },
  };
}

/** The events that a line is the sum of, a page at a time. @throws StoreUnavailable */
export async function* eventsOfLine(
  app: ReadingContext,
  accountId: string,
  month: string,
  { key, lateFor, prices, service, window }: ChosenLine,
): AsyncGenerator<CountedEvent[]> {
  const { from, to } = daysOfMonth(month);
  const pages =
    lateFor === null ? eventsOfDays(app, accountId, dayText(from), dayText(to)) : lateEvents(app, accountId, window);
  for await (const page of pages)
    yield page.filter(
      (event) =>
        (lateFor === null ? event.lateFor === undefined : event.day.startsWith(lateFor)) &&
        isServed(event, service) &&
        priceKeyOf(prices, keyOf(event)) === key,
    );
}
