import type { Collection } from '../../adapters/records/port.ts';
import type { House } from '../../mixins/house.ts';
import { Refusal } from '../../models/errors.ts';
import { erasures } from '../../models/erasure.ts';
import { accounts, apiKeys, auditRows, firstStarts, organizations, type Account, type ApiKey, type AuditRow, type FirstStartRecord, type Organization } from '../../models/organization.ts';
import { systemScope } from '../../models/scope.ts';
import { settingsRows } from '../../models/settings.ts';

/** The part of the house that accounts need. The operator's command line has it too. */
export type AccountsHouse = Pick<House, 'records' | 'ambient' | 'counters' | 'log' | 'configuration'>;

/** The collections of this actor, to be prepared before any use. */
export const accountCollections = [accounts, organizations, apiKeys, auditRows, firstStarts, settingsRows, erasures] as const;

/** The collections of this actor, opened. */
export interface Books {
  accounts: Collection<Account>;
  organizations: Collection<Organization>;
  keys: Collection<ApiKey>;
  audit: Collection<AuditRow>;
  firstStarts: Collection<FirstStartRecord>;
}

/** Opens the collections. They belong to the deployment: each action checks the account itself. */
export function booksOf({ records }: Pick<House, 'records'>): Books {
  return {
    accounts: records.collection(accounts, systemScope),
    organizations: records.collection(organizations, systemScope),
    keys: records.collection(apiKeys, systemScope),
    audit: records.collection(auditRows, systemScope),
    firstStarts: records.collection(firstStarts, systemScope),
  };
}

/** Whether an error says that a unique index has this value already; with `index`, that one. */
export function isDuplicate(error: unknown, index?: string): boolean {
  return error instanceof Error && error.name === 'DuplicateRecord' && (index === undefined || ('index' in error && error.index === index));
}

const hour = 3_600_000;

/**
 * Takes one of the places that an account has for something in an hour.
 * @throws Refusal `rate_limited` when there is none.
 */
export async function takeHourly({ counters }: Pick<House, 'counters'>, what: string, accountId: string, limit: number): Promise<void> {
  const allowance = await counters.take(`${what}:${accountId}`, limit, hour);
  if (allowance.allowed) return;
  throw new Refusal('rate_limited', { detail: `Only ${limit} an hour are allowed for an account.`, retryAfter: Math.max(1, Math.ceil(allowance.resetMs / 1000)), retryable: true });
}
