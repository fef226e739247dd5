import type { AppContext } from '../app-context.ts';
import { accounts } from '../../models/organization.ts';
import { systemScope } from '../../models/scope.ts';

/**
 * Whether an account's plan includes a feature. Without a plan every feature is included. @throws StoreUnavailable
 */
export async function planIncludes(
  { records }: Pick<AppContext, 'records'>,
  accountId: string,
  feature: string,
): Promise<boolean> {
  const account = await records.collection(accounts, systemScope).get(accountId);
  return account?.features?.includes(feature) ?? true;
}
