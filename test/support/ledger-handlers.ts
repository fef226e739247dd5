import { actionTable } from '../../mixins/actions/table.ts';
import type { Handlers } from '../../mixins/actions/actions-of.ts';

/** Handlers of the ledger's actions of which only `record` does anything. */
export function recordingLedger(record: Handlers<'ledger'>['record']): Handlers<'ledger'> {
  const absent = (): never => {
    throw new Error('this action of the ledger is no part of the test');
  };
  const others = Object.fromEntries(Object.keys(actionTable.ledger).map((name) => [name, absent]));
  return { ...(others as Record<keyof Handlers<'ledger'>, typeof absent>), record };
}
