import type { Account } from '../../models/organization.ts';
import type { Books } from './tools.ts';

const atOnce = 200;

/**
 * The account with this id, or whose own organization has this name.
 * @throws Error where there is none, or where several have the name
 */
export async function accountNamed(books: Books, named: string): Promise<Account> {
  const known = await books.accounts.get(named);
  if (known !== null) return known;
  const found: Account[] = [];
  for (let after: string[] | null = null; ; ) {
    const page: Account[] = await books.accounts.find({ filter: {}, sort: [['_id', 1]], limit: atOnce, ...(after === null ? {} : { after }) });
    const own = new Map((await books.organizations.getMany(page.map(({ organizationId }) => organizationId))).map(({ _id, name }) => [_id, name]));
    found.push(...page.filter(({ organizationId }) => own.get(organizationId) === named));
    const last = page.at(-1);
    if (last === undefined || page.length < atOnce) break;
    after = [last._id];
  }
  const [account, another] = found;
  if (account === undefined) throw new Error(`there is no account ${named}; npm run ply -- account list names those that there are`);
  if (another !== undefined) throw new Error(`several accounts are called ${named}; give the id of one`);
  return account;
}
