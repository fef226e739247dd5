import type { ApiKeyView, Caller, NewApiKeyView } from '../../../models/api.ts';
import { invalid, Refusal } from '../../../models/errors.ts';
import type { ApiKey, KeyScope } from '../../../models/organization.ts';
import { isoTime } from '../../../models/runtime.ts';
import { actorOf } from '../audit.ts';
import { collectionsOf, type AccountsContext } from '../collections.ts';
import { createKey, deactivateKey, reactivateKey, rotateKey } from '../keys.ts';
import { managerIn, peopleOf } from './people.ts';

/** Keys of an account that are shown. */
const maxListed = 500;

function viewOf(key: ApiKey): ApiKeyView {
  const { _id, prefix, label, scope, isActive, expiresAt, formerUntil, createdAt } = key;
  return {
    id: _id,
    prefix,
    label,
    scope,
    isActive,
    expiresAt: isoTime(expiresAt),
    formerUntil: isoTime(formerUntil ?? null),
    createdAt: isoTime(createdAt),
  };
}

async function requireManager(app: AccountsContext, caller: Caller): Promise<void> {
  managerIn(await peopleOf(app, caller.accountId), caller);
}

/** A key of the caller's account. @throws Refusal `api_key_not_found`, `role_not_sufficient` */
async function ownKey(app: AccountsContext, caller: Caller, keyId: string): Promise<ApiKey> {
  await requireManager(app, caller);
  const key = await collectionsOf(app).keys.get(keyId);
  if (key?.accountId !== caller.accountId) throw new Refusal('api_key_not_found');
  return key;
}

async function viewNow(app: AccountsContext, keyId: string): Promise<ApiKeyView> {
  const key = await collectionsOf(app).keys.get(keyId);
  if (key === null) throw new Refusal('api_key_not_found');
  return viewOf(key);
}

function refusePast({ runtime }: AccountsContext, expiresAt: number | null | undefined): void {
  if (typeof expiresAt === 'number' && expiresAt <= runtime.now())
    throw invalid(['body', 'expiresAt'], 'expiresAt must be in the future.');
}

function refuseExpired({ runtime }: AccountsContext, expiresAt: number | null): void {
  if (expiresAt !== null && expiresAt <= runtime.now())
    throw new Refusal('api_key_inactive', { detail: 'The key has expired.' });
}

/** The account's keys in any state, newest first. @throws Refusal `role_not_sufficient` */
export async function listApiKeys(app: AccountsContext, caller: Caller): Promise<{ items: ApiKeyView[] }> {
  await requireManager(app, caller);
  const keys = await collectionsOf(app).keys.find({
    filter: { accountId: caller.accountId },
    sort: [
      ['createdAt', -1],
      ['_id', -1],
    ],
    limit: maxListed,
  });
  return { items: keys.map(viewOf) };
}

/**
 * Creates a key. Its secret is answered once.
 * @throws Refusal `api_key_limit_reached`, `rate_limited`, `validation_error`, `role_not_sufficient`
 */
export async function createApiKey(
  app: AccountsContext,
  caller: Caller,
  wanted: { label: string; scope: KeyScope; expiresAt: number | null },
): Promise<NewApiKeyView> {
  await requireManager(app, caller);
  refusePast(app, wanted.expiresAt);
  const { key, view } = await createKey(app, caller.accountId, wanted, actorOf(caller));
  return { ...(await viewNow(app, view._id)), key };
}

/**
 * Replaces a key's secret; the new one is answered once. The one of before is accepted for `overlapSeconds`.
 * @throws Refusal `api_key_not_found`, `api_key_inactive`, `rate_limited`, `validation_error`, `role_not_sufficient`
 */
export async function rotateApiKey(
  app: AccountsContext,
  caller: Caller,
  keyId: string,
  { expiresAt, overlapSeconds }: { expiresAt?: number | null; overlapSeconds: number },
): Promise<NewApiKeyView> {
  const known = await ownKey(app, caller, keyId);
  refusePast(app, expiresAt);
  if (expiresAt === undefined) refuseExpired(app, known.expiresAt);
  const rotated = await rotateKey(app, keyId, expiresAt, overlapSeconds * 1000, actorOf(caller));
  if (rotated === null) throw new Refusal('api_key_not_found');
  return { ...(await viewNow(app, keyId)), key: rotated.key };
}

/** Deactivates a key: it is refused within a second. @throws Refusal `api_key_not_found`, `role_not_sufficient` */
export async function deactivateApiKey(app: AccountsContext, caller: Caller, keyId: string): Promise<ApiKeyView> {
  await ownKey(app, caller, keyId);
  await deactivateKey(app, keyId, actorOf(caller));
  return viewNow(app, keyId);
}

/**
 * Reactivates a key.
 * @throws Refusal `api_key_not_found`, `api_key_limit_reached`, `role_not_sufficient`, `api_key_inactive` if it has
 * expired
 */
export async function reactivateApiKey(app: AccountsContext, caller: Caller, keyId: string): Promise<ApiKeyView> {
  refuseExpired(app, (await ownKey(app, caller, keyId)).expiresAt);
  await reactivateKey(app, keyId, actorOf(caller));
  return viewNow(app, keyId);
}
