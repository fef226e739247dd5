import { createHash } from 'node:crypto';
import { isDuplicate, type Change } from '../../adapters/records/port.ts';
import { isoTime } from '../../models/runtime.ts';
import { Refusal } from '../../models/errors.ts';
import type { ApiKey, AuditAction, AuditActor, AuditFact, KeyScope } from '../../models/organization.ts';
import { createdWith, flushAudit, operatorActor, serviceActor, withAudit } from './audit.ts';
import { collectionsOf, takeHourly, type AccountsContext, type AccountCollections } from './collections.ts';

/** Keys that an account may create or rotate in an hour. */
const newKeysAnHour = 10;
/** Slots of an account's active keys. The unique index over the slot enforces the limit under concurrency. */
const activeSlots = [1, 2];
/** Random bytes of a key: 43 URL-safe characters. */
const keyBytes = 32;

/** The fields of a key that an operator sees. */
export type KeyView = Pick<
  ApiKey,
  '_id' | 'accountId' | 'prefix' | 'label' | 'scope' | 'isActive' | 'expiresAt' | 'createdAt'
>;

/** The properties of a new key. */
export interface NewKey {
  scope: KeyScope;
  label: string;
  /** When it expires, in milliseconds; null for never. */
  expiresAt: number | null;
}

/** A new key. Its secret is shown only once. */
export interface CreatedKey {
  key: string;
  view: KeyView;
}

/** A key with a new secret. */
export interface RotatedKey extends CreatedKey {
  /** SHA-256 of the previous secret, by which a process that stores that secret knows that it is no longer valid. */
  formerHash: string;
}

