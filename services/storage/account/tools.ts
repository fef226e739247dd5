import type { Collection } from '../../../adapters/records/port.ts';
import { auditRow, recordAudit, type Actor } from '../../../mixins/storage/audit.ts';
import { drainOutbox } from '../../../mixins/work/outbox.ts';
import type { AuditLogAction, AuditLogRow } from '../../../models/audit-log.ts';
import { Refusal } from '../../../models/errors.ts';
import type { Region } from '../../../models/region.ts';
import { isoTime } from '../../../models/runtime.ts';
import { scopeOf, systemScope } from '../../../models/scope.ts';
import {
  storageAccounts,
  type StorageAccount,
  type StorageAccountEntry,
  type StorageAccountView,
} from '../../../models/storage-account.ts';
import type { Storage, StorageContext } from '../tools.ts';

/** The storage accounts of one organization: one at most. */
export function accountsOf(
  { records }: Pick<StorageContext, 'records'>,
  organizationId: string,
): Collection<StorageAccount> {
  return records.collection(storageAccounts, scopeOf(organizationId));
}

/** The storage accounts of all organizations, for background work. */
export function allAccounts({ records }: Pick<StorageContext, 'records'>): Collection<StorageAccount> {
  return records.collection(storageAccounts, systemScope);
}

/** The region of this code, if it is open. @throws Refusal `region_not_available` */
export function openHomeRegion({ regions }: Pick<Storage, 'regions'>, code: string): Region {
  const region = regions.find((each) => each.code === code);
  if (region === undefined || !region.open)
    throw new Refusal('region_not_available', { detail: 'There is no such region that is open.' });
  return region;
}

/** Base address for Blob clients of an account, without a slash at its end. */
export function blobEndpointOf(
  { app, regions }: Pick<Storage, 'app' | 'regions'>,
  { name, homeRegion }: Pick<StorageAccount, 'name' | 'homeRegion'>,
): string {
  const listening = app.listeners.url('blob');
  // The shipped regions are this machine, whose port may be known only since it listens.
  if (app.configuration.PLY_REGIONS_FILE === null && listening !== null) return `${listening}/${name}`;
  // Names of accounts are the same everywhere; a region that was removed leaves those of the others.
  const region = regions.find(({ code }) => code === homeRegion) ?? regions[0];
  if (region === undefined) throw new Error('there is no region');
  return region.endpoints.blobGlobal.replaceAll('{account}', name).replace(/\/+$/, '');
}

/** The hostname that the DNS must have for an account; null where the endpoint has the account in its path. */
export function hostnameToFind(region: Pick<Region, 'endpoints'>, name: string): string | null {
  const [, authority = ''] = /^https?:\/\/([^/?]+)/.exec(region.endpoints.blobGlobal) ?? [];
  if (!authority.includes('{account}')) return null;
  return new URL(`http://${authority.replaceAll('{account}', name)}`).hostname;
}

/** An outbox item that writes a row of the audit log. */
export function auditEntry(
  app: Pick<StorageContext, 'runtime'>,
  { organizationId, name }: Pick<StorageAccount, 'organizationId' | 'name'>,
  actor: Actor,
  action: AuditLogAction,
  detail: AuditLogRow['detail'] = {},
): StorageAccountEntry {
  const row = auditRow(app, organizationId, actor, action, { kind: 'storage_account', id: name }, detail);
  return { id: row._id, kind: 'audit', notBefore: 0, row };
}

/** What follows from changes of accounts, as their outboxes say. Idempotent. */
export function accountOutbox(app: Pick<StorageContext, 'records'>): {
  deliver(account: StorageAccount, items: StorageAccountEntry[]): Promise<void>;
} {
  return {
    deliver: (_, items) =>
      recordAudit(
        app,
        items.map(({ row }) => row),
      ),
  };
}

/** Delivers what follows from a change that was just written; what fails is left to the sweeper. Returns the account. */
export async function settleAccount({ app }: Pick<Storage, 'app'>, written: StorageAccount): Promise<StorageAccount> {
  try {
    await drainOutbox(app, accountOutbox(app), accountsOf(app, written.organizationId), written);
  } catch (error) {
    app.log.warn({ err: error, account: written.name }, 'the outbox of an account could not be delivered, will retry');
  }
  return written;
}

/** An account as the API shows it. */
export function accountView(storage: Pick<Storage, 'app' | 'regions'>, account: StorageAccount): StorageAccountView {
  const { name, homeRegion, dnsState, createdAt } = account;
  return { name, homeRegion, blobEndpoint: blobEndpointOf(storage, account), dnsState, createdAt: isoTime(createdAt) };
}
