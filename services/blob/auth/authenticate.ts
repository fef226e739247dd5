import { LRUCache } from 'lru-cache';
import type { AppContext } from '../../../mixins/app-context.ts';
import type { DoorCredential, DoorCredentials } from '../../../mixins/storage/door-credentials.ts';
import { systemScope } from '../../../models/scope.ts';
import { storageAccounts, type StorageAccount } from '../../../models/storage-account.ts';
import type { BlobAddress } from '../protocol/address.ts';
import { badHeader, Fault } from '../protocol/faults.ts';
import { checkTerms, isVersion, readSas, type RequestOrigin, type SharedAccess } from './sas.ts';
import { isSignedBy, readSharedKey, textsToSign, type SignedRequest } from './shared-key.ts';

/** Who sends a request: a key of an account, or the bearer of what was signed with it. */
export interface Access {
  account: Pick<StorageAccount, 'organizationId' | 'name' | 'homeRegion'>;
  credential: DoorCredential;
  /** Null for the key itself. */
  sas: SharedAccess | null;
}

/** Milliseconds by which the clock of a client may differ. */
const maxSkewMs = 15 * 60_000;
/** How long it is kept which organization has an account, in milliseconds: a name never changes its account. */
const keptMs = 10_000;

/** The accounts by name, as a process knows them. */
export class AccountNames {
  readonly #records: AppContext['records'];
  readonly #known = new LRUCache<string, Access['account']>({ max: 10_000, ttl: keptMs, ttlResolution: 0 });

  constructor({ records }: Pick<AppContext, 'records'>) {
    this.#records = records;
  }

  /** The account of a name; null if there is none. @throws StoreUnavailable */
  async find(name: string): Promise<Access['account'] | null> {
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const [found] = await this.#records.collection(storageAccounts, systemScope).find({ filter: { name }, limit: 1 });
    if (found === undefined) return null;
    const { organizationId, homeRegion } = found;
    const account = { organizationId, name, homeRegion };
    this.#known.set(name, account);
    return account;
  }
}

/** What checks signatures. */
export interface Authentication {
  accounts: AccountNames;
  credentials: DoorCredentials;
}

/**
 * Finds out who sends a request. Unknown accounts and wrong signatures are answered alike.
 * @throws Fault `NoAuthenticationInformation`, `AuthenticationFailed`, and those of the terms of a signature
 */
export async function authenticate(
  { accounts, credentials }: Authentication,
  request: SignedRequest,
  address: BlobAddress,
  origin: RequestOrigin,
): Promise<Access> {
  const { authorization } = request.headers;
  const sas = authorization === undefined ? readSas(address) : null;
  if (authorization === undefined && sas === null) throw new Fault('NoAuthenticationInformation');
  const shared = authorization === undefined ? null : readSharedKey(authorization);
  if (sas === null && (shared === null || shared.account !== address.account)) throw new Fault('AuthenticationFailed');
  if (shared !== null) checkDate(request, origin.now);
  const account = await accounts.find(address.account);
  if (account === null) throw new Fault('AuthenticationFailed');
  const texts = shared === null ? [sas?.text ?? ''] : textsToSign(shared, request, address);
  const signature = shared?.signature ?? sas?.signature ?? '';
  const signer = (keys: readonly DoorCredential[] | null): DoorCredential | undefined =>
    keys?.find(({ secret }) => isSignedBy(texts, secret, signature));
  const { organizationId } = account;
  const credential =
    signer(await credentials.keysOf(organizationId)) ?? signer(await credentials.freshKeysOf(organizationId));
  if (credential === undefined) throw new Fault('AuthenticationFailed');
  if (sas !== null) checkTerms(address.query, sas, origin);
  credentials.used(credential);
  return { account, credential, sas };
}

/** @throws Fault `AuthenticationFailed` */
function checkDate({ headers }: SignedRequest, now: number): void {
  const sent = Date.parse(String(headers['x-ms-date'] ?? headers.date ?? ''));
  if (!(Math.abs(sent - now) <= maxSkewMs))
    throw new Fault('AuthenticationFailed', {
      elements: { AuthenticationErrorDetail: 'The date of the request is missing, or is more than 15 minutes off.' },
    });
}

/** Version of a request that names none. */
const defaultVersion = '2015-02-21';

/**
 * The version of the protocol that a request speaks: that of its header, else that of its signature.
 * @throws Fault `InvalidHeaderValue` for a version before 2015-02-21
 */
export function versionOf({ headers }: Pick<SignedRequest, 'headers'>, { query }: BlobAddress): string {
  const sent = headers['x-ms-version'];
  if (sent === undefined) {
    const ofSas = query.get('api-version') ?? query.get('sv') ?? defaultVersion;
    return isVersion(ofSas) ? ofSas : defaultVersion;
  }
  if (typeof sent !== 'string' || !isVersion(sent)) throw badHeader('x-ms-version', String(sent));
  return sent;
}
