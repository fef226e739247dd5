import type { AppContext } from '../../../mixins/app-context.ts';
import type { Caller } from '../../../models/api.ts';
import { Refusal } from '../../../models/errors.ts';
import { accounts, type Account } from '../../../models/organization.ts';
import { systemScope } from '../../../models/scope.ts';

/** The parts of the app that reading usage uses. */
export type ReadingContext = Pick<AppContext, 'records' | 'runtime' | 'configuration'>;

/** The account of a caller, and the one organization whose figures the caller sees; null: all of the account. */
export interface View {
  account: Account;
  organizationId: string | null;
}

/**
 * Whose figures a request asks for: the whole account's where it names the account's own organization, else those of the
 * sub-organization that it names. @throws Refusal; StoreUnavailable
 */
export async function viewOf(
  { records }: Pick<ReadingContext, 'records'>,
  { accountId, organizationId }: Pick<Caller, 'accountId' | 'organizationId'>,
): Promise<View> {
  const account = await records.collection(accounts, systemScope).get(accountId);
  // The account was erased while the request was under way.
  if (account === null) throw new Refusal('organization_forbidden');
  return { account, organizationId: account.organizationId === organizationId ? null : organizationId };
}
