import type { ServiceSchema } from 'moleculer';
import { actionsOf } from '../../mixins/actions/actions-of.ts';
import type { AppContext } from '../../mixins/app-context.ts';
import { systemScope } from '../../models/scope.ts';
import { usageEvents } from '../../models/usage-event.ts';

/**
 * The actor that keeps what was used: an append-only log of usage events. An event's id is fixed by its cause, so the
 * same event sent twice stands there once, for ever.
 */
export function ledgerService(app: AppContext): ServiceSchema {
  const log = app.records.collection(usageEvents, systemScope);
  return {
    name: 'ledger',
    actions: actionsOf('ledger', {
      record: async ({ events }) => {
        const receivedAt = app.runtime.now();
        const recorded = await log.insertNew(events.map((event) => ({ ...event, receivedAt })));
        return { recorded: recorded.length };
      },
    }),
  };
}