/** SHA-256 of a key in lower-case hex. Keys are looked up by it. */
export function hashKey(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

/** A new key: `ply_` and 43 random URL-safe characters. */
export function newKey(secret: (bytes: number) => string): string {
  return `ply_${secret(keyBytes)}`;
}

/** The stored form of a key, with the audit fact of its creation. */
export function keyRecord(
  app: Pick<AccountsContext, 'runtime'>,
  accountId: string,
  key: string,
  { scope, label, expiresAt }: NewKey,
  activePlace: number,
  actor: AuditActor,
): ApiKey {
  const { runtime } = app;
  const createdAt = runtime.now();
  const record = {
    _id: runtime.uuid(),
    accountId,
    ...secretOf(key),
    label,
    scope,
    isActive: true,
    activePlace,
    expiresAt,
    createdAt,
  };
  return { ...record, ...createdWith(factOf(record, createdAt, 'api_key.created', actor), runtime.uuid()) };
}

/** Every key of every account, oldest first. */
export async function listKeys(app: AccountsContext): Promise<KeyView[]> {
  const { keys } = collectionsOf(app);
  const views: KeyView[] = [];
  for (let after: (string | number)[] | null = null; ;) {
    const page: ApiKey[] = await keys.find({
      filter: {},
      sort: [
        ['createdAt', 1],
        ['_id', 1],
      ],
      limit: 100,
      ...(after === null ? {} : { after }),
    });
    views.push(...page.map(viewOf));
    const last = page.at(-1);
    if (last === undefined || page.length < 100) return views;
    after = [last.createdAt, last._id];
  }
}

/**
 * Creates a key and returns its secret, which cannot be read again. Refused attempts do not count towards the hourly
 * limit.
 * @throws Refusal `api_key_limit_reached`, `rate_limited`; Error if the account does not exist
 */
export async function createKey(
  app: AccountsContext,
  accountId: string,
  wanted: NewKey,
  actor: AuditActor = operatorActor,
): Promise<CreatedKey> {
  const collections = collectionsOf(app);
  if ((await collections.accounts.get(accountId)) === null) throw new Error(`there is no account ${accountId}`);
  refusePast(app, wanted.expiresAt);
  await releaseExpiredSlots(app, collections, accountId);
  if ((await collections.keys.count({ accountId, activePlace: { $exists: true } })) >= activeSlots.length)
    throw new Refusal('api_key_limit_reached');
  await takeHourly(app, 'keys', accountId, newKeysAnHour);
  const key = newKey(app.runtime.secret);
  const record = await inFreeSlot(async (slot) => {
    const created = keyRecord(app, accountId, key, wanted, slot, actor);
    await collections.keys.insert(created);
    return created;
  });
  await flushAudit(app, collections, collections.keys, record);
  return { key, view: viewOf(record) };
}

/**
 * Replaces the secret of an active key and returns the new one, which cannot be read again. The key keeps its id,
 * label, scope, slot and, unless another is given, its expiry. The old secret is refused within a second, or after the
 * overlap; one that is still accepted from an earlier overlap is refused then. Null if the key does not exist.
 * @param overlapMs for how long the old secret is accepted as well
 * @throws Refusal `rate_limited`, `api_key_inactive` if the key is inactive or changed concurrently; Error if it has
 * expired
 */
export async function rotateKey(
  app: AccountsContext,
  keyId: string,
  expiresAt?: number | null,
  overlapMs = 0,
  actor: AuditActor = operatorActor,
): Promise<RotatedKey | null> {
  const collections = collectionsOf(app);
  const current = await collections.keys.get(keyId);
  if (current === null) return null;
  if (!current.isActive) throw new Refusal('api_key_inactive', { detail: 'the key is inactive; reactivate it first' });
  refusePast(app, expiresAt === undefined ? current.expiresAt : expiresAt);
  await takeHourly(app, 'keys', current.accountId, newKeysAnHour);
  const key = newKey(app.runtime.secret);
  const overlap = overlapMs > 0 ? { formerHash: current.hash, formerUntil: app.runtime.now() + overlapMs } : undefined;
  const set = { ...secretOf(key), ...overlap, ...(expiresAt === undefined ? {} : { expiresAt }) };
  const unset = overlap === undefined ? ['formerHash', 'formerUntil'] : [];
  const fact = factOf(current, app.runtime.now(), 'api_key.rotated', actor);
  // Of several concurrent rotations one succeeds: no caller gets a key that another rotation has already replaced.
  const rotated = await collections.keys.update(
    keyId,
    { hash: current.hash, isActive: true },
    withAudit({ set, unset }, [fact], app.runtime.uuid),
  );
  if (rotated === null)
    throw new Refusal('api_key_inactive', { detail: 'the key was changed concurrently; read it again' });
  await flushAudit(app, collections, collections.keys, rotated);
  return { key, view: viewOf(rotated), formerHash: current.hash };
}

/** Deactivates a key. Idempotent. Null if the key does not exist. */
export async function deactivateKey(
  app: AccountsContext,
  keyId: string,
  actor: AuditActor = operatorActor,
): Promise<KeyView | null> {
  return change(app, keyId, { isActive: true, action: 'api_key.deactivated', actor }, inactive);
}

/**
 * Reactivates a key. Idempotent. Null if the key does not exist.
 * @throws Refusal `api_key_limit_reached`; Error if the key has expired
 */
export async function reactivateKey(
  app: AccountsContext,
  keyId: string,
  actor: AuditActor = operatorActor,
): Promise<KeyView | null> {
  const collections = collectionsOf(app);
  const key = await collections.keys.get(keyId);
  if (key === null) return null;
  if (!key.isActive) refusePast(app, key.expiresAt);
  await releaseExpiredSlots(app, collections, key.accountId);
  return inFreeSlot((slot) =>
    change(app, keyId, { isActive: false, action: 'api_key.reactivated', actor }, (audited) => ({
      ...audited,
      set: { ...audited.set, isActive: true, activePlace: slot },
    })),
  );
}

async function change(
  app: AccountsContext,
  keyId: string,
  { isActive, action, actor }: { isActive: boolean; action: AuditAction; actor: AuditActor },
  complete: (audited: Change) => Change,
): Promise<KeyView | null> {
  const collections: AccountCollections = collectionsOf(app);
  const key = await collections.keys.get(keyId);
  if (key === null || key.isActive !== isActive) return key === null ? null : viewOf(key);
  const audited = withAudit({}, [factOf(key, app.runtime.now(), action, actor)], app.runtime.uuid);
  const changed = await collections.keys.update(keyId, { isActive }, complete(audited));
  if (changed !== null) await flushAudit(app, collections, collections.keys, changed);
  return viewOf(changed ?? { ...key, isActive: !isActive });
}

/** Deactivates expired keys, which do not count as active, so that their slots can be used again. */
async function releaseExpiredSlots(
  app: AccountsContext,
  collections: AccountCollections,
  accountId: string,
): Promise<void> {
  const now = app.runtime.now();
  const expired = { isActive: true, expiresAt: { $lte: now } };
  for (const key of await collections.keys.find({
    filter: { accountId, activePlace: { $exists: true }, ...expired },
    limit: activeSlots.length,
  })) {
    const fact = factOf(key, now, 'api_key.deactivated', serviceActor);
    const freed = await collections.keys.update(key._id, expired, inactive(withAudit({}, [fact], app.runtime.uuid)));
    if (freed !== null) await flushAudit(app, collections, collections.keys, freed);
  }
}

function inactive(audited: Change): Change {
  return { ...audited, set: { ...audited.set, isActive: false }, unset: ['activePlace'] };
}

/** Tries the account's slots for active keys in turn. @throws Refusal `api_key_limit_reached` if none is free */
async function inFreeSlot<T>(work: (slot: number) => Promise<T>): Promise<T> {
  for (const slot of activeSlots) {
    try {
      return await work(slot);
    } catch (error) {
      if (!isDuplicate(error, 'active_place')) throw error;
    }
  }
  throw new Refusal('api_key_limit_reached');
}

function refusePast({ runtime }: Pick<AccountsContext, 'runtime'>, expiresAt: number | null): void {
  if (expiresAt !== null && expiresAt <= runtime.now())
    throw new Error(`the key expires at ${isoTime(expiresAt)}, but the expiry must be in the future`);
}

function secretOf(key: string): Pick<ApiKey, 'hash' | 'prefix'> {
  return { hash: hashKey(key), prefix: key.slice(0, 12) };
}

/** An audit fact about a key. Its detail has the key's prefix before the change. */
function factOf(
  key: Pick<ApiKey, '_id' | 'accountId' | 'prefix' | 'scope'>,
  at: number,
  action: AuditAction,
  actor: AuditActor,
): AuditFact {
  return {
    accountId: key.accountId,
    at,
    actor,
    action,
    resourceKind: 'api_key',
    resourceId: key._id,
    detail: { prefix: key.prefix, scope: key.scope },
  };
}

function viewOf({ _id, accountId, prefix, label, scope, isActive, expiresAt, createdAt }: ApiKey): KeyView {
  return { _id, accountId, prefix, label, scope, isActive, expiresAt, createdAt };
}
