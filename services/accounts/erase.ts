import { dashboardSessions, users } from '../../models/dashboard.ts';
import { erasures } from '../../models/erasure.ts';
import { systemScope } from '../../models/scope.ts';
import { accountNamed } from './account.ts';
import { collectionsOf, type AccountsContext } from './collections.ts';

/** The state of an erasure, as an operator sees it. */
export interface ErasureView {
  accountId: string;
  /** `under_way`: the running program removes the account's data; `erased`: everything is removed. */
  state: 'under_way' | 'erased';
  organizationIds: string[];
}

const organizationsAtOnce = 500;

/**
 * The id of the account with this id or name, also if it is being erased or was erased recently. @throws Error if there
 * is none
 */
export async function erasedOrNamed(app: AccountsContext, named: string): Promise<{ accountId: string }> {
  const known = await app.records.collection(erasures, systemScope).get(named);
  return { accountId: known?.accountId ?? (await accountNamed(collectionsOf(app), named))._id };
}

/**
 * Starts the erasure of an account: its keys, users and sessions are removed and its organizations inactive when this returns. The running
 * program, or its next start, removes the rest. Call it again to read the progress.
 * @param keepUsage whether to keep its usage events, which hold only ids and quantities
 * @throws Error if the account does not exist
 */
export async function eraseAccount(
  app: AccountsContext,
  { account: named, keepUsage }: { account: string; keepUsage: boolean },
): Promise<ErasureView> {
  const collections = collectionsOf(app);
  const under = app.records.collection(erasures, systemScope);
  const { accountId } = await erasedOrNamed(app, named);
  if ((await under.get(accountId))?.until !== undefined) return { accountId, state: 'erased', organizationIds: [] };
  const startedAt = app.records.time();
  await under.insertNew([{ _id: accountId, accountId, kind: 'account', keepUsage, startedAt, due: startedAt }]);
  while ((await collections.keys.removeMany({ accountId }, 100)) === 100);
  while ((await app.records.collection(users, systemScope).removeMany({ accountId }, 100)) === 100);
  while ((await app.records.collection(dashboardSessions, systemScope).removeMany({ accountId }, 100)) === 100);
  const organizationIds: string[] = [];
  for (let after: (string | number)[] | null = null; ;) {
    const page: { _id: string; createdAt: number }[] = await collections.organizations.find({
      filter: { accountId },
      sort: [
        ['createdAt', 1],
        ['_id', 1],
      ],
      limit: organizationsAtOnce,
      ...(after === null ? {} : { after }),
    });
    for (const { _id } of page) await collections.organizations.update(_id, {}, { set: { isActive: false } });
    organizationIds.push(...page.map(({ _id }) => _id));
    const last = page.at(-1);
    if (last === undefined || page.length < organizationsAtOnce)
      return { accountId, state: 'under_way', organizationIds };
    after = [last.createdAt, last._id];
  }
}
