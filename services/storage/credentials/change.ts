import type { Caller } from '../../../models/api.ts';
import type { StorageCredentialView } from '../../../models/storage-credential.ts';
import { tooBusy, writeAttempts, type Storage } from '../tools.ts';
import { credentialAudit, credentialsOf, findCredential, settleCredential } from './tools.ts';
import { credentialView } from './view.ts';

const pageSize = 500;

/** The organization's credentials in any state, newest first. */
export async function listCredentials(
  { app }: Storage,
  { organizationId }: Caller,
): Promise<{ items: StorageCredentialView[] }> {
  const items: StorageCredentialView[] = [];
  for (let after: (string | number)[] | null = null; ;) {
    const page = await credentialsOf(app, organizationId).find({
      filter: {},
      sort: [
        ['createdAt', -1],
        ['_id', -1],
      ],
      limit: pageSize,
      ...(after === null ? {} : { after }),
    });
    items.push(...page.map(credentialView));
    const last = page.at(-1);
    if (last === undefined || page.length < pageSize) return { items };
    after = [last.createdAt, last._id];
  }
}

/** Revokes a credential; repeating it changes nothing. @throws Refusal `credential_not_found` */
export async function revokeCredential(
  storage: Storage,
  caller: Caller,
  credentialId: string,
): Promise<StorageCredentialView> {
  const { app } = storage;
  const { organizationId } = caller;
  for (let attempt = 0; attempt < writeAttempts; attempt += 1) {
    const credential = await findCredential(app, organizationId, credentialId);
    if (credential.state === 'revoked') return credentialView(credential);
    const written = await credentialsOf(app, organizationId).update(
      credentialId,
      { version: credential.version },
      {
        set: { state: 'revoked', revokedAt: app.runtime.now(), outboxDue: app.records.time() },
        unset: ['slotKey'],
        increment: { version: 1 },
        push: { outbox: [credentialAudit(app, organizationId, caller, 'credential.revoked', credentialId)] },
      },
    );
    if (written !== null) return credentialView(await settleCredential(storage, written));
  }
  throw tooBusy();
}
