import { createHash } from 'node:crypto';
import type { Change } from '../../adapters/records/port.ts';
import { isoTime } from '../../models/ambient.ts';
import { Refusal } from '../../models/errors.ts';
import type { ApiKey, AuditAction, AuditActor, AuditFact, KeyScope } from '../../models/organization.ts';
import { createdWith, settle, theOperator, theService, withAudit } from './audit.ts';
import { booksOf, isDuplicate, takeHourly, type AccountsHouse, type Books } from './tools.ts';

/** Keys that an account may create or rotate in an hour. */
const newKeysAnHour = 10;
/** An account's places for active keys. The unique index over them is what holds the limit under concurrency. */
const places = [1, 2];
/** Random bytes of a key: 43 URL-safe characters. */
const keyBytes = 32;

/** What an operator sees of a key. */
export type KeyView = Pick<ApiKey, '_id' | 'accountId' | 'prefix' | 'label' | 'scope' | 'isActive' | 'expiresAt' | 'createdAt'>;

/** What a new key is to be. */
export interface NewKey {
  scope: KeyScope;
  label: string;
  /** Milliseconds from which it is refused; null for never. */
  expiresAt: number | null;
}

/** A key that was just made, to be shown this once. */
export interface MadeKey {
  key: string;
  view: KeyView;
}

/** A key with a new secret. */
export interface RotatedKey extends MadeKey {
  /** SHA-256 of the secret before: who keeps that one knows by it that it is worth nothing. */
  formerHash: string;
}

