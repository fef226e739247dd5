import { createHash } from 'node:crypto';
import type { Change } from '../../adapters/records/port.ts';
import { Refusal } from '../../models/errors.ts';
import type { ApiKey, AuditAction, AuditFact, KeyScope } from '../../models/organization.ts';
import { createdWith, settle, withAudit } from './audit.ts';
import { booksOf, isDuplicate, takeHourly, type AccountsHouse, type Books } from './tools.ts';

/** Keys that an account may create in an hour. */
export const keyCreationsAnHour = 10;
/** An account's places for active keys. The unique index over them is what holds the limit under concurrency. */
const places = [1, 2];
/** Random bytes of a key: 43 URL-safe characters. */
const keyBytes = 32;

/** What an operator sees of a key. */
export type KeyView = Pick<ApiKey, '_id' | 'accountId' | 'prefix' | 'label' | 'scope' | 'isActive' | 'expiresAt' | 'createdAt'>;

/** SHA-256 of a key, lower-case hex: what look-ups go by. */
export function hashKey(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

/** A new key: `ply_` and 43 random URL-safe characters. */
export function newKey(secret: (bytes: number) => string): string {
  return `ply_${secret(keyBytes)}`;
}

/** The stored form of a key, with the audit fact of its creation by the service itself. */
export function keyRecord(house: Pick<AccountsHouse, 'ambient'>, accountId: string, key: string, scope: KeyScope, label: string, activePlace: number): ApiKey {
  const { ambient } = house;
  const createdAt = ambient.now();
  const record = { _id: ambient.uuid(), accountId, hash: hashKey(key), prefix: key.slice(0, 12), label, scope, isActive: true, activePlace, expiresAt: null, createdAt };
  return { ...record, ...createdWith(factOf(record, createdAt, 'api_key.created'), ambient.uuid()) };
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
 * Creates a key and answers it, this once.
 * @throws Refusal `api_key_limit_reached`, `rate_limited`; Error where there is no such account
 */
export async function createKey(house: AccountsHouse, accountId: string, scope: KeyScope, label: string): Promise<{ key: string; view: KeyView }> {
  const books = booksOf(house);
  if ((await books.accounts.get(accountId)) === null) throw new Error(`there is no account ${accountId}`);
  await takeHourly(house, 'keys', accountId, keyCreationsAnHour);
  const key = newKey(house.ambient.secret);
  const record = await atPlace(async (place) => {
    const made = keyRecord(house, accountId, key, scope, label, place);
    await books.keys.insert(made);
    return made;
  });
  await settle(house, books, books.keys, record);
  return { key, view: viewOf(record) };
}

/** Makes a key useless until it is reactivated. Repeating it changes nothing. Null where there is no such key. */
export async function deactivateKey(house: AccountsHouse, keyId: string): Promise<KeyView | null> {
  return change(house, keyId, true, 'api_key.deactivated', (audited) => ({ ...audited, set: { ...audited.set, isActive: false }, unset: ['activePlace'] }));
}

/**
 * Makes a deactivated key work again. Repeating it changes nothing. Null where there is no such key.
 * @throws Refusal `api_key_limit_reached`
 */
export async function reactivateKey(house: AccountsHouse, keyId: string): Promise<KeyView | null> {
  return atPlace((place) => change(house, keyId, false, 'api_key.reactivated', (audited) => ({ ...audited, set: { ...audited.set, isActive: true, activePlace: place } })));
}

async function change(house: AccountsHouse, keyId: string, isActive: boolean, action: AuditAction, complete: (audited: Change) => Change): Promise<KeyView | null> {
  const books: Books = booksOf(house);
  const key = await books.keys.get(keyId);
  if (key === null || key.isActive !== isActive) return key === null ? null : viewOf(key);
  const audited = withAudit({}, [factOf(key, house.ambient.now(), action)], house.ambient.uuid);
  const changed = await books.keys.update(keyId, { isActive }, complete(audited));
  if (changed !== null) await settle(house, books, books.keys, changed);
  return viewOf(changed ?? { ...key, isActive: !isActive });
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

function factOf(key: Pick<ApiKey, '_id' | 'accountId' | 'prefix' | 'scope'>, at: number, action: AuditAction): AuditFact {
  const actor = { kind: 'plycdn' as const, id: null, label: null, prefix: null };
  return { accountId: key.accountId, at, actor, action, resourceKind: 'api_key', resourceId: key._id, detail: { prefix: key.prefix, scope: key.scope } };
}

function viewOf({ _id, accountId, prefix, label, scope, isActive, expiresAt, createdAt }: ApiKey): KeyView {
  return { _id, accountId, prefix, label, scope, isActive, expiresAt, createdAt };
}
