import type { Collection } from '../../../adapters/records/port.ts';
import { auditRow, recordAudit, type Actor } from '../../../mixins/storage/audit.ts';
import { drainOutbox } from '../../../mixins/work/outbox.ts';
import type { AuditLogAction, AuditLogRow } from '../../../models/audit-log.ts';
import { Refusal } from '../../../models/errors.ts';
import { scopeOf, systemScope } from '../../../models/scope.ts';
import {
  storageCredentials,
  type CredentialEntry,
  type StorageCredential,
} from '../../../models/storage-credential.ts';
import type { Storage, StorageContext } from '../tools.ts';

type Records = Pick<StorageContext, 'records'>;

/** The credentials of one organization. */
export function credentialsOf({ records }: Records, organizationId: string): Collection<StorageCredential> {
  return records.collection(storageCredentials, scopeOf(organizationId));
}

/** The credentials of all organizations, for background work. */
export function allCredentials({ records }: Records): Collection<StorageCredential> {
  return records.collection(storageCredentials, systemScope);
}

/** A credential of the organization, in any state. @throws Refusal `credential_not_found` */
export async function findCredential(
  app: Records,
  organizationId: string,
  credentialId: string,
): Promise<StorageCredential> {
  const credential = await credentialsOf(app, organizationId).get(credentialId);
  if (credential === null) throw new Refusal('credential_not_found');
  return credential;
}

/** The outbox item with the audit row of a change. @param credentialId what the row names */
export function credentialAudit(
  app: Pick<StorageContext, 'runtime'>,
  organizationId: string,
  actor: Actor,
  action: AuditLogAction,
  credentialId: string,
  detail: AuditLogRow['detail'] = {},
): CredentialEntry {
  const row = auditRow(app, organizationId, actor, action, { kind: 'credential', id: credentialId }, detail);
  return { id: row._id, kind: 'audit', notBefore: 0, row };
}

/** What follows from changes of credentials: audit rows. Idempotent. */
export function credentialOutbox(app: Records): {
  deliver(credential: StorageCredential, items: CredentialEntry[]): Promise<void>;
} {
  return {
    deliver: (_, items) =>
      recordAudit(
        app,
        items.map(({ row }) => row),
      ),
  };
}

/** Delivers what follows from a change that was just written; what fails is left to the sweeper. Returns the credential. */
export async function settleCredential(
  { app }: Pick<Storage, 'app'>,
  written: StorageCredential,
): Promise<StorageCredential> {
  try {
    await drainOutbox(app, credentialOutbox(app), credentialsOf(app, written.organizationId), written);
  } catch (error) {
    app.log.warn(
      { err: error, credentialId: written._id },
      'the outbox of a storage credential could not be delivered, will retry',
    );
  }
  return written;
}
