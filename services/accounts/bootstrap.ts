import { setTimeout as pause } from 'node:timers/promises';
import type { Account, FirstStartRecord, Organization } from '../../models/organization.ts';
import { settleAll, theService } from './audit.ts';
import { keyRecord, newKey } from './keys.ts';
import { accountCollections, booksOf, isDuplicate, type AccountsHouse, type Books } from './tools.ts';

/** What the first start made. The keys are told this once and can never be read again. */
export interface FirstStart {
  accountId: string;
  organizationId: string;
  adminKey: string;
  standardKey: string;
}

const only = 'first-start';
/** How long a claim holds: a process that died is replaced after it. */
const claimMilliseconds = 10_000;
const pollMilliseconds = 100;

/**
 * Makes the account, its own organization and two keys at the first start; null at every later one. Several
 * processes may start at once, and any may die at any moment: one document decides. Account and organization have
 * ids fixed by it; the keys are those of the process whose write makes it `decided`, and are written from it, so
 * nobody holds a key that does not work. A process that dies after that write and before it told the keys leaves
 * them unknown: the operator makes others.
 * @throws Error where both given keys are the same
 */
export async function bootstrapAccount(house: AccountsHouse): Promise<FirstStart | null> {
  const { PLY_BOOTSTRAP_ADMIN_KEY: givenAdmin, PLY_BOOTSTRAP_STANDARD_KEY: givenStandard } = house.configuration;
  const books = booksOf(house);
  await house.records.prepare(accountCollections);
  for (;;) {
    const standing = await books.firstStarts.get(only);
    if (standing !== null && standing.state !== 'claimed') {
      if (standing.state === 'decided') await writeKeys(books, standing);
      return null;
    }
    const claim = await takeClaim(house, books, standing);
    if (claim === null) {
      await pause(pollMilliseconds);
      continue;
    }
    await writeAccount(house, books, claim);
    const adminKey = givenAdmin ?? newKey(house.ambient.secret);
    const standardKey = givenStandard ?? newKey(house.ambient.secret);
    if (adminKey === standardKey) throw new Error('PLY_BOOTSTRAP_ADMIN_KEY and PLY_BOOTSTRAP_STANDARD_KEY are the same; give two keys');
    const keys = [
      keyRecord(house, claim.accountId, adminKey, { scope: 'admin', label: 'First admin key', expiresAt: null }, 1, theService),
      keyRecord(house, claim.accountId, standardKey, { scope: 'standard', label: 'First standard key', expiresAt: null }, 2, theService),
    ];
    const decided = await books.firstStarts.update(only, { state: 'claimed', token: claim.token }, { set: { state: 'decided', keys } });
    if (decided === null) continue;
    await writeKeys(books, decided);
    return { accountId: claim.accountId, organizationId: claim.organizationId, adminKey, standardKey };
  }
}

/** The claim of this process, or null while another's holds. */
async function takeClaim(house: AccountsHouse, { firstStarts }: Books, standing: FirstStartRecord | null): Promise<FirstStartRecord | null> {
  const { ambient, records, configuration } = house;
  const until = records.time() + claimMilliseconds;
  if (standing !== null) {
    if (standing.until > records.time()) return null;
    return firstStarts.update(only, { state: 'claimed', token: standing.token }, { set: { until }, increment: { token: 1 } });
  }
  const organizationId = configuration.PLY_BOOTSTRAP_ORGANIZATION_ID ?? ambient.uuid();
  const claim: FirstStartRecord = { _id: only, accountId: ambient.uuid(), organizationId, state: 'claimed', token: 1, until, keys: [] };
  try {
    await firstStarts.insert(claim);
    return claim;
  } catch (error) {
    if (isDuplicate(error)) return null;
    throw error;
  }
}

async function writeAccount({ ambient }: AccountsHouse, books: Books, { accountId, organizationId }: FirstStartRecord): Promise<void> {
  const now = ambient.now();
  const account: Account = { _id: accountId, organizationId, plan: null, timeZone: 'UTC', createdAt: now };
  const organization: Organization = {
    _id: organizationId, accountId, parentId: null, name: 'Organization', contactEmail: null, description: null,
    isActive: true, metadata: null, createdAt: now, updatedAt: now,
  };
  await books.organizations.insertNew([organization]);
  await books.accounts.insertNew([account]);
}

async function writeKeys(books: Books, { keys }: FirstStartRecord): Promise<void> {
  await books.keys.insertNew(keys);
  await settleAll(books);
  await books.firstStarts.update(only, { state: 'decided' }, { set: { state: 'done', keys: [] } });
}
