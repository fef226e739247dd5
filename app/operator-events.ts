import { open } from 'node:fs/promises';
import { csvCell } from '../models/csv.ts';
import { isoTime } from '../models/runtime.ts';
import { object, optional, required, type Shape } from '../models/schemas/schema.ts';
import { statementPath } from '../models/schemas/usage.ts';
import { text } from '../models/schemas/values.ts';
import { metricOf } from '../models/usage-metric.ts';
import { accountOf } from '../services/accounts/account.ts';
import type { AccountsContext } from '../services/accounts/collections.ts';
import type { CountedEvent } from '../services/ledger/fold.ts';
import { metricOfKey, unitsOf } from '../services/ledger/pricing/lines.ts';
import { toNumber } from '../services/ledger/pricing/fraction.ts';
import { servedDays } from '../services/ledger/period.ts';
import { chosenLine, eventsOfLine } from '../services/ledger/statements/events-of-line.ts';

const fields = {
  ...statementPath,
  line: required(text(1, 200)),
  file: required(text(1, 4000)),
  account: optional(text(1, 200)),
};

/** Input of a list of events: the month, the line by its `dimension`, and the absolute path of the file to write. */
export const operatorEvents = object(fields);

/** What was written. */
export interface WrittenEvents {
  events: number;
  unit: string;
  /** The sum of the events, and what the line says. */
  sum: number;
  quantity: number;
}

const columns =
  'Event,Happened at,Received at,Day,Organization,File,Resource,Metric,Dimension,Quantity,Base unit,Duplicate of';

/**
 * Writes the events that a line of a month is the sum of, as CSV. A page of them is in memory at a time.
 * @throws what `accountOf` and `chosenLine` throw; Error of the file
 */
export async function eventsAsOperator(
  app: AccountsContext,
  { month, line: dimension, file: path, account: named }: Shape<typeof fields>,
): Promise<WrittenEvents> {
  const account = await accountOf(app, named);
  const chosen = await chosenLine(app, account, month, dimension);
  const metric = metricOfKey(chosen.key);
  // It holds ids of files and organizations.
  const file = await open(path, 'w', 0o600);
  let [events, sum] = [0, 0n];
  try {
    await file.write(`${columns}\r\n`);
    for await (const page of eventsOfLine(app, account._id, month, chosen)) {
      if (page.length > 0) await file.write(page.map(row).join(''));
      for (const { quantity } of page) sum += BigInt(quantity);
      events += page.length;
    }
  } finally {
    await file.close();
  }
  const { inMonth } = servedDays(chosen.lateFor ?? month, chosen.timeZone, {});
  return {
    events,
    unit: chosen.line.unit,
    sum: toNumber(unitsOf(metric, sum, { inMonth })),
    quantity: chosen.line.quantity,
  };
}

function row({ _id, at, receivedAt, day, ...event }: CountedEvent): string {
  const cells = [
    _id,
    isoTime(at),
    isoTime(receivedAt),
    day,
    event.organizationId,
    event.assetId ?? '',
    event.resourceId ?? '',
    event.metric,
    event.dimension ?? '',
    String(event.quantity),
    metricOf(event.metric).base,
    event.duplicateOf ?? '',
  ];
  return `${cells.map(csvCell).join(',')}\r\n`;
}
