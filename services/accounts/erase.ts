import { erasures } from '../../models/erasure.ts';
import { systemScope } from '../../models/scope.ts';
import { accountNamed } from './named.ts';
import { booksOf, type AccountsHouse } from './tools.ts';

/** What an operator is told of an erasure. */
export interface ErasureView {
  accountId: string;
  /** `under_way`: the program removes what is there; `erased`: all is gone. */
  state: 'under_way' | 'erased';
  organizationIds: string[];
}

const organizationsAtOnce = 500;

/** The id of the account that is called so, also where it is being erased or was erased lately. @throws Error where there is none */
export async function erasedOrNamed(house: AccountsHouse, named: string): Promise<{ accountId: string }> {
  const known = await house.records.collection(erasures, systemScope).get(named);
  return { accountId: known?.accountId ?? (await accountNamed(booksOf(house), named))._id };
}

/**
 * Begins the erasure of an account: its keys are removed and its organizations are inactive when this is answered, the rest
 * is carried out by the running program, or at its next start. Repeating it tells how far it is.
 * @param keepUsage whether its usage events stay: they hold ids and figures alone
 * @throws Error where there is no such account
 */
export async function eraseAccount(house: AccountsHouse, { account: named, keepUsage }: { account: string; keepUsage: boolean }): Promise<ErasureView> {
  const books = booksOf(house);
  const under = house.records.collection(erasures, systemScope);
  const { accountId } = await erasedOrNamed(house, named);
  if ((await under.get(accountId))?.until !== undefined) return { accountId, state: 'erased', organizationIds: [] };
  const startedAt = house.records.time();
  await under.insertNew([{ _id: accountId, accountId, kind: 'account', keepUsage, startedAt, due: startedAt }]);
  while ((await books.keys.removeMany({ accountId }, 100)) === 100);
  const organizationIds: string[] = [];
  for (let after: (string | number)[] | null = null; ; ) {
    const page: { _id: string; createdAt: number }[] = await books.organizations.find({ filter: { accountId }, sort: [['createdAt', 1], ['_id', 1]], limit: organizationsAtOnce, ...(after === null ? {} : { after }) });
    for (const { _id } of page) await books.organizations.update(_id, {}, { set: { isActive: false } });
    organizationIds.push(...page.map(({ _id }) => _id));
    const last = page.at(-1);
    if (last === undefined || page.length < organizationsAtOnce) return { accountId, state: 'under_way', organizationIds };
    after = [last.createdAt, last._id];
  }
}
