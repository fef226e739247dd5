import { isDuplicate } from '../../../adapters/records/port.ts';
import type { Caller } from '../../../models/api.ts';
import { invalid, Refusal } from '../../../models/errors.ts';
import type { NewCredential } from '../../../models/schemas/storage-credentials.ts';
import { scopeOf } from '../../../models/scope.ts';
import { storageAccounts } from '../../../models/storage-account.ts';
import {
  credentialSecretContext,
  credentialSlots,
  isUsable,
  slotKeyOf,
  type CredentialSlot,
  type NewCredentialView,
  type StorageCredential,
} from '../../../models/storage-credential.ts';
import { actorName } from '../../../mixins/storage/audit.ts';
import { bucketsOf, type Storage } from '../tools.ts';
import { newAccessKeyId, newSecret } from './secrets.ts';
import { credentialAudit, credentialsOf, findCredential, settleCredential } from './tools.ts';
import { newCredentialView } from './view.ts';

/** Credentials of an organization that are neither revoked nor expired. */
const maxUsable = 20;
/** Characters of a secret that are shown later. */
const hintLength = 4;

type Wanted = Pick<StorageCredential, 'name' | 'kind' | 'permissions' | 'bucketIds' | 'expiresAt'>;

/**
 * Makes a credential. Its secret is in the answer alone.
 * @throws Refusal `validation_error` (bucketIds, expiresAt), `storage_account_not_found`, `credential_limit_reached`
 */
export async function createCredential(
  storage: Storage,
  caller: Caller,
  input: NewCredential,
): Promise<NewCredentialView> {
  const { app } = storage;
  await requireBuckets(storage, caller, input.bucketIds);
  if (input.expiresAt !== null && input.expiresAt <= app.runtime.now())
    throw invalid(['body', 'expiresAt'], 'body.expiresAt must be in the future.');
  return add(storage, caller, input, null);
}

/**
 * Makes another credential like one that is active, which goes on working; a key of Blob clients in the other slot.
 * @throws Refusal `credential_not_found` (also of a revoked or expired one), `credential_limit_reached`
 */
export async function rotateCredential(
  storage: Storage,
  caller: Caller,
  credentialId: string,
): Promise<NewCredentialView> {
  const { app } = storage;
  const present = await findCredential(app, caller.organizationId, credentialId);
  if (!isUsable(present, app.runtime.now())) throw new Refusal('credential_not_found');
  return add(storage, caller, present, present._id);
}

/** @throws Refusal `validation_error` */
async function requireBuckets(
  { app }: Storage,
  { organizationId }: Caller,
  bucketIds: readonly string[] | null,
): Promise<void> {
  if (bucketIds === null) return;
  const found = await bucketsOf(app, organizationId).getMany(bucketIds);
  const known = new Set(found.filter(({ purgedAt }) => purgedAt === undefined).map(({ _id }) => _id));
  const unknown = bucketIds.findIndex((id) => !known.has(id));
  if (unknown >= 0)
    throw invalid(['body', 'bucketIds', unknown], `body.bucketIds.${unknown} is not a bucket of the organization.`);
}

/** @param rotatedId the credential that the new one is to replace; null for one of its own */
async function add(
  storage: Storage,
  caller: Caller,
  wanted: Wanted,
  rotatedId: string | null,
): Promise<NewCredentialView> {
  const { app } = storage;
  const { organizationId } = caller;
  const credentials = credentialsOf(app, organizationId);
  if (wanted.kind === 'azure') await requireAccount(storage, organizationId);
  await requireRoom(storage, organizationId, maxUsable - 1);
  const slot = wanted.kind === 'azure' ? await freeSlot(storage, organizationId) : null;
  const { credential, secret } = credentialDocument(storage, caller, wanted, { slot, rotatedId });
  try {
    await credentials.insert(credential);
  } catch (error) {
    if (isDuplicate(error, 'slot')) throw noFreeSlot();
    throw error;
  }
  try {
    // A concurrent request may have taken the last place.
    await requireRoom(storage, organizationId, maxUsable);
  } catch (error) {
    await credentials.remove(credential._id);
    throw error;
  }
  return newCredentialView(await settleCredential(storage, credential), secret);
}

/** @throws Refusal `storage_account_not_found` */
async function requireAccount({ app }: Storage, organizationId: string): Promise<void> {
  const account = await app.records.collection(storageAccounts, scopeOf(organizationId)).get(organizationId);
  if (account === null) throw new Refusal('storage_account_not_found');
}

/** @throws Refusal `credential_limit_reached` if more than `most` are usable */
async function requireRoom({ app }: Storage, organizationId: string, most: number): Promise<void> {
  const credentials = credentialsOf(app, organizationId);
  const endless = await credentials.count({ state: 'active', expiresAt: null });
  const limited = await credentials.count({ state: 'active', expiresAt: { $gt: app.runtime.now() } });
  if (endless + limited > most)
    throw new Refusal('credential_limit_reached', {
      detail: `An organization has at most ${maxUsable} active credentials; revoke one first.`,
    });
}

function noFreeSlot(): Refusal {
  return new Refusal('credential_limit_reached', {
    detail: `A storage account has at most ${credentialSlots.length} active keys; revoke one first.`,
  });
}

/** A slot that no usable key has; an expired key gives its slot up. @throws Refusal `credential_limit_reached` */
async function freeSlot({ app }: Storage, organizationId: string): Promise<CredentialSlot> {
  const credentials = credentialsOf(app, organizationId);
  for (const slot of credentialSlots) {
    const [holder] = await credentials.find({ filter: { slotKey: slotKeyOf(organizationId, slot) }, limit: 1 });
    if (holder === undefined) return slot;
    if (isUsable(holder, app.runtime.now())) continue;
    const { _id, version } = holder;
    const given = await credentials.update(_id, { version }, { unset: ['slotKey'], increment: { version: 1 } });
    if (given !== null) return slot;
  }
  throw noFreeSlot();
}

function credentialDocument(
  { app }: Storage,
  caller: Caller,
  { name, kind, permissions, bucketIds, expiresAt }: Wanted,
  { slot, rotatedId }: { slot: CredentialSlot | null; rotatedId: string | null },
): { credential: StorageCredential; secret: string } {
  const { organizationId, accountId } = caller;
  const id = app.runtime.uuid();
  const secret = newSecret(app.runtime, kind);
  const entry =
    rotatedId === null
      ? credentialAudit(app, organizationId, caller, 'credential.created', id)
      : credentialAudit(app, organizationId, caller, 'credential.rotated', rotatedId, { newCredentialId: id });
  const credential: StorageCredential = {
    _id: id,
    organizationId,
    accountId,
    name,
    kind,
    ...(slot === null
      ? { accessKeyId: newAccessKeyId(app.runtime) }
      : { slot, slotKey: slotKeyOf(organizationId, slot) }),
    sealedSecret: app.sealer.seal(secret, credentialSecretContext(id)),
    secretHint: secret.slice(-hintLength),
    permissions,
    bucketIds,
    state: 'active',
    expiresAt,
    createdBy: actorName(caller),
    createdAt: app.runtime.now(),
    lastUsedAt: null,
    revokedAt: null,
    version: 1,
    outbox: [entry],
    outboxDue: app.records.time(),
  };
  return { credential, secret };
}
