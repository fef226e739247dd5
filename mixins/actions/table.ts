import { accountsActions } from './accounts.ts';
import { checkedProperties, type Fields } from '../../models/schemas/schema.ts';
import type { Properties } from '../../models/schemas/rules.ts';
import type { Action, Parameters } from './action.ts';
import { connectorsActions } from './connectors.ts';
import { ledgerActions } from './ledger.ts';
import { processActions } from './process.ts';
import { registrarActions } from './registrar.ts';
import { searcherActions } from './searcher.ts';
import { storageActions } from './storage.ts';
import { trafficActions } from './traffic.ts';
import { transcriberActions } from './transcriber.ts';
import { webhooksActions } from './webhooks.ts';

/** Every action that one actor may call of another: a table for each actor. */
export const actionTable = {
  accounts: accountsActions,
  registrar: registrarActions,
  connectors: connectorsActions,
  transcriber: transcriberActions,
  searcher: searcherActions,
  ledger: ledgerActions,
  storage: storageActions,
  traffic: trafficActions,
  webhooks: webhooksActions,
  process: processActions,
};

type Table = typeof actionTable;
/** An actor that others call. */
export type Actor = keyof Table;
type RowsByName = {
  [A in Actor]: { [S in keyof Table[A] & string as `${A}.${S}`]: Table[A][S] };
}[Actor];
type Merged<Union> = (Union extends unknown ? (each: Union) => void : never) extends (all: infer All) => void
  ? All
  : never;
type Rows = Merged<RowsByName>;

/** Name of an action, as `<actor>.<action>`. */
export type ActionName = keyof Rows;
/** What each action takes and answers. */
export type ActionMap = {
  [N in ActionName]: Rows[N] extends Action<infer _Params, infer Output>
    ? { input: Parameters<Rows[N]>; output: Output }
    : never;
};
/** What an action takes. */
export type ActionInput<N extends ActionName> = ActionMap[N]['input'];
/** What an action answers. */
export type ActionOutput<N extends ActionName> = ActionMap[N]['output'];

const rows: ReadonlyMap<string, Action<Fields, unknown>> = new Map(
  Object.entries(actionTable).flatMap(([actor, table]) =>
    Object.entries<Action<Fields, unknown>>(table).map(([name, row]) => [`${actor}.${name}`, row] as const),
  ),
);

/** Whether an action may run twice for one call. */
export function isRepeatable(name: string): boolean {
  return rows.get(name)?.repeatable === true;
}

/** The parameters of an action as fastest-validator's rules. */
export function paramsOf(name: string): Properties {
  return checkedProperties(rows.get(name)?.params ?? {});
}
