import type { ServiceSchema } from 'moleculer';
import { actionsOf } from '../../mixins/actions/actions-of.ts';
import type { AppContext } from '../../mixins/app-context.ts';
import { recordEvents } from './record.ts';

/**
 * The actor that keeps what was used: an append-only log of usage events. An event's id is fixed by its cause, so the
 * same event sent twice stands there once, for ever.
 */
export function ledgerService(app: AppContext): ServiceSchema {
  return {
    name: 'ledger',
    actions: actionsOf('ledger', {
      record: async ({ events }) => ({ recorded: await recordEvents(app, events) }),
    }),
  };
}
