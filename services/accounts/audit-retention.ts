import type { AppContext } from '../../mixins/app-context.ts';
import type { Intake } from '../../mixins/lifecycle.ts';
import { periodicIntake } from '../../mixins/periodic.ts';
import type { Account, AuditRow } from '../../models/organization.ts';
import { collectionsOf, type AccountsContext } from './collections.ts';

const day = 24 * 3_600_000;
const everyMs = 3_600_000;
/** The first round runs within this time, at a random time in each process. */
const firstWithin = 60_000;
/** Rows and accounts in a page. */
const atOnce = 500;

/**
 * Removes audit rows that are older than `PLY_AUDIT_DAYS`. The newest row of an account always stays, so that row
 * numbers keep ascending. Pages are read and removed by the index of the account's numbers. Several processes may run
 * it concurrently.
 * @returns the number of removed rows
 * @throws StoreUnavailable
 */
export async function sweepAudit(
  app: Pick<AccountsContext, 'records' | 'runtime' | 'configuration'>,
  isStopping: () => boolean = () => false,
): Promise<number> {
  const { PLY_AUDIT_DAYS: days } = app.configuration;
  if (days === 0) return 0;
  const { accounts, audit } = collectionsOf(app);
  const oldest = app.runtime.now() - days * day;
  let removed = 0;
  for (let after: string[] | null = null; ;) {
    const page: Account[] = await accounts.find({
      filter: {},
      sort: [['_id', 1]],
      limit: atOnce,
      ...(after === null ? {} : { after }),
    });
    for (const { _id: accountId } of page) {
      const [newest] = await audit.find({ filter: { accountId }, sort: [['sequence', -1]], limit: 1 });
      for (let full = newest !== undefined; full && newest !== undefined;) {
        if (isStopping()) return removed;
        const rows: AuditRow[] = await audit.find({
          filter: { accountId, sequence: { $lt: newest.sequence } },
          sort: [['sequence', 1]],
          limit: atOnce,
        });
        const kept = rows.findIndex(({ at }) => at >= oldest);
        const last = (kept === -1 ? rows : rows.slice(0, kept)).at(-1);
        if (last !== undefined)
          removed += await audit.removeMany({ accountId, sequence: { $lte: last.sequence } }, atOnce);
        full = kept === -1 && rows.length === atOnce;
      }
    }
    const last = page.at(-1);
    if (last === undefined || page.length < atOnce) return removed;
    after = [last._id];
  }
}

/** Runs `sweepAudit` every hour. */
export function auditRetention(app: AccountsContext & Pick<AppContext, 'log'>): Intake {
  return periodicIntake({
    name: 'audit retention',
    everyMs,
    firstMs: app.runtime.random() * firstWithin,
    round: (isStopping) => sweepAudit(app, isStopping),
    failed: (error) => app.log.warn({ err: error }, 'removing old audit rows failed, will retry'),
  });
}
