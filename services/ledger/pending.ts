import type { AppContext } from '../../mixins/app-context.ts';
import { receiveAdjustments } from '../../mixins/accounts/adjustments.ts';
import type { Intake } from '../../mixins/lifecycle.ts';
import { periodicIntake } from '../../mixins/periodic.ts';
import { systemScope } from '../../models/scope.ts';
import { pendingUsage } from '../../models/usage-event.ts';
import { finishAbandoned, recordEvents, type RecordContext } from './record.ts';

const everyMs = 500;
const pageSize = 500;

/**
 * Moves events that producers handed over to the log. An event that is moved by two processes, or again after a crash,
 * stands there once.
 * @returns how many were moved. @throws StoreUnavailable
 */
export async function movePending(app: RecordContext): Promise<number> {
  const pending = app.records.collection(pendingUsage, systemScope);
  const page = await pending.find({ filter: {}, sort: [['_id', 1]], limit: pageSize });
  if (page.length === 0) return 0;
  await recordEvents(app, page);
  await pending.removeMany({ _id: { $in: page.map(({ _id }) => _id) } }, pageSize);
  return page.length;
}

/** Moves everything that was handed over before the call. @throws StoreUnavailable */
export async function moveAllPending(app: RecordContext): Promise<void> {
  while ((await movePending(app)) === pageSize);
}

/** Moves events that were handed over while the program runs, and finishes what processes that died have begun. */
export function pendingIntake(app: Pick<AppContext, 'records' | 'runtime' | 'log'>): Intake {
  return periodicIntake({
    name: 'pending usage',
    everyMs,
    round: async (isStopping) => {
      await finishAbandoned(app);
      await receiveAdjustments(app);
      while (!isStopping() && (await movePending(app)) === pageSize);
    },
    failed: (err) => app.log.warn({ err }, 'usage could not be moved to the log, will retry'),
  });
}
