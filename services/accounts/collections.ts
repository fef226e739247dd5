import type { Collection } from '../../adapters/records/port.ts';
import type { AppContext } from '../../mixins/app-context.ts';
import { accountMonths, type AccountMonth } from '../../models/account-month.ts';
import { dashboardSessions, loginFailures, users, type User } from '../../models/dashboard.ts';
import { Refusal } from '../../models/errors.ts';
import { erasures } from '../../models/erasure.ts';
import {
  accounts,
  apiKeys,
  auditRows,
  firstStarts,
  organizations,
  type Account,
  type ApiKey,
  type AuditRow,
  type FirstStartRecord,
  type Organization,
} from '../../models/organization.ts';
import { accountPeople, type AccountPeople } from '../../models/people.ts';
import { systemScope } from '../../models/scope.ts';
import { settingsRows } from '../../models/settings.ts';
import { ledgers, usageAdjustments, type Ledger, type UsageAdjustment } from '../../models/statement.ts';

/** The part of the app context that accounts use. The operator's command line provides it too. */
export type AccountsContext = Pick<AppContext, 'records' | 'runtime' | 'counters' | 'log' | 'configuration'>;

/** The same with what opens sealed secrets. */
export type SecretsContext = AccountsContext & Pick<AppContext, 'sealer'>;

/** The collections of this actor, to be prepared before any use. */
export const accountCollections = [
  accounts,
  accountMonths,
  organizations,
  apiKeys,
  auditRows,
  firstStarts,
  settingsRows,
  erasures,
  users,
  accountPeople,
  dashboardSessions,
  loginFailures,
  usageAdjustments,
  ledgers,
] as const;

/** The collections of this actor, opened. */
export interface AccountCollections {
  accounts: Collection<Account>;
  months: Collection<AccountMonth>;
  organizations: Collection<Organization>;
  keys: Collection<ApiKey>;
  audit: Collection<AuditRow>;
  adjustments: Collection<UsageAdjustment>;
  ledgers: Collection<Ledger>;
  firstStarts: Collection<FirstStartRecord>;
  users: Collection<User>;
  people: Collection<AccountPeople>;
}

/** Opens the collections. They belong to the deployment: each action checks the account itself. */
export function collectionsOf({ records }: Pick<AppContext, 'records'>): AccountCollections {
  return {
    accounts: records.collection(accounts, systemScope),
    months: records.collection(accountMonths, systemScope),
    organizations: records.collection(organizations, systemScope),
    keys: records.collection(apiKeys, systemScope),
    audit: records.collection(auditRows, systemScope),
    adjustments: records.collection(usageAdjustments, systemScope),
    ledgers: records.collection(ledgers, systemScope),
    firstStarts: records.collection(firstStarts, systemScope),
    users: records.collection(users, systemScope),
    people: records.collection(accountPeople, systemScope),
  };
}

const hour = 3_600_000;

/**
 * Counts one use against an account's limit for an hour.
 * @throws Refusal `rate_limited` if the limit is reached
 */
export async function takeHourly(
  { counters }: Pick<AppContext, 'counters'>,
  what: string,
  accountId: string,
  limit: number,
): Promise<void> {
  const allowance = await counters.take(`${what}:${accountId}`, limit, hour);
  if (allowance.allowed) return;
  throw new Refusal('rate_limited', {
    detail: `Only ${limit} an hour are allowed for an account.`,
    retryAfter: Math.max(1, Math.ceil(allowance.resetMs / 1000)),
    retryable: true,
  });
}
