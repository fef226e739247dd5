import { usageEvents } from '../../models/schemas/internal.ts';
import { required } from '../../models/schemas/schema.ts';
import { action, type } from './action.ts';

/** Actions of the ledger. */
export const ledgerActions = {
  record: action({ params: { events: required(usageEvents) }, result: type<{ recorded: number }>(), repeatable: true }),
};
