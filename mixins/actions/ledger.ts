import type { quotasAnswer } from '../../models/schemas/answers/plan.ts';
import type * as answers from '../../models/schemas/answers/usage.ts';
import { caller, usageEvents } from '../../models/schemas/internal.ts';
import { required, type Infer } from '../../models/schemas/schema.ts';
import * as queries from '../../models/schemas/usage.ts';
import { action, type } from './action.ts';

const asked = { caller: required(caller) };

/** Actions of the ledger. */
export const ledgerActions = {
  /** Records usage: each event counts once, however often it is sent. When it has answered, the events are on disk. */
  record: action({ params: { events: required(usageEvents) }, result: type<{ recorded: number }>(), repeatable: true }),
  usage: action({
    params: { ...asked, ...queries.usageQuery },
    result: type<Infer<typeof answers.usageAnswer>>(),
    repeatable: true,
  }),
  dailyUsage: action({
    params: { ...asked, ...queries.dailyUsageQuery },
    result: type<Infer<typeof answers.dailyUsageAnswer>>(),
    repeatable: true,
  }),
  quotas: action({ params: asked, result: type<Infer<typeof quotasAnswer>>(), repeatable: true }),
  usageAssets: action({
    params: { ...asked, ...queries.usageAssetsQuery },
    result: type<Infer<typeof answers.usageAssetsAnswer>>(),
    repeatable: true,
  }),
  statements: action({
    params: asked,
    result: type<Infer<typeof answers.statementListAnswer>>(),
    repeatable: true,
  }),
  statement: action({
    params: { ...asked, ...queries.statementPath },
    result: type<Infer<typeof answers.statementAnswer>>(),
    repeatable: true,
  }),
  /** A statement as a CSV file. */
  statementFile: action({
    params: { ...asked, ...queries.statementPath },
    result: type<{ fileName: string; csv: string }>(),
    repeatable: true,
  }),
};
