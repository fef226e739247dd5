import type { GuardedAnswer, GuardedClient, GuardedRequest } from '../guarded-client/client.ts';
import type { AddressMethod, SourceGrant } from './address-of.ts';
import { failureOfStatus, sourceFailureOf } from './failure.ts';

/** Maximum number of redirects of a request whose grant allows them. */
export const maxRedirects = 5;

const redirectStatuses: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** How the addresses of one file are obtained. */
export interface Grants {
  /** In the order in which they are tried. */
  methods: readonly [AddressMethod, ...AddressMethod[]];
  obtain(method: AddressMethod, signal: AbortSignal | undefined): Promise<SourceGrant>;
  /**
   * Checks an address, also one that a redirect leads to, before each request: a host that is removed from the
   * organization's list during a read gets no further request. Rejects where it is not allowed.
   */
  permit(address: string): Promise<void>;
  /** Milliseconds since the epoch. */
  now(): number;
}

/** A client that reads one file. */
export interface GrantedClient extends GuardedClient {
  /** Whether the issuer of the last answer's address has checked the file's version. */
  isVerified(): boolean;
}

/** A client for one reading: a grant is used for all parts of the file until it expires or is denied. */
class ReadingClient implements GrantedClient {
  readonly #client: GuardedClient;
  readonly #grants: Grants;
  /** Index of the current method; those before it were denied. */
  #method = 0;
  #grant: SourceGrant | null = null;
  /** The running request for a grant, shared by all parts that are read concurrently. */
  #pending: Promise<SourceGrant> | null = null;
  #isVerified = false;

  constructor(client: GuardedClient, grants: Grants) {
    this.#client = client;
    this.#grants = grants;
  }

  async request(_registered: string | URL, options: GuardedRequest): Promise<GuardedAnswer> {
    for (;;) {
      const method = this.#method;
      const usable = this.#usableGrant();
      let grant: SourceGrant;
      try {
        grant = usable ?? (await this.#obtain(options.signal));
      } catch (error) {
        if (sourceFailureOf(error)?.outcome === 'access' && this.#useNextMethod(method)) continue;
        throw error;
      }
      const answer = await this.#follow(grant, options);
      this.#isVerified = grant.verified;
      if (failureOfStatus(answer.status)?.outcome !== 'access') return answer;
      if (this.#grant === grant) this.#grant = null;
      // A grant that worked for an earlier part may have been revoked since: then a new one is requested once.
      if (!(usable?.renewable ?? false) && !this.#useNextMethod(method)) return answer;
      answer.discard();
    }
  }

  isVerified(): boolean {
    return this.#isVerified;
  }

  close(): Promise<void> {
    this.#grant = null;
    return this.#client.close();
  }

  #usableGrant(): SourceGrant | null {
    if (this.#grant !== null && this.#grant.until !== null && this.#grant.until <= this.#grants.now())
      this.#grant = null;
    return this.#grant;
  }

  #obtain(signal: AbortSignal | undefined): Promise<SourceGrant> {
    const method = this.#grants.methods[this.#method] ?? this.#grants.methods[0];
    this.#pending ??= this.#grants
      .obtain(method, signal)
      .then((grant) => (this.#grant = grant))
      .finally(() => (this.#pending = null));
    return this.#pending;
  }

  /** Switches to the method after the denied one; false if there is none. */
  #useNextMethod(deniedIndex: number): boolean {
    if (this.#method > deniedIndex) return true;
    if (deniedIndex + 1 >= this.#grants.methods.length) return false;
    this.#method = deniedIndex + 1;
    this.#grant = null;
    return true;
  }

  /**
   * Requests the grant's address, and follows its redirects where the grant allows it. The options hold no credentials.
   */
  async #follow(grant: SourceGrant, options: GuardedRequest): Promise<GuardedAnswer> {
    let address = grant.address;
    for (let redirects = 0; ; redirects += 1) {
      await this.#grants.permit(address);
      const answer = await this.#client.request(address, options);
      const location = answer.header('location');
      if (
        !grant.redirects ||
        redirects === maxRedirects ||
        !redirectStatuses.has(answer.status) ||
        location === null ||
        !URL.canParse(location, address)
      )
        return answer;
      answer.discard();
      address = new URL(location, address).href;
    }
  }
}

/**
 * Creates a client whose requests all read one file, whatever address they name. A grant is obtained with the first
 * request and reused until it expires. Where the source denies it later, a new one is obtained; where the source denies
 * a new one, the next method is used. Requests reject with what `obtain`, `permit` and the client reject with.
 */
export function grantedClient(client: GuardedClient, grants: Grants): GrantedClient {
  return new ReadingClient(client, grants);
}
