import { LRUCache } from 'lru-cache';
import type { Collection } from '../../adapters/records/port.ts';
import { accounts, organizations } from '../../models/organization.ts';
import { systemScope } from '../../models/scope.ts';
import {
  credentialSecretContext,
  credentialSlots,
  isUsable,
  slotKeyOf,
  storageCredentials,
  type StorageCredential,
} from '../../models/storage-credential.ts';
import type { AppContext } from '../app-context.ts';

/** The parts of the app that the check of credentials needs. */
export type DoorContext = Pick<AppContext, 'records' | 'runtime' | 'sealer' | 'configuration' | 'log'>;

/** A usable credential as a door checks requests with it. */
export interface DoorCredential extends Pick<
  StorageCredential,
  | 'organizationId'
  | 'accountId'
  | 'kind'
  | 'name'
  | 'accessKeyId'
  | 'slot'
  | 'permissions'
  | 'bucketIds'
  | 'state'
  | 'expiresAt'
  | 'lastUsedAt'
  | 'createdBy'
> {
  id: string;
  /** What requests are signed with. */
  secret: string;
  /** Features of the account's plan; null where no plan is applied and all are there. */
  features: readonly string[] | null;
  /** Requests of the organization in a minute. */
  requestsPerMinute: number;
}

/** How long a process trusts what it has read, in milliseconds. A revocation reaches it by an event before that. */
const trustedMs = 10_000;
/** Unknown access keys, which clients may invent, are kept apart so that they do not displace the known ones. */
const maxKnown = 10_000;
const maxUnknown = 1000;
const unknownMs = 2000;
/** How long the keys of an account are not read again for a signature that none of them made, in milliseconds. */
const freshMs = 250;
/** How often the use of a credential is written down, in milliseconds. */
const usedEveryMs = 60_000;

/**
 * The credentials of S3 and Blob clients as a process knows them: read from the records and kept for 10 seconds at most,
 * so that a revocation holds within that time even where its event is lost. Where the records do not answer, no request
 * is let in.
 */
export class DoorCredentials {
  readonly #app: DoorContext;
  readonly #known = new LRUCache<string, Promise<DoorCredential[]>>({
    max: maxKnown,
    ttl: trustedMs,
    ttlResolution: 0,
  });
  readonly #unknown = new LRUCache<string, true>({ max: maxUnknown, ttl: unknownMs, ttlResolution: 0 });
  readonly #fresh = new LRUCache<string, true>({ max: maxUnknown, ttl: freshMs, ttlResolution: 0 });
  readonly #used = new LRUCache<string, number>({ max: maxKnown });

  constructor(app: DoorContext) {
    this.#app = app;
  }

  /** The usable credential with an access key id; null if there is none. @throws StoreUnavailable */
  async withAccessKey(accessKeyId: string): Promise<DoorCredential | null> {
    const [found] = await this.#usable(`s3 ${accessKeyId}`, () =>
      this.#all().find({ filter: { accessKeyId }, limit: 1 }),
    );
    return found ?? null;
  }

  /** The usable keys of an organization's storage account, at most two, by slot. @throws StoreUnavailable */
  keysOf(organizationId: string): Promise<DoorCredential[]> {
    return this.#usable(`azure ${organizationId}`, async () => {
      const found = await Promise.all(
        credentialSlots.map((slot) =>
          this.#all().find({ filter: { slotKey: slotKeyOf(organizationId, slot) }, limit: 1 }),
        ),
      );
      return found.flat();
    });
  }

  /**
   * The keys of an account from the records, where those that are kept may lack a new one; at most a few times a second.
   * Null where they were just read. @throws StoreUnavailable
   */
  async freshKeysOf(organizationId: string): Promise<DoorCredential[] | null> {
    const key = `azure ${organizationId}`;
    if (this.#fresh.has(key)) return null;
    this.#fresh.set(key, true);
    this.#known.delete(key);
    this.#unknown.delete(key);
    return this.keysOf(organizationId);
  }

  /** Drops what is cached: a credential was revoked. */
  forget(): void {
    this.#known.clear();
    this.#unknown.clear();
  }

  /** Notes that a request was made with a credential. At most once a minute it is written, in the background. */
  used({ id, lastUsedAt }: DoorCredential): void {
    const now = this.#app.runtime.now();
    const noted = this.#used.get(id) ?? lastUsedAt ?? -Infinity;
    if (now - noted < usedEveryMs) return;
    this.#used.set(id, now);
    this.#all()
      .update(id, { lastUsedAt }, { set: { lastUsedAt: now }, increment: { version: 1 } })
      .catch((error: unknown) => {
        this.#used.delete(id);
        this.#app.log.debug({ err: error, credentialId: id }, 'the use of a credential was not written');
      });
  }

  #all(): Collection<StorageCredential> {
    return this.#app.records.collection(storageCredentials, systemScope);
  }

  async #usable(key: string, find: () => Promise<StorageCredential[]>): Promise<DoorCredential[]> {
    if (this.#unknown.has(key)) return [];
    let loading = this.#known.get(key);
    if (loading === undefined) {
      loading = this.#load(find);
      this.#known.set(key, loading);
      const mine = loading;
      const drop = (): void => {
        if (this.#known.peek(key) === mine) this.#known.delete(key);
      };
      loading.then((found) => {
        if (found.length > 0 || this.#known.peek(key) !== mine) return;
        drop();
        this.#unknown.set(key, true);
      }, drop);
    }
    const now = this.#app.runtime.now();
    return (await loading).filter((each) => isUsable(each, now));
  }

  async #load(find: () => Promise<StorageCredential[]>): Promise<DoorCredential[]> {
    const loaded = await Promise.all((await find()).map((credential) => this.#opened(credential)));
    return loaded.filter((each) => each !== null);
  }

  /** Null where the organization is deactivated or gone. */
  async #opened(credential: StorageCredential): Promise<DoorCredential | null> {
    const { records, sealer, configuration } = this.#app;
    const { _id: id, organizationId, accountId, sealedSecret } = credential;
    if (credential.state !== 'active') return null;
    const [organization, account] = await Promise.all([
      records.collection(organizations, systemScope).get(organizationId),
      records.collection(accounts, systemScope).get(accountId),
    ]);
    if (account === null || organization?.isActive !== true) return null;
    return {
      id,
      organizationId,
      accountId,
      kind: credential.kind,
      name: credential.name,
      ...(credential.accessKeyId === undefined ? {} : { accessKeyId: credential.accessKeyId }),
      ...(credential.slot === undefined ? {} : { slot: credential.slot }),
      permissions: credential.permissions,
      bucketIds: credential.bucketIds,
      state: credential.state,
      expiresAt: credential.expiresAt,
      lastUsedAt: credential.lastUsedAt,
      createdBy: credential.createdBy,
      secret: sealer.open(sealedSecret, credentialSecretContext(id)),
      features: account.features ?? null,
      requestsPerMinute: account.limits?.storageRequestsPerMinute ?? configuration.PLY_STORAGE_REQUESTS_PER_MINUTE,
    };
  }
}
