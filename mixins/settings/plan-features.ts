import type { House } from '../house.ts';
import { accounts } from '../../models/organization.ts';
import { systemScope } from '../../models/scope.ts';

/** Whether an account's plan includes a feature; everything is included where no plan is applied. @throws StoreUnavailable */
export async function planIncludes({ records }: Pick<House, 'records'>, accountId: string, feature: string): Promise<boolean> {
  const account = await records.collection(accounts, systemScope).get(accountId);
  return account?.features?.includes(feature) ?? true;
}
