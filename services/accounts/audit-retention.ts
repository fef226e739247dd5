import type { House } from '../../mixins/house.ts';
import type { Intake } from '../../mixins/lifecycle.ts';
import { periodicIntake } from '../../mixins/periodic.ts';
import type { Account, AuditRow } from '../../models/organization.ts';
import { booksOf, type AccountsHouse } from './tools.ts';

const day = 24 * 3_600_000;
const everyMs = 3_600_000;
/** A first round comes within this time, at different times in each process. */
const firstWithin = 60_000;
/** Rows that are looked at at a time, and accounts of a page. */
const atOnce = 500;

/**
 * Removes audit rows that are older than `PLY_AUDIT_DAYS`. The newest row of an account always stays, so that the numbers of
 * rows go on ascending. Each page is read and removed by the index of the account's numbers; several processes may do so.
 * @returns how many were removed
 * @throws StoreUnavailable
 */
export async function sweepAudit(house: Pick<AccountsHouse, 'records' | 'ambient' | 'configuration'>, isStopping: () => boolean = () => false): Promise<number> {
  const { PLY_AUDIT_DAYS: days } = house.configuration;
  if (days === 0) return 0;
  const { accounts, audit } = booksOf(house);
  const oldest = house.ambient.now() - days * day;
  let removed = 0;
  for (let after: string[] | null = null; ; ) {
    const page: Account[] = await accounts.find({ filter: {}, sort: [['_id', 1]], limit: atOnce, ...(after === null ? {} : { after }) });
    for (const { _id: accountId } of page) {
      const [newest] = await audit.find({ filter: { accountId }, sort: [['sequence', -1]], limit: 1 });
      for (let full = newest !== undefined; full && newest !== undefined; ) {
        if (isStopping()) return removed;
        const rows: AuditRow[] = await audit.find({ filter: { accountId, sequence: { $lt: newest.sequence } }, sort: [['sequence', 1]], limit: atOnce });
        const kept = rows.findIndex(({ at }) => at >= oldest);
        const last = (kept === -1 ? rows : rows.slice(0, kept)).at(-1);
        if (last !== undefined) removed += await audit.removeMany({ accountId, sequence: { $lte: last.sequence } }, atOnce);
        full = kept === -1 && rows.length === atOnce;
      }
    }
    const last = page.at(-1);
    if (last === undefined || page.length < atOnce) return removed;
    after = [last._id];
  }
}

/** Does so every hour. */
export function auditRetention(house: AccountsHouse & Pick<House, 'log'>): Intake {
  return periodicIntake({
    name: 'audit retention',
    everyMs,
    firstMs: house.ambient.random() * firstWithin,
    round: (isStopping) => sweepAudit(house, isStopping),
    failed: (error) => house.log.warn({ err: error }, 'old audit rows are removed later'),
  });
}
