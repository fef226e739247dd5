import type { AuditLogRow } from './audit-log.ts';
import { defineCollection } from './collection.ts';
import type { storageAccountAnswer } from './schemas/answers/storage-account.ts';
import type { Infer } from './schemas/schema.ts';
import type { Outboxed, OutboxItem } from './work.ts';

/** A storage account as the API shows it. */
export type StorageAccountView = Infer<typeof storageAccountAnswer>;

/** Whether the DNS has the hostname of an account's endpoint. */
export type AccountDnsState = StorageAccountView['dnsState'];

/** A change of another store that follows from a change of an account. */
export type StorageAccountEntry = OutboxItem & { kind: 'audit'; row: AuditLogRow };

/** The storage account of an organization: the name under which Blob clients reach its buckets. */
export interface StorageAccount extends Outboxed {
  /** Id of the organization: it has one account at most. */
  _id: string;
  /** Unique in the deployment; it never changes. */
  name: string;
  homeRegion: string;
  dnsState: AccountDnsState;
  /** Since when the hostname is waited for. */
  pendingSince: number;
  /** When the hostname is looked up next; absent unless `dnsState` is `pending`. */
  lookAt?: number;
  createdAt: number;
  updatedAt: number;
  outbox: StorageAccountEntry[];
}

/** The storage accounts of all organizations. */
export const storageAccounts = defineCollection<StorageAccount>({
  name: 'storage_accounts',
  owner: 'organization',
  indexes: [
    { name: 'name', fields: ['name'], unique: true },
    { name: 'look', fields: ['lookAt'], sparse: true },
    { name: 'outbox', fields: ['outboxDue'], sparse: true },
  ],
});
