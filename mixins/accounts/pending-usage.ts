import { systemScope } from '../../models/scope.ts';
import { pendingUsage, type NewUsageEvent } from '../../models/usage-event.ts';
import type { AppContext } from '../app-context.ts';

/**
 * Hands usage to the ledger, which appends it to its log within seconds. When the promise resolves, the events are on disk,
 * and the producer may forget them. Events have ids that are fixed by their cause, so handing them over again is harmless.
 * @throws StoreUnavailable
 */
export async function pendUsage(
  { records }: Pick<AppContext, 'records'>,
  events: readonly NewUsageEvent[],
): Promise<void> {
  if (events.length > 0) await records.collection(pendingUsage, systemScope).insertNew(events);
}
