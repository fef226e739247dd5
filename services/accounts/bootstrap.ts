import { setTimeout as pause } from 'node:timers/promises';
import { isDuplicate } from '../../adapters/records/port.ts';
import { users } from '../../models/dashboard.ts';
import { claimLease, underLease, type LeaseFields } from '../../models/lease.ts';
import type { Account, FirstStartRecord, Organization } from '../../models/organization.ts';
import { systemScope } from '../../models/scope.ts';
import { flushAllAudit, serviceActor } from './audit.ts';
import { newPassword, userRecord } from './dashboard/users.ts';
import { keyRecord, newKey } from './keys.ts';
import { accountCollections, collectionsOf, type AccountsContext, type AccountCollections } from './collections.ts';

/** The account that the first start created. Its keys are shown only once. */
export interface FirstStart {
  accountId: string;
  organizationId: string;
  adminKey: string;
  standardKey: string;
  /** The first user of the dashboard. */
  email: string;
  password: string;
}

/** The address of the first user where none is configured. */
const defaultEmail = 'owner@localhost';

const only = 'first-start';
/** After this time another process takes over a first start whose process died. */
const leaseMs = 10_000;
const pollMs = 100;

const firstStartLease: LeaseFields<FirstStartRecord> = {
  token: 'token',
  read: ({ token, until }) => ({ token, until }),
  write: ({ token, until }) => ({ token, until }),
};

/**
 * Creates the account, its own organization, two keys and a user of the dashboard at the first start; null at every later start. Processes may
 * start concurrently and die at any moment, so a single document coordinates them. It fixes the ids of account and
 * organization. The keys are those of the process whose write sets it to `decided`, and are stored from it: no process
 * reports a key that does not work. If a process dies after that write and before it reports the keys, they are lost
 * and the operator creates new ones.
 * @throws Error if both configured keys are the same
 */
export async function bootstrapAccount(app: AccountsContext): Promise<FirstStart | null> {
  const { PLY_BOOTSTRAP_ADMIN_KEY: givenAdmin, PLY_BOOTSTRAP_STANDARD_KEY: givenStandard } = app.configuration;
  const collections = collectionsOf(app);
  await app.records.prepare(accountCollections);
  for (;;) {
    const known = await collections.firstStarts.get(only);
    if (known !== null && known.state !== 'claimed') {
      if (known.state === 'decided') await writeKeys(app, collections, known);
      return null;
    }
    const claim = await claimFirstStart(app, collections, known);
    if (claim === null) {
      await pause(pollMs);
      continue;
    }
    await writeAccount(app, collections, claim);
    const adminKey = givenAdmin ?? newKey(app.runtime.secret);
    const standardKey = givenStandard ?? newKey(app.runtime.secret);
    if (adminKey === standardKey)
      throw new Error(
        'PLY_BOOTSTRAP_ADMIN_KEY and PLY_BOOTSTRAP_STANDARD_KEY are the same; configure two different keys',
      );
    const email = app.configuration.PLY_BOOTSTRAP_EMAIL ?? defaultEmail;
    const password = app.configuration.PLY_BOOTSTRAP_PASSWORD ?? newPassword(app);
    const user = await userRecord(app, claim.accountId, email, password);
    const keys = [
      keyRecord(
        app,
        claim.accountId,
        adminKey,
        { scope: 'admin', label: 'First admin key', expiresAt: null },
        1,
        serviceActor,
      ),
      keyRecord(
        app,
        claim.accountId,
        standardKey,
        { scope: 'standard', label: 'First standard key', expiresAt: null },
        2,
        serviceActor,
      ),
    ];
    const decided = await collections.firstStarts.update(
      only,
      { state: 'claimed', ...underLease(firstStartLease, claim) },
      { set: { state: 'decided', keys, user } },
    );
    if (decided === null) continue;
    await writeKeys(app, collections, decided);
    return { accountId: claim.accountId, organizationId: claim.organizationId, adminKey, standardKey, email, password };
  }
}

/** Claims the first start for this process; null while another process holds it. */
async function claimFirstStart(
  app: AccountsContext,
  { firstStarts }: AccountCollections,
  known: FirstStartRecord | null,
): Promise<FirstStartRecord | null> {
  const { runtime, records, configuration } = app;
  if (known !== null) {
    const claim = claimLease(firstStartLease, known, { owner: '', now: records.time(), durationMs: leaseMs });
    if (claim === null) return null;
    return firstStarts.update(only, { state: 'claimed', ...claim.filter }, { set: claim.set });
  }
  const organizationId = configuration.PLY_BOOTSTRAP_ORGANIZATION_ID ?? runtime.uuid();
  const claim: FirstStartRecord = {
    _id: only,
    accountId: runtime.uuid(),
    organizationId,
    state: 'claimed',
    token: 1,
    until: records.time() + leaseMs,
    keys: [],
  };
  try {
    await firstStarts.insert(claim);
    return claim;
  } catch (error) {
    if (isDuplicate(error)) return null;
    throw error;
  }
}

async function writeAccount(
  { runtime }: AccountsContext,
  collections: AccountCollections,
  { accountId, organizationId }: FirstStartRecord,
): Promise<void> {
  const now = runtime.now();
  const account: Account = { _id: accountId, organizationId, plan: null, timeZone: 'UTC', createdAt: now };
  const organization: Organization = {
    _id: organizationId,
    accountId,
    parentId: null,
    name: 'Organization',
    contactEmail: null,
    description: null,
    isActive: true,
    metadata: null,
    createdAt: now,
    updatedAt: now,
  };
  await collections.organizations.insertNew([organization]);
  await collections.accounts.insertNew([account]);
}

async function writeKeys(
  { records }: AccountsContext,
  collections: AccountCollections,
  { keys, user }: FirstStartRecord,
): Promise<void> {
  await collections.keys.insertNew(keys);
  if (user !== undefined) await records.collection(users, systemScope).insertNew([user]);
  await flushAllAudit(collections);
  await collections.firstStarts.update(
    only,
    { state: 'decided' },
    { set: { state: 'done', keys: [] }, unset: ['user'] },
  );
}
