import type { ServiceSchema } from 'moleculer';
import { actionsOf } from '../../mixins/actions/actions-of.ts';
import type { AppContext } from '../../mixins/app-context.ts';
import { addLedgerIntakes } from './intake.ts';
import { pendingIntake } from './pending.ts';
import { quotaIntake } from './quotas/alerts.ts';
import { readQuotas } from './quotas/read.ts';
import { usageAssets } from './reading/assets.ts';
import { dailyUsage } from './reading/daily.ts';
import { readUsage } from './reading/usage.ts';
import { recordEvents } from './record.ts';
import { listStatements, readStatement, seenStatement } from './statements/answers.ts';
import { statementFile } from './statements/export.ts';
import { statementIntake } from './statements/intake.ts';

/**
 * The actor that keeps what was used: an append-only log of usage events. An event's id is fixed by its cause, so the
 * same event sent twice stands there once, for ever.
 */
export function ledgerService(app: AppContext): ServiceSchema {
  addLedgerIntakes(app);
  app.lifecycle.add(pendingIntake(app));
  app.lifecycle.add(statementIntake(app));
  return {
    name: 'ledger',
    created() {
      app.lifecycle.add(quotaIntake(app, this.broker));
    },
    actions: actionsOf('ledger', {
      record: async ({ events }) => ({ recorded: await recordEvents(app, events) }),
      usage: ({ caller, ...query }) => readUsage(app, caller, query),
      dailyUsage: ({ caller, ...query }) => dailyUsage(app, caller, query),
      quotas: ({ caller }) => readQuotas(app, caller),
      usageAssets: ({ caller, ...query }) => usageAssets(app, caller, query),
      statements: ({ caller }) => listStatements(app, caller),
      statement: ({ caller, month }) => readStatement(app, caller, month),
      statementFile: async ({ caller, month }) => statementFile(await seenStatement(app, caller, month)),
    }),
  };
}
