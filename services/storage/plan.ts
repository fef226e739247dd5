import { accounts } from '../../models/organization.ts';
import { analyticsCeilingOf } from '../../models/plan.ts';
import { systemScope } from '../../models/scope.ts';
import type { StorageContext } from './tools.ts';

/** Ceilings of an account; null where there is none. */
export interface Ceilings {
  /** Buckets that are not deleted. */
  buckets: number | null;
  /** Custom domains, in any state. */
  customDomains: number | null;
  /** Bytes of one object. */
  objectBytes: number | null;
  /** Distinct values of an analytics breakdown. */
  analytics: number;
}

/** The ceilings of an account's plan. */
export async function ceilingsOf({ records }: Pick<StorageContext, 'records'>, accountId: string): Promise<Ceilings> {
  const limits = (await records.collection(accounts, systemScope).get(accountId))?.limits;
  return {
    buckets: limits?.buckets ?? null,
    customDomains: limits?.custom_domains ?? null,
    objectBytes: limits?.object_bytes ?? null,
    analytics: analyticsCeilingOf(limits),
  };
}