/** SHA-256 of a key, lower-case hex: what look-ups go by. */
export function hashKey(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

/** A new key: `ply_` and 43 random URL-safe characters. */
export function newKey(secret: (bytes: number) => string): string {
  return `ply_${secret(keyBytes)}`;
}

/** The stored form of a key, with the audit fact of its creation. */
export function keyRecord(house: Pick<AccountsHouse, 'ambient'>, accountId: string, key: string, { scope, label, expiresAt }: NewKey, activePlace: number, actor: AuditActor): ApiKey {
  const { ambient } = house;
  const createdAt = ambient.now();
  const record = { _id: ambient.uuid(), accountId, ...secretOf(key), label, scope, isActive: true, activePlace, expiresAt, createdAt };
  return { ...record, ...createdWith(factOf(record, createdAt, 'api_key.created', actor), ambient.uuid()) };
}

/** Every key of every account, oldest first. */
export async function listKeys(house: AccountsHouse): Promise<KeyView[]> {
  const { keys } = booksOf(house);
  const views: KeyView[] = [];
  for (let after: (string | number)[] | null = null; ;) {
    const page: ApiKey[] = await keys.find({ filter: {}, sort: [['createdAt', 1], ['_id', 1]], limit: 100, ...(after === null ? {} : { after }) });
    views.push(...page.map(viewOf));
    const last = page.at(-1);
    if (last === undefined || page.length < 100) return views;
    after = [last.createdAt, last._id];
  }
}

/**
 * Creates a key and answers it, this once. What is refused takes none of the hour's places.
 * @throws Refusal `api_key_limit_reached`, `rate_limited`; Error where there is no such account
 */
export async function createKey(house: AccountsHouse, accountId: string, wanted: NewKey): Promise<MadeKey> {
  const books = booksOf(house);
  if ((await books.accounts.get(accountId)) === null) throw new Error(`there is no account ${accountId}`);
  refusePast(house, wanted.expiresAt);
  await freePlaces(house, books, accountId);
  if ((await books.keys.count({ accountId, activePlace: { $exists: true } })) >= places.length) throw new Refusal('api_key_limit_reached');
  await takeHourly(house, 'keys', accountId, newKeysAnHour);
  const key = newKey(house.ambient.secret);
  const record = await atPlace(async (place) => {
    const made = keyRecord(house, accountId, key, wanted, place, theOperator);
    await books.keys.insert(made);
    return made;
  });
  await settle(house, books, books.keys, record);
  return { key, view: viewOf(record) };
}

/**
 * Gives an active key another secret, answered this once: it keeps its id, label, scope, place and, unless another
 * is given, its expiry. The old secret is refused within a second. Null where there is no such key.
 * @throws Refusal `rate_limited`; Error where the key is inactive, expired, or was changed meanwhile
 */
export async function rotateKey(house: AccountsHouse, keyId: string, expiresAt?: number | null): Promise<RotatedKey | null> {
  const books = booksOf(house);
  const standing = await books.keys.get(keyId);
  if (standing === null) return null;
  if (!standing.isActive) throw new Error('the key is inactive; reactivate it first');
  refusePast(house, expiresAt === undefined ? standing.expiresAt : expiresAt);
  await takeHourly(house, 'keys', standing.accountId, newKeysAnHour);
  const key = newKey(house.ambient.secret);
  const set = { ...secretOf(key), ...(expiresAt === undefined ? {} : { expiresAt }) };
  const fact = factOf(standing, house.ambient.now(), 'api_key.rotated', theOperator);
  // Of several rotations at once one holds: nobody is shown a key that another has replaced already.
  const rotated = await books.keys.update(keyId, { hash: standing.hash, isActive: true }, withAudit({ set }, [fact], house.ambient.uuid));
  if (rotated === null) throw new Error('the key was changed meanwhile; look at it again');
  await settle(house, books, books.keys, rotated);
  return { key, view: viewOf(rotated), formerHash: standing.hash };
}

/** Makes a key useless until it is reactivated. Repeating it changes nothing. Null where there is no such key. */
export async function deactivateKey(house: AccountsHouse, keyId: string): Promise<KeyView | null> {
  return change(house, keyId, true, 'api_key.deactivated', asleep);
}

/**
 * Makes a deactivated key work again. Repeating it changes nothing. Null where there is no such key.
 * @throws Refusal `api_key_limit_reached`; Error where the key expired
 */
export async function reactivateKey(house: AccountsHouse, keyId: string): Promise<KeyView | null> {
  const books = booksOf(house);
  const key = await books.keys.get(keyId);
  if (key === null) return null;
  if (!key.isActive) refusePast(house, key.expiresAt);
  await freePlaces(house, books, key.accountId);
  return atPlace((place) => change(house, keyId, false, 'api_key.reactivated', (audited) => ({ ...audited, set: { ...audited.set, isActive: true, activePlace: place } })));
}

async function change(house: AccountsHouse, keyId: string, isActive: boolean, action: AuditAction, complete: (audited: Change) => Change): Promise<KeyView | null> {
  const books: Books = booksOf(house);
  const key = await books.keys.get(keyId);
  if (key === null || key.isActive !== isActive) return key === null ? null : viewOf(key);
  const audited = withAudit({}, [factOf(key, house.ambient.now(), action, theOperator)], house.ambient.uuid);
  const changed = await books.keys.update(keyId, { isActive }, complete(audited));
  if (changed !== null) await settle(house, books, books.keys, changed);
  return viewOf(changed ?? { ...key, isActive: !isActive });
}

/** An expired key counts as active no longer: the service deactivates it when its place is wanted. */
async function freePlaces(house: AccountsHouse, books: Books, accountId: string): Promise<void> {
  const now = house.ambient.now();
  const expired = { isActive: true, expiresAt: { $lte: now } };
  for (const key of await books.keys.find({ filter: { accountId, activePlace: { $exists: true }, ...expired }, limit: places.length })) {
    const fact = factOf(key, now, 'api_key.deactivated', theService);
    const freed = await books.keys.update(key._id, expired, asleep(withAudit({}, [fact], house.ambient.uuid)));
    if (freed !== null) await settle(house, books, books.keys, freed);
  }
}

function asleep(audited: Change): Change {
  return { ...audited, set: { ...audited.set, isActive: false }, unset: ['activePlace'] };
}

/** Tries the account's places for active keys in turn. @throws Refusal `api_key_limit_reached` when none is free */
async function atPlace<T>(work: (place: number) => Promise<T>): Promise<T> {
  for (const place of places) {
    try {
      return await work(place);
    } catch (error) {
      if (!isDuplicate(error, 'active_place')) throw error;
    }
  }
  throw new Refusal('api_key_limit_reached');
}

function refusePast({ ambient }: Pick<AccountsHouse, 'ambient'>, expiresAt: number | null): void {
  if (expiresAt !== null && expiresAt <= ambient.now()) throw new Error(`the key would be refused at once: it expires at ${isoTime(expiresAt)}`);
}

function secretOf(key: string): Pick<ApiKey, 'hash' | 'prefix'> {
  return { hash: hashKey(key), prefix: key.slice(0, 12) };
}

/** A fact about a key, told by its first characters as they were before. */
function factOf(key: Pick<ApiKey, '_id' | 'accountId' | 'prefix' | 'scope'>, at: number, action: AuditAction, actor: AuditActor): AuditFact {
  return { accountId: key.accountId, at, actor, action, resourceKind: 'api_key', resourceId: key._id, detail: { prefix: key.prefix, scope: key.scope } };
}

function viewOf({ _id, accountId, prefix, label, scope, isActive, expiresAt, createdAt }: ApiKey): KeyView {
  return { _id, accountId, prefix, label, scope, isActive, expiresAt, createdAt };
}
